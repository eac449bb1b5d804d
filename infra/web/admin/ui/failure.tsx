import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { signInAddress, t } from '../page.ts';
import { Button } from './parts.tsx';
import { failureText, problemText } from './words.ts';

interface FailureNoticeProps {
  failure: Failure | undefined;
  onRetry?: () => void;
  /** The first parts of the paths of fields that show their own problems. */
  fields?: readonly string[];
}

/** Shows why a request has failed, takes the focus, and offers what helps. */
export const FailureNotice = ({ failure, onRetry, fields = [] }: FailureNoticeProps) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!failure) return;
    const wrong = box.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid=true]');
    (wrong ?? box.current)?.focus();
  }, [failure]);
  if (!failure) return null;
  const others = failure.problems.filter(({ loc }) => !fields.includes(String(loc[1])));
  return (
    <div class="notice bad" role="alert" tabIndex={-1} ref={box}>
      <p>{failureText(failure)}</p>
      {others.length > 0 && (
        <ul>
          {others.map((problem) => (
            <li>
              <code>{problem.loc.slice(1).join('.')}</code>: {problemText(problem)}
            </li>
          ))}
        </ul>
      )}
      {failure.status === 401 && (
        <p class="bar">
          <a class="button small" href={signInAddress()}>
            {t.failures.signIn}
          </a>
        </p>
      )}
      {failure.code === 'organization_not_chosen' && (
        <p class="bar">
          <a class="button small" href="">
            {t.failures.reload}
          </a>
        </p>
      )}
      {onRetry && failure.status !== 401 && (
        <p class="bar">
          <Button onClick={onRetry}>{t.common.retry}</Button>
        </p>
      )}
    </div>
  );
};
