import type { EscalationLevel } from '../schemas/corrective-action.ts';
import { addDuration } from './recurrence/clock.ts';

/** A level of an escalation, and when its time comes, ISO 8601 in UTC. */
export interface DatedLevel extends EscalationLevel {
  at: string;
}

/** The levels of an escalation in the order of their times. A day has 24 hours. @param due_at ISO 8601 in UTC */
const datedLevels = (levels: readonly EscalationLevel[], due_at: string): DatedLevel[] =>
  levels
    .map((level) => ({ ...level, at: addDuration(due_at, level.after, 'UTC') }))
    .toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));

/**
 * What is left to escalate about an action.
 * @param until levels up to this time have been told; undefined for none
 * @returns the levels whose time has come, and when that of the next one comes
 */
export const escalationAt = (
  levels: readonly EscalationLevel[],
  due_at: string,
  until: string | undefined,
  now: string,
): { reached: DatedLevel[]; next: string | undefined } => {
  const left = datedLevels(levels, due_at).filter(({ at }) => until === undefined || at > until);
  return {
    reached: left.filter(({ at }) => at <= now),
    next: left.find(({ at }) => at > now)?.at,
  };
};

/** Milliseconds between two mails to somebody about one action: a day, less the time by which runs of a worker differ. */
const MAIL_PAUSE_MS = 23 * 3_600_000;

/** When each person was last mailed a reminder of an action, by their user ids. */
export type Reminded = Readonly<Record<string, string>>;

/** Whether somebody may be mailed a reminder of an action again. @param now ISO 8601 in UTC */
export const mayBeMailed = (reminded: Reminded, userId: string, now: string): boolean => {
  const last = reminded[userId];
  return last === undefined || Date.parse(now) - Date.parse(last) >= MAIL_PAUSE_MS;
};
