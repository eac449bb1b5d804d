import type { Window } from '../../schemas/recurrence.ts';
import type { CalendarRow, ScheduleOverride } from '../../schemas/schedules/schedule.ts';
import { addDays, addDuration, localDate, occurrences } from '../recurrence/index.ts';
import { MAX_SHIFT_DAYS } from './holidays.ts';
import { isByPlace, occurrenceOn, type Plan, SPREAD_MS, startAt } from './plan.ts';

/** The data of a schedule from which a calendar shows its occurrences, besides the inspections that exist. */
export interface Projected extends Pick<
  Plan,
  | 'recurrence'
  | 'after'
  | 'starts_on'
  | 'ends_on'
  | 'handled_until'
  | 'restored'
  | 'timezone'
  | 'passed_until'
  | 'created_until'
  | 'on_holiday'
> {
  id: string;
  title: string;
  /** All of its places, which are locations or assets; null for a schedule that has none. */
  place_ids: string[] | null;
  assignee_ids: string[];
  window: Window;
  overrides: (ScheduleOverride & { is_settled: boolean })[];
}

/** Where a place is: a location is one itself, an asset may be at none. */
type Where = Pick<CalendarRow, 'location_id' | 'asset_id'>;

/** What of that which a schedule names is there: its places, and its assignees. Others get no inspections. */
export interface Present {
  /** Where a place is; undefined for one that is not there. */
  find: (id: string) => Where | undefined;
  canInspect: (userId: string) => boolean;
  /** The time zone of a place; null where it has none. */
  zoneOf: (id: string) => string | null;
  /** The people of a place to whom the schedule assigns inspections there. */
  peopleAt: (id: string) => string[];
  /** Whether the inspection of an occurrence was created, though the schedule would deal with it again. */
  isCreated: (date: string, placeId: string | null) => boolean;
  /** As in `holidays.ts`. */
  heldOn: (date: string) => string | null;
}

const EVERYTHING: Present = {
  find: (id) => ({ location_id: id, asset_id: null }),
  canInspect: () => true,
  zoneOf: () => null,
  peopleAt: () => [],
  isCreated: () => false,
  heldOn: (date) => date,
};

/** Moments, ISO 8601 in UTC: the first one belongs to the span, the last one does not. */
export interface Span {
  from: string;
  until: string;
}

interface Shown {
  occurrence_date: string;
  starts_at: string;
  status: 'projected' | 'skipped' | 'cancelled';
  override: ScheduleOverride | null;
}

const STATUS_OF = { skip: 'skipped', cancel: 'cancelled' } as const;

const inOrder = (one: Shown, other: Shown): number =>
  one.starts_at < other.starts_at ? -1 : Number(one.starts_at > other.starts_at);

/** The occurrences by the rule, in their order, without those that were dealt with. */
const shownByRule = function* (schedule: Projected, isActive: boolean, span: Span): Generator<Shown> {
  const { recurrence, handled_until, restored } = schedule;
  const overrides = new Map(schedule.overrides.map((override) => [override.occurrence_date, override]));
  const [first, last] = [span.from, span.until].map((moment) => localDate(moment, recurrence.timezone));
  // An occurrence may start on the date after its own, where clocks skip the time; with time zones of places, also
  // earlier.
  const margin = isInOrder(schedule) ? 0 : 2 + MAX_SHIFT_DAYS;
  const range = { from: addDays(first!, -1 - margin), until: addDays(last!, margin) };
  for (const { occurrence_date, starts_at } of occurrences(schedule.recurrence, schedule, range)) {
    const override = overrides.get(occurrence_date) ?? null;
    const action = override?.action;
    if (action === 'skip' || action === 'cancel') {
      yield { occurrence_date, starts_at, status: STATUS_OF[action], override };
    } else if (action !== 'move' && isActive) {
      const planned = isByPlace(schedule) ? occurrenceOn(schedule, occurrence_date)! : { starts_at };
      const isAhead = planned.starts_at > handled_until || restored.includes(occurrence_date);
      if (isAhead) yield { occurrence_date, starts_at, status: 'projected', override };
    }
  }
};

/** Moved occurrences without inspections, at their new times. */
const moved = ({ overrides }: Projected): Shown[] =>
  overrides.flatMap((override) =>
    override.action === 'move' && !override.is_settled
      ? {
          occurrence_date: override.occurrence_date,
          starts_at: override.new_at!,
          status: 'projected' as const,
          override,
        }
      : [],
  );

