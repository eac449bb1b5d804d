import { Temporal } from 'temporal-polyfill';
import type { Severity } from '../schemas/common.ts';
import type { CorrectiveAction, DueBasis } from '../schemas/corrective-action.ts';
import { Weekday } from '../schemas/organization.ts';
import type { Field } from '../schemas/templates/content.ts';

/** The action that a template asks for when an answer fails. */
export type ActionRule = NonNullable<NonNullable<Field['finding']>['corrective_action']>;

/** The calendar of a place. */
export interface PlaceCalendar {
  /** An IANA time zone. */
  timezone: string;
  weekend_days: readonly Weekday[];
}

/** When an action is due, and why; both null without a due date. */
export interface DueDate {
  due_at: string | null;
  due_basis: DueBasis | null;
}

const NO_DATE: DueDate = { due_at: null, due_basis: null };

/** Whether the due dates of a rule depend on the calendar of the place. */
export const countsByCalendar = ({ due_by_severity, business_days }: ActionRule): boolean =>
  due_by_severity !== undefined || business_days !== undefined;

/** Whether an action changes with the severity of its finding. */
export const followsSeverity = ({ due_by_severity, priority_by_severity }: ActionRule): boolean =>
  due_by_severity !== undefined || priority_by_severity !== undefined;

/** The priority of an action for a finding of a severity. */
export const actionPriority = (
  { priority, priority_by_severity }: ActionRule,
  severity: Severity,
): CorrectiveAction['priority'] => priority_by_severity?.[severity] ?? priority;

const iso = ({ epochMilliseconds }: { epochMilliseconds: number }) =>
  new Date(epochMilliseconds).toISOString();

/** The last second of a date on the clocks of a zone. */
const endOf = (date: Temporal.PlainDate, zone: string): string =>
  iso(date.add({ days: 1 }).toZonedDateTime(zone).subtract({ seconds: 1 }));

/** The date that is some counted days after another one; a counted day itself. At most seven steps for each day. */
const countedDate = (
  start: Temporal.PlainDate,
  days: number,
  skipped: readonly Weekday[],
): Temporal.PlainDate => {
  if (skipped.length === 0) return start.add({ days });
  const isCounted = ({ dayOfWeek }: Temporal.PlainDate) => !skipped.includes(Weekday.options[dayOfWeek - 1]!);
  let date = start;
  for (let left = days; left > 0 || !isCounted(date);) {
    date = date.add({ days: 1 });
    if (left > 0 && isCounted(date)) left -= 1;
  }
  return date;
};

/** The rule's duration for a severity; undefined for no due date. */
const durationOf = ({ due_by_severity, due_in_days }: ActionRule, severity: Severity): string | undefined =>
  due_by_severity?.[severity] ?? (due_in_days === null ? undefined : `P${due_in_days}D`);

/** The weekend days in the order of the week; none when no other day is left. */
const skippedDays = (weekendDays: readonly Weekday[]): Weekday[] => {
  const skipped = Weekday.options.filter((day) => weekendDays.includes(day));
  return skipped.length < Weekday.options.length ? skipped : [];
};

/** A due date some hours after a time. */
const exactly = (from: string, hours: number, severity: Severity): DueDate => ({
  due_at: iso(Temporal.Instant.from(from).add({ hours })),
  due_basis: { from, duration: `PT${hours}H`, severity, timezone: null, skipped_days: [] },
});

/**
 * When the action that a template asks for is due. Days of the calendar end with the local day; hours are exact. A rule
 * that says no more than `due_in_days` counts days of 24 hours, from the creation of the finding.
 * @param times when the failed answer was given, and when the finding is created; ISO 8601 in UTC
 * @param calendar undefined only for a rule that does not count by the calendar
 */
export const dueDate = (
  rule: ActionRule,
  severity: Severity,
  { visited_at, created_at }: { visited_at: string; created_at: string },
  calendar: PlaceCalendar | undefined,
): DueDate => {
  const duration = durationOf(rule, severity);
  if (duration === undefined) return NO_DATE;
  const { days, hours } = Temporal.Duration.from(duration);
  if (!countsByCalendar(rule)) return exactly(created_at, days * 24, severity);
  if (hours > 0) return exactly(visited_at, hours, severity);
  const { timezone, weekend_days } = calendar!;
  const skipped_days = rule.business_days ? skippedDays(weekend_days) : [];
  const visit = Temporal.Instant.from(visited_at).toZonedDateTimeISO(timezone).toPlainDate();
  return {
    due_at: endOf(countedDate(visit, days, skipped_days), timezone),
    due_basis: { from: visited_at, duration, severity, timezone, skipped_days },
  };
};
