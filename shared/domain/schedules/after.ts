import { Temporal } from 'temporal-polyfill';
import type { After } from '../../schemas/schedules/schedule.ts';
import { addDays, addDuration, clockOf, dateAfter, localDate } from '../recurrence/index.ts';
import type { Plan } from './plan.ts';

/*
 * When a schedule visits a place again that counts from the last visit, and not by a rule. A visit is an inspection that
 * the schedule has created there, or a re-inspection of one.
 */

/** What decides when places are visited again. */
export interface AfterPlan extends Pick<Plan, 'recurrence' | 'starts_on' | 'ends_on'> {
  after: After;
  window: { due_after: string };
}

/** The visits of a place. Times are ISO 8601 in UTC. */
export interface Visits {
  /** When the last visit that counts was handed in. */
  counted_at: string | null;
  /** When the last visit ended, whether it counts or not. */
  ended_at: string | null;
  /** Whether one has not ended. */
  is_open: boolean;
}

/** What a schedule knows of a place. Dates are those of the place. */
export interface PlaceDates {
  /** The first visit. */
  first_on: string;
  /** The last visit that the schedule has created. */
  last_on: string | null;
}

const later = (one: string, other: string | null): string => (other !== null && other > one ? other : one);

const clockTime = ({ recurrence }: Pick<AfterPlan, 'recurrence'>): string =>
  recurrence.dtstart_local.slice('2027-03-28'.length);

/** Such a schedule in words: "12 months after the last visit that passed, at 09:00, Europe/Athens". */
export const describeAfter = (
  { of, every }: After,
  { recurrence }: Pick<AfterPlan, 'recurrence'>,
): string => {
  const { years, months, weeks, days } = Temporal.Duration.from(every);
  const time = new Intl.DurationFormat('en', { style: 'long' }).format({ years, months, weeks, days });
  const visit = of === 'pass' ? 'visit that passed' : 'completed visit';
  return `${time} after the last ${visit}, at ${clockTime({ recurrence }).slice(1)}, ${recurrence.timezone}`;
};

/** When a visit of a date starts. @param zone of the place */
export const visitStart = (plan: Pick<AfterPlan, 'recurrence'>, date: string, zone: string): string =>
  clockOf(zone)(`${date}${clockTime(plan)}`).starts_at;

/** The first visit of a place: at the start of the schedule, or the first time of day after now. */
export const firstVisit = (
  plan: Pick<AfterPlan, 'recurrence' | 'starts_on'>,
  zone: string,
  now: string,
): string => {
  const start = later(plan.recurrence.dtstart_local.slice(0, '2027-03-28'.length), plan.starts_on);
  if (visitStart(plan, start, zone) > now) return start;
  const today = localDate(now, zone);
  return visitStart(plan, today, zone) > now ? today : addDays(today, 1);
};

/** The next visit of a place. */
export interface NextVisit {
  /** The date, on the clocks of the place. */
  date: string;
  /** No earlier is its inspection created, ISO 8601 in UTC; null for no such time. */
  not_before: string | null;
}

/**
 * The next visit of a place: `every` after the last one that counts, else the first one. A visit that did not count does
 * not move it. The place is then visited again once the time of that visit (`due_after`) is over, so that a re-inspection
 * comes first.
 * @returns undefined while a visit has not ended, and after `ends_on`
 */
export const nextVisit = (
  plan: AfterPlan,
  zone: string,
  { first_on, last_on }: PlaceDates,
  { counted_at, ended_at, is_open }: Visits,
): NextVisit | undefined => {
  if (is_open) return undefined;
  const regular = counted_at === null ? first_on : dateAfter(localDate(counted_at, zone), plan.after.every);
  const isTried = ended_at !== null && (counted_at === null || ended_at > counted_at);
  const not_before = isTried ? addDuration(ended_at, plan.window.due_after, zone) : null;
  const retried = not_before === null ? regular : later(regular, localDate(not_before, zone));
  // A date has one inspection. That of the last date may have been deleted.
  const date = last_on !== null && retried <= last_on ? addDays(last_on, 1) : later(retried, plan.starts_on);
  return plan.ends_on !== null && date > plan.ends_on ? undefined : { date, not_before };
};
