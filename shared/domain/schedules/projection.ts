import type { Window } from '../../schemas/recurrence.ts';
import type { CalendarRow, ScheduleOverride } from '../../schemas/schedules/schedule.ts';
import { addDays, addDuration, localDate, occurrences } from '../recurrence/index.ts';
import type { Plan } from './plan.ts';

/** The data of a schedule from which a calendar shows its occurrences, besides the inspections that exist. */
export interface Projected extends Pick<
  Plan,
  'recurrence' | 'starts_on' | 'ends_on' | 'handled_until' | 'restored'
> {
  id: string;
  title: string;
  location_ids: string[];
  assignee_ids: string[];
  window: Window;
  overrides: (ScheduleOverride & { is_settled: boolean })[];
}

/** What of that which a schedule names is there: its locations, and its assignees. Others get no inspections. */
export interface Present {
  hasLocation: (id: string) => boolean;
  canInspect: (userId: string) => boolean;
}

const EVERYTHING: Present = { hasLocation: () => true, canInspect: () => true };

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
  // An occurrence may start on the date after its own, where clocks skip the time.
  const range = { from: addDays(first!, -1), until: last! };
  for (const { occurrence_date, starts_at } of occurrences(recurrence, schedule, range)) {
    const override = overrides.get(occurrence_date) ?? null;
    const action = override?.action;
    if (action === 'skip' || action === 'cancel') {
      yield { occurrence_date, starts_at, status: STATUS_OF[action], override };
    } else if (action !== 'move' && isActive) {
      const isAhead = starts_at > handled_until || restored.includes(occurrence_date);
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
  { hasLocation, canInspect } = EVERYTHING,
): Generator<CalendarRow> {
  const { id, title, location_ids, assignee_ids, window, recurrence } = schedule;
  const places = location_ids.length > 0 ? location_ids.filter(hasLocation) : [null];
  for (const shown of merged(shownByRule(schedule, isActive, span), isActive ? moved(schedule) : [])) {
    const { occurrence_date, starts_at, status, override } = shown;
    if (starts_at < span.from || starts_at >= span.until) continue;
    const due_at = addDuration(starts_at, window.due_after, recurrence.timezone);
    for (const location_id of places) {
      yield {
        kind: 'projected',
        schedule_id: id,
        title,
        inspection_id: null,
        occurrence_date,
        starts_at,
        due_at,
        location_id,
        assignee_ids: (override?.assignee_ids ?? assignee_ids).filter(canInspect),
        status,
        is_overdue: false,
        is_missed: false,
        override,
      };
    }
  }
};
