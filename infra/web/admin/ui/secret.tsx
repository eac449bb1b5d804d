import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../page.ts';
import { Dialog } from './dialog.tsx';
import { Button } from './parts.tsx';

interface SecretProps {
  title: string;
  label: string;
  secret: string;
  warning: string;
  /** The secret is to be forgotten. */
  onClose: () => void;
  /** What else is shown only now. */
  children?: ComponentChildren;
}

/**
 * Shows a secret for the only time. It is nowhere but in this dialog: closing it, leaving the page and coming back by the
 * browser's history all forget it.
 */
export const SecretDialog = ({ title, label, secret, warning, onClose, children }: SecretProps) => {
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    field.current?.select();
    const forget = () => {
      if (field.current) field.current.value = '';
      onClose();
    };
    addEventListener('pagehide', forget);
    return () => removeEventListener('pagehide', forget);
  }, []);
  const copy = async () => {
    field.current?.select();
    // Without the right to the clipboard, the browser's own command still copies what is selected.
    await navigator.clipboard.writeText(secret).catch(() => document.execCommand('copy'));
    setIsCopied(true);
  };
  return (
    <Dialog title={title} isFirm onClose={onClose}>
      <div class="notice warn">
        <p>{warning}</p>
      </div>
      <label class="label" for="secret">
        {label}
      </label>
      <div class="copy">
        <input id="secret" class="secret" ref={field} readOnly value={secret} dir="ltr" autoComplete="off" />
        <Button kind="first" onClick={() => void copy()}>
          {t.common.copy}
        </Button>
      </div>
      <p role="status" class="help">
        {isCopied ? t.common.copied : ''}
      </p>
      {children}
      <div class="ends">
        <Button onClick={onClose}>{t.common.done}</Button>
      </div>
    </Dialog>
  );
};
