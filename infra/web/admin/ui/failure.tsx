import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { signInAddress, t } from '../page.ts';
import { Button } from './parts.tsx';

/** Errors with a text of their own, by their codes. */
const BY_CODE: Record<string, string> = {
  owner_stays: t.failures.ownerStays,
  version_mismatch: `${t.conflict.title}.`,
  role_not_allowed: t.failures.role,
  organization_not_chosen: t.failures.switched,
};

/** What happened, and what to do. What the service itself says follows where it helps. */
const textOf = ({ status, code, message, isWrite }: Failure): string => {
  if (BY_CODE[code]) return BY_CODE[code];
  if (code === 'value_in_use' && /\bemail\b/.test(message)) return t.failures.addressInUse;
  switch (status) {
    case 0:
      return isWrite ? t.failures.unknown : t.failures.connection;
    case 401:
      return t.failures.session;
    case 404:
      return t.failures.gone;
    case 422:
      return t.failures.problems;
    case 429:
    case 503:
    case 504:
      return t.failures.busy;
    default:
      return `${t.failures.other} ${message}`;
  }
};

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
      <p>{textOf(failure)}</p>
      {others.length > 0 && (
        <ul>
          {others.map(({ loc, msg }) => (
            <li>
              {loc.slice(1).join('.')}: {msg}
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
