import type { Problem } from '../../base/problem.ts';
import type {
  LeftOut,
  Recurrence,
  OccurrenceWarning,
  RecurrenceWarning,
  SchedulePreview,
} from '../../schemas/recurrence.ts';
import type { SchedulePreviewRequest } from '../../schemas/schedules/schedule.ts';
import { datesOf, MAX_YEARS } from './calendar.ts';
import { addDays, clockOf, localDate, addDuration } from './clock.ts';
import { describe } from './describe.ts';
import { type Bounds, leftOut } from './left-out.ts';
import { checkedRule, type Rule, readRule } from './rule.ts';

/** The first and the last date of interest, in the time zone of the rule. */
export interface DateRange {
  from?: string;
  until?: string;
}

export interface RuleOccurrence {
  /** The date by the rule. It identifies the occurrence, even if the occurrence starts on another date. */
  occurrence_date: string;
  /** In UTC. */
  starts_at: string;
  warning: OccurrenceWarning | null;
}

const NO_BOUNDS: Bounds = { starts_on: null, ends_on: null };

/** Where clocks skip a whole date (Pacific/Apia, 2011-12-30), an occurrence moves to the next one. */
const MAX_DATES_MOVED = 1;

/** Dates as texts have the order of the calendar. */
const sorted = (...dates: (string | null | undefined)[]): string[] =>
  dates.flatMap((date) => date ?? []).toSorted();

/** The occurrences of a rule, also those that start at the same moment as the next. */
const allOccurrences = function* (
  { dtstart_local, timezone }: Recurrence,
  rule: Rule,
  range: { from: string | undefined; until: string | undefined },
): Generator<RuleOccurrence> {
  const [start = '', time] = dtstart_local.split('T');
  const momentOf = clockOf(timezone);
  for (const date of datesOf(rule, start, range)) {
    const { starts_at, warning } = momentOf(`${date}T${time}`);
    if (rule.until) {
      const isOver = 'date' in rule.until ? date > rule.until.date : starts_at > rule.until.instant;
      if (isOver) return;
    }
    yield { occurrence_date: date, starts_at, warning };
  }
};

/**
 * The occurrences of a rule, in their order and each once, computed only as far as the caller reads. The clocks of the
 * rule's zone show the same time at each; see `clockOf` for the days on which they change. The rule is followed for
 * `MAX_YEARS` after its start. Without a rule there are none.
 * @param recurrence without problems
 */
export const occurrences = function* (
  recurrence: Recurrence,
  { starts_on, ends_on }: Bounds,
  { from, until }: DateRange = {},
): Generator<RuleOccurrence> {
  if (recurrence.rrule === '') return;
  const rule = checkedRule(recurrence.rrule);
  const needed = until === undefined ? undefined : addDays(until, MAX_DATES_MOVED);
  const range = { from: sorted(starts_on, from).at(-1), until: sorted(ends_on, needed)[0] };
  // An occurrence that was moved to another date comes after the occurrence of that date, if both start together.
  let moved: RuleOccurrence | undefined;
  for (const occurrence of allOccurrences(recurrence, rule, range)) {
    if (moved && moved.starts_at !== occurrence.starts_at) yield moved;
    moved = undefined;
    if (until !== undefined && occurrence.occurrence_date > until) return;
    if (isOnAnotherDate(occurrence, recurrence)) moved = occurrence;
    else yield occurrence;
  }
  if (moved) yield moved;
};

const isOnAnotherDate = (
  { occurrence_date, starts_at, warning }: RuleOccurrence,
  { timezone }: Recurrence,
): boolean => warning === 'moved_forward' && localDate(starts_at, timezone) !== occurrence_date;

/** Whether the rule occurs on a date. */
export const occursOn = (recurrence: Recurrence, bounds: Bounds, date: string): boolean =>
  occurrences(recurrence, bounds, { from: date, until: date }).next().done !== true;

