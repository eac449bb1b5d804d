import { useState } from 'preact/hooks';
import { t } from '../page.ts';
import { Button } from './parts.tsx';

/** A text for a machine, with a button that copies it. */
export const Code = ({ children: text }: { children: string }) => {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
  };
  return (
    <>
      <pre tabIndex={0} dir="ltr" lang="en">
        {text}
      </pre>
      <p class="bar">
        <Button onClick={() => void copy()}>{t.common.copy}</Button>
        <span role="status" class="help">
          {isCopied ? t.common.copied : ''}
        </span>
      </p>
    </>
  );
};
