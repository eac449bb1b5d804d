import { t } from '../page.ts';
import { Button } from './parts.tsx';
import { say } from './said.tsx';

/** A text for a machine, with a button that copies it. */
export const Code = ({ children: text }: { children: string }) => (
  <>
    {/* A text that scrolls can be reached by keys. */}
    <pre tabIndex={0} dir="ltr" lang="en">
      <code>{text}</code>
    </pre>
    <p>
      <Button onClick={() => void navigator.clipboard.writeText(text).then(() => say(t.common.copied))}>
        {t.common.copy}
      </Button>
    </p>
  </>
);
