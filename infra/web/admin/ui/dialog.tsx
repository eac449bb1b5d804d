import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Work } from '../hooks.ts';
import { t } from '../page.ts';
import { FailureNotice } from './failure.tsx';
import { Button } from './parts.tsx';

interface DialogProps {
  title: string;
  /** It was closed: by its buttons, by Escape or by the back gesture of a phone. */
  onClose: () => void;
  /** Escape does not close it, because what it shows cannot be seen again. */
  isFirm?: boolean;
  children: ComponentChildren;
}

/** A modal dialog. When it closes, the focus goes back to where it was, or to the heading where that is gone. */
export const Dialog = ({ title, onClose, isFirm, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The event of a dialog that is taken away comes when it is gone already.
  const isGone = useRef(false);
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    dialog.showModal();
    return () => {
      isGone.current = true;
      dialog.close();
      const isThere = before?.isConnected && before !== document.body;
      (isThere ? before : document.querySelector<HTMLElement>('h1'))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target === element.current && isFirm) event.preventDefault();
      }}
      onClose={(event) => {
        if (event.target === element.current && !isGone.current) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};

interface FormDialogProps extends DialogProps {
  submit: string;
  work: Work;
  onSubmit: () => void;
  fields: readonly string[];
}

/** A dialog with a form. */
export const FormDialog = ({ submit, work, onSubmit, fields, children, ...dialog }: FormDialogProps) => (
  <Dialog {...dialog}>
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <FailureNotice failure={work.failure} fields={fields} />
      {children}
      <div class="ends">
        <Button onClick={dialog.onClose}>{t.common.cancel}</Button>
        <Button kind="first" isSubmit isBusy={work.isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  </Dialog>
);

interface ConfirmProps extends Omit<DialogProps, 'children'> {
  /** What happens. */
  text: string;
  /** What is chosen with it. */
  children?: ComponentChildren;
  /** The word for it, on the button. */
  action: string;
  isHarmless?: boolean;
  work: Work;
  onConfirm: () => void;
}

/** Asks before something is done, and says what. */
export const Confirm = ({ text, children, action, isHarmless, work, onConfirm, ...dialog }: ConfirmProps) => (
  <Dialog {...dialog}>
    <FailureNotice failure={work.failure} />
    <p>{text}</p>
    {children}
    <div class="ends">
      <Button onClick={dialog.onClose}>{t.common.cancel}</Button>
      <Button kind={isHarmless ? 'first' : 'danger'} isBusy={work.isBusy} onClick={onConfirm}>
        {action}
      </Button>
    </div>
  </Dialog>
);