const merged = function* (rule: Iterable<Shown>, others: readonly Shown[]): Generator<Shown> {
  const waiting = others.toSorted(inOrder);
  for (const shown of rule) {
    while (waiting[0] && inOrder(waiting[0], shown) < 0) yield waiting.shift()!;
    yield shown;
  }
  yield* waiting;
};

/** Whether occurrences start in the order of their dates, at all places at once. */
const isInOrder = (schedule: Pick<Projected, 'timezone' | 'on_holiday'>): boolean =>
  !isByPlace(schedule) && !schedule.on_holiday;

const MAX_SHIFT_MS = MAX_SHIFT_DAYS * 86_400_000;

const byStart = (one: CalendarRow, other: CalendarRow): number =>
  one.starts_at < other.starts_at ? -1 : Number(one.starts_at > other.starts_at);

/** The rows of an occurrence, one for each place. */
const rowsOf = function* (
  schedule: Projected,
  { occurrence_date, starts_at: ownStart, status, override }: Shown,
  present: Present,
): Generator<CalendarRow> {
  const { id, title, place_ids, assignee_ids, window, recurrence, passed_until = '' } = schedule;
  for (const place_id of place_ids ?? [null]) {
    const where = place_id === null ? { location_id: null, asset_id: null } : present.find(place_id);
    if (!where || present.isCreated(occurrence_date, place_id)) continue;
    const zone = (isByPlace(schedule) && place_id && present.zoneOf(place_id)) || recurrence.timezone;
    const new_at = override?.new_at ?? null;
    const held = new_at === null ? present.heldOn(occurrence_date) : occurrence_date;
    const starts_at = isInOrder(schedule)
      ? ownStart
      : startAt(schedule, held ?? occurrence_date, new_at, zone);
    const isMissed = isByPlace(schedule) && starts_at <= passed_until;
    if (isMissed && status === 'projected' && !schedule.restored.includes(occurrence_date)) continue;
    const own = place_id === null ? [] : present.peopleAt(place_id).filter(present.canInspect);
    const assigned = override?.assignee_ids ?? (own.length > 0 ? own : assignee_ids);
    yield {
      kind: 'projected',
      schedule_id: id,
      title,
      inspection_id: null,
      occurrence_date,
      starts_at,
      due_at: addDuration(starts_at, window.due_after, zone),
      ...where,
      assignee_ids: assigned.filter(present.canInspect),
      status: held === null && status === 'projected' ? 'skipped' : status,
      is_overdue: false,
      is_missed: false,
      override,
    };
  }
};

/** The next visit of a place: its date there, and when it starts. */
export interface PlannedVisit {
  place_id: string;
  next_on: string;
  next_at: string;
}

/** The next visits of a schedule that counts from the last one, in the order of their starts. */
export const visitRows = (
  schedule: Projected,
  visits: readonly PlannedVisit[],
  span: Span,
  present: Present,
): CalendarRow[] =>
  visits
    .filter(({ next_at }) => next_at >= span.from && next_at < span.until)
    .flatMap(({ place_id, next_on: occurrence_date, next_at: starts_at }) => {
      const shown: Shown = { occurrence_date, starts_at, status: 'projected', override: null };
      return [...rowsOf({ ...schedule, place_ids: [place_id], passed_until: '' }, shown, present)];
    })
    .toSorted(byStart);

/**
 * What a calendar shows of a schedule besides its inspections, in the order of the starts: occurrences that are still
 * to be created, at each location, and those that an override leaves out. They are computed only as far as the caller
 * reads.
 * @param isActive the schedule creates inspections
 */
export const projection = function* (
  schedule: Projected,
  isActive: boolean,
  span: Span,
  present = EVERYTHING,
): Generator<CalendarRow> {
  const isInSpan = ({ starts_at }: { starts_at: string }) => starts_at >= span.from && starts_at < span.until;
  const shown = merged(shownByRule(schedule, isActive, span), isActive ? moved(schedule) : []);
  if (isInOrder(schedule)) {
    for (const each of shown) if (isInSpan(each)) yield* rowsOf(schedule, each, present);
    return;
  }
  // One may start at a place before an earlier one has started at another, or before one that is shifted.
  let waiting: CalendarRow[] = [];
  for (const each of shown) {
    const reached = new Date(Date.parse(each.starts_at) - SPREAD_MS - MAX_SHIFT_MS).toISOString();
    const { ready = [], rest = [] } = Object.groupBy(waiting, ({ starts_at }) =>
      starts_at < reached ? 'ready' : 'rest',
    );
    yield* ready.toSorted(byStart);
    waiting = [...rest, ...[...rowsOf(schedule, each, present)].filter(isInSpan)];
  }
  yield* waiting.toSorted(byStart);
};
