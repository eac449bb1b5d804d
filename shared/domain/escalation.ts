import type { EscalationLevel } from '../schemas/corrective-action.ts';
import { addDuration } from './recurrence/clock.ts';

/** A level of an escalation, and when its time comes, ISO 8601 in UTC. */
export interface DatedLevel extends EscalationLevel {
  at: string;
}

/** Whose people have a role. */
type Area = 'place' | 'region';

/** The role at the location, or in its region, that a level names; undefined when it names somebody else. */
export const roleOf = (to: EscalationLevel['to']): { area: Area; role: string } | undefined => {
  const area = (['place', 'region'] as const).find((each) => to.startsWith(`${each}:`));
  return area && { area, role: to.slice(area.length + 1) };
};

/** A level whose time has come, and whom it tells. */
export interface ToldLevel {
  level: EscalationLevel;
  user_ids: string[];
  /** Who is told instead of people of the location or region, of whom none has the role. */
  instead: EscalationLevel['to'] | undefined;
}

/**
 * Whom levels tell whose time has come. Where nobody at the location or in its region has the role that one names, it is the turn of the
 * next level that names somebody, else of the admins.
 * @param later the levels after these, in their order
 * @param namedBy whom a level names
 */
export const toldBy = (
  reached: readonly EscalationLevel[],
  later: readonly EscalationLevel[],
  namedBy: (to: EscalationLevel['to']) => string[],
): ToldLevel[] =>
  reached.map((level, position) => {
    const user_ids = namedBy(level.to);
    if (user_ids.length > 0 || roleOf(level.to) === undefined) return { level, user_ids, instead: undefined };
    const others = [...reached.slice(position + 1), ...later].map(({ to }) => to);
    const instead = others.find((to) => namedBy(to).length > 0) ?? 'admins';
    return { level, user_ids: namedBy(instead), instead };
  });

/** The levels of an escalation in the order of their times. A day has 24 hours. @param due_at ISO 8601 in UTC */
const datedLevels = (levels: readonly EscalationLevel[], due_at: string): DatedLevel[] =>
  levels
    .map((level) => ({ ...level, at: addDuration(due_at, level.after, 'UTC') }))
    .toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));

/**
 * What is left to escalate about an action.
 * @param until levels up to this time have been told; undefined for none
 * @returns the levels whose time has come, those after them, and when the time of the next one comes
 */
export const escalationAt = (
  levels: readonly EscalationLevel[],
  due_at: string,
  until: string | undefined,
  now: string,
): { reached: DatedLevel[]; later: DatedLevel[]; next: string | undefined } => {
  const left = datedLevels(levels, due_at).filter(({ at }) => until === undefined || at > until);
  const later = left.filter(({ at }) => at > now);
  return { reached: left.filter(({ at }) => at <= now), later, next: later[0]?.at };
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
