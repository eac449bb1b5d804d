import type { ComponentChildren } from 'preact';
import { dateText, timeText, wholeTimeText } from '../formats.ts';
import { t } from '../page.ts';
import { keepInAddress } from '../route.ts';

export const Skeleton = () => (
  <div class="skeleton" aria-hidden="true">
    <i />
    <i />
    <i />
    <i />
  </div>
);

/** A time in the reader's zone; with its seconds and the zone's name on request. */
export const Time = ({ at, isDay }: { at: string; isDay?: boolean }) => (
  <time dateTime={at} title={wholeTimeText(at)}>
    {isDay ? dateText(at) : timeText(at)}
  </time>
);

/** A time, or a dash where there is none. */
export const TimeOrDash = ({ at, isDay }: { at: string | null; isDay?: boolean }) =>
  at === null ? <>–</> : <Time at={at} isDay={isDay ?? false} />;

export type Mood = 'good' | 'warn' | 'bad' | '';

export const Chip = ({ mood, children }: { mood: Mood; children: ComponentChildren }) => (
  <span class={`chip ${mood}`}>{children}</span>
);

/** A line below another one, of a text that may have another direction than the page. */
export const Foreign = ({ children }: { children: ComponentChildren }) => (
  <span class="sub">
    <bdi>{children}</bdi>
  </span>
);

interface ButtonProps {
  children: ComponentChildren;
  kind?: 'first' | 'second' | 'plain' | 'danger' | 'plain danger';
  isSubmit?: boolean;
  isBusy?: boolean;
  /** What it does, where its text is not enough without the row that it stands in. */
  label?: string;
  onClick?: () => void;
  isExpanded?: boolean;
}

/** A button. While its work is done it keeps the focus, and says so. */
export const Button = ({
  children,
  kind = 'second',
  isSubmit,
  isBusy,
  label,
  onClick,
  isExpanded,
}: ButtonProps) => (
  <button
    type={isSubmit ? 'submit' : 'button'}
    class={kind === 'first' ? 'small' : `${kind} small`}
    aria-disabled={isBusy || undefined}
    aria-label={label}
    aria-expanded={isExpanded}
    onClick={(event) => {
      if (isBusy) event.preventDefault();
      else onClick?.();
    }}
  >
    {isBusy ? t.common.working : children}
  </button>
);

/** What stands where there are no rows. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="empty">
    <p>{children}</p>
  </div>
);

/** What stands where no row fits the filters in the address, with the way back to all of them. */
export const NoneFits = () => (
  <div class="empty">
    <p>{t.audit.empty}</p>
    <p>
      <Button
        onClick={() => {
          keepInAddress({});
          // The button goes, and the focus with it.
          document.querySelector('h1')?.focus();
        }}
      >
        {t.audit.clear}
      </Button>
    </p>
  </div>
);
