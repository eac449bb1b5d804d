import type { MailProgress, MailWait, WaitReason } from '../../schemas/mail.ts';
import type { EmailStatus } from '../../schemas/reports/report-email.ts';
import { mayFollow, type Verdict } from './feedback.ts';

/** What is stored about a mail that was promised. Absent until something is known. */
export interface MailNote {
  /** When the mail was sent, or failed, ISO 8601 in UTC. */
  at: string;
  /** Why it was not sent, or did not arrive. */
  error: string | null;
  /** When its worker looks at it again, while it waits: from then on it is sent, or it is given up. */
  send_after?: string;
  /** Why it waits. Absent where that is the limit of a day. */
  reason?: WaitReason;
  /** What the mail service has reported since. */
  status?: EmailStatus;
}

/** How a mail waits, as clients see it. Nobody knows when mails are no longer paused. */
export const waitOf = ({
  send_after,
  reason = 'limit',
}: Required<Pick<MailNote, 'send_after'>> & Pick<MailNote, 'reason'>): MailWait => ({
  reason,
  send_after: reason === 'limit' ? send_after : null,
  expires_at: reason === 'unconfirmed' ? send_after : null,
});

const NO_WAIT = { reason: null, send_after: null, expires_at: null } as const;

const stateOf = (note: MailNote | undefined): MailProgress['state'] => {
  if (!note) return 'queued';
  if (note.send_after !== undefined) return 'waiting';
  return note.status ?? (note.error === null ? 'sent' : 'failed');
};

/** What became of a mail, as clients see it. */
export const progressOf = (note: MailNote | undefined): MailProgress => {
  if (note?.send_after !== undefined)
    return { state: 'waiting', ...waitOf({ ...note, send_after: note.send_after }), detail: null };
  return { state: stateOf(note), ...NO_WAIT, detail: note?.error ?? null };
};

/** When a mail was sent; null when it was not. */
export const sentAt = (note: MailNote | undefined): string | null =>
  note && !['waiting', 'failed'].includes(stateOf(note)) ? note.at : null;

/** The note after what the mail service reports; undefined when that changes nothing. */
export const afterVerdict = (
  note: MailNote | undefined,
  { status, detail }: Pick<Verdict, 'status' | 'detail'>,
): MailNote | undefined => {
  const state = stateOf(note);
  return note && state !== 'waiting' && mayFollow(state, status)
    ? { ...note, status, error: detail }
    : undefined;
};