/** Whether the occurrences come to an end by COUNT, UNTIL or `ends_on`. */
export const isFinite = (recurrence: Recurrence, { ends_on }: Bounds): boolean => {
  const { count, until } = checkedRule(recurrence.rrule);
  return ends_on !== null || count !== undefined || until !== undefined;
};

/** The number of occurrences; null where they have no end. */
export const total = (recurrence: Recurrence, bounds: Bounds): number | null => {
  if (!isFinite(recurrence, bounds)) return null;
  let count = 0;
  for (const _ of occurrences(recurrence, bounds)) count += 1;
  return count;
};

/** Whether a yearly rule without SKIP occurs on 29 February at first. */
const isOfLeapDays = (recurrence: Recurrence): boolean => {
  const { freq, skip } = checkedRule(recurrence.rrule);
  if (freq !== 'YEARLY' || skip !== 'OMIT') return false;
  const [first] = occurrences(recurrence, NO_BOUNDS);
  const next = first && { from: addDays(first.occurrence_date, 1) };
  const [second = first] = next ? occurrences(recurrence, NO_BOUNDS, next) : [];
  return [first, second].every((occurrence) => occurrence?.occurrence_date.endsWith('-02-29'));
};

/**
 * What of a recurrence may be meant otherwise: codes, and the months that it leaves out. There is none without a rule.
 * @param recurrence without problems
 */
export const cautions = (
  recurrence: Recurrence,
  bounds: Bounds,
): { warnings: RecurrenceWarning[]; left_out: LeftOut | null } => {
  if (recurrence.rrule === '') return { warnings: [], left_out: null };
  const left_out = leftOut(recurrence, bounds);
  if (isOfLeapDays(recurrence)) return { warnings: ['leap_years_only'], left_out };
  return { warnings: left_out ? ['months_left_out'] : [], left_out };
};

/** What of a schedule its occurrences follow from, and which of them are shown. */
type PreviewedSchedule = Pick<
  SchedulePreviewRequest,
  'recurrence' | 'window' | 'starts_on' | 'ends_on' | 'from' | 'count'
>;

/**
 * Shows the occurrences of a schedule with this recurrence.
 * @param request whose recurrence has no problems
 * @param heldOn the date on which the occurrence of a date is held; null for one that is left out
 */
export const preview = (
  request: PreviewedSchedule,
  heldOn: (date: string) => string | null = (date) => date,
): SchedulePreview => {
  const { recurrence, window, from, count } = request;
  const { timezone, dtstart_local } = recurrence;
  const shown = occurrences(recurrence, request, from === null ? {} : { from })
    .flatMap((occurrence) => {
      const held = heldOn(occurrence.occurrence_date);
      if (held === null) return [];
      if (held === occurrence.occurrence_date) return [occurrence];
      return [{ ...occurrence, ...clockOf(timezone)(`${held}${dtstart_local.slice(held.length)}`) }];
    })
    .take(count);
  return {
    description: describe(recurrence),
    occurrences: [...shown].map(({ occurrence_date, starts_at, warning }) => ({
      occurrence_date,
      starts_at,
      due_at: addDuration(starts_at, window.due_after, timezone),
      warning,
    })),
    ...cautions(recurrence, request),
    is_finite: isFinite(recurrence, request),
    total: total(recurrence, request),
  };
};

/**
 * Everything that is wrong with a recurrence and that its schema cannot see: a rule that cannot be read, and a rule
 * that never occurs. The work is bounded, whatever the rule.
 * @param at the path of the recurrence in the request
 */
export const problems = (
  recurrence: Recurrence,
  at: readonly string[] = ['body', 'recurrence'],
): Problem[] => {
  const { rule, problems: found } = readRule(recurrence.rrule);
  const { done } = rule ? occurrences(recurrence, NO_BOUNDS).next() : {};
  const never = done
    ? [`the rule does not occur within ${MAX_YEARS} years after ${recurrence.dtstart_local}`]
    : [];
  return [...found, ...never].map((problem) => ({
    loc: [...at, 'rrule'],
    type: 'value_error',
    msg: `Value error, ${problem}`,
    input: recurrence.rrule,
  }));
};
