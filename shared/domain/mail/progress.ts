import type { MailProgress } from '../../schemas/mail.ts';
import type { EmailStatus } from '../../schemas/reports/report-email.ts';
import { mayFollow, type Verdict } from './feedback.ts';

/** What is stored about a mail that was promised. Absent until something is known. */
export interface MailNote {
  /** When the mail was sent, or failed, ISO 8601 in UTC. */
  at: string;
  /** Why it was not sent, or did not arrive. */
  error: string | null;
  /** From when on it is sent, while it waits. */
  send_after?: string;
  /** What the mail service has reported since. */
  status?: EmailStatus;
}

const stateOf = (note: MailNote | undefined): MailProgress['state'] => {
  if (!note) return 'queued';
  if (note.send_after !== undefined) return 'waiting';
  return note.status ?? (note.error === null ? 'sent' : 'failed');
};

/** What became of a mail, as clients see it. */
export const progressOf = (note: MailNote | undefined): MailProgress => {
  const state = stateOf(note);
  return state === 'waiting'
    ? { state, send_after: note!.send_after!, detail: null }
    : { state, send_after: null, detail: note?.error ?? null };
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
