import type { Recurrence } from '../../schemas/recurrence.ts';
import type { Schedule, ScheduleOverride, ScheduleStatus } from '../../schemas/schedules/schedule.ts';
import {
  addDays,
  clockOf,
  localDate,
  localTime,
  occurrences,
  type RuleOccurrence,
} from '../recurrence/index.ts';
import { MAX_SHIFT_DAYS } from './holidays.ts';

/** What decides which occurrences of a schedule get inspections, and when. Times are ISO 8601 in UTC. */
export interface Plan {
  status: ScheduleStatus;
  recurrence: Recurrence;
  /** It counts from its last visits. */
  after: Schedule['after'];
  starts_on: string | null;
  ends_on: string | null;
  create_ahead_days: number;
  overrides: (Pick<ScheduleOverride, 'occurrence_date' | 'action' | 'new_at'> & { is_settled: boolean })[];
  handled_until: string;
  restored: string[];
  /** `location`: each place has a time zone of its own. */
  timezone: Schedule['timezone'];
  /** What becomes of occurrences on holidays. */
  on_holiday: Schedule['on_holiday'];
  /**
   * Only with time zones of places: what starts up to this time is dealt with, although `handled_until` comes before
   * the occurrence.
   */
  passed_until?: string;
  /** An earlier rule has created inspections of occurrences that start up to this time. */
  created_until?: string;
}

/** An occurrence whose inspections must be created. */
export interface DueOccurrence {
  occurrence_date: string;
  /** The actual start: the new time, if the occurrence was moved. */
  starts_at: string;
  /** Why: the rule names it, an override moves it, or an override of it was deleted. */
  by: 'rule' | 'move' | 'restoration';
  /** Another date on which it is held, because of a holiday. */
  held_on?: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/*
 * With time zones of places, an occurrence is one date and one time of day, and starts at different moments: first where
 * clocks are 14 hours ahead of UTC, and last where they are 12 hours behind. The schedule deals with it as a whole when
 * it starts first, so that its places are looked up once.
 */
const FIRST_OFFSET = 14 * HOUR_MS;
const LAST_OFFSET = -12 * HOUR_MS;

/** The time from the first start of an occurrence to its last one, in milliseconds. */
export const SPREAD_MS = FIRST_OFFSET - LAST_OFFSET;

/** Whether each place has a time zone of its own. */
export const isByPlace = ({ timezone }: Pick<Plan, 'timezone'>): boolean => timezone === 'location';

const msAfter = (moment: string, milliseconds: number): string =>
  new Date(Date.parse(moment) + milliseconds).toISOString();

/** When clocks show a time first, anywhere. @param local such as "2027-03-28T03:30" */
const firstStart = (local: string): string => msAfter(`${local}Z`, -FIRST_OFFSET);

type Rule = Pick<Plan, 'recurrence' | 'starts_on' | 'ends_on' | 'timezone' | 'after'>;

const localStart = ({ recurrence }: Rule, date: string): string =>
  `${date}T${recurrence.dtstart_local.slice('2027-03-28T'.length)}`;

/** Occurrences as the schedule deals with them. */
const asPlanned = function* (plan: Rule, rule: Iterable<RuleOccurrence>): Generator<RuleOccurrence> {
  for (const occurrence of rule) {
    const starts_at = isByPlace(plan)
      ? firstStart(localStart(plan, occurrence.occurrence_date))
      : occurrence.starts_at;
    yield { ...occurrence, starts_at };
  }
};

/** The occurrences of the rule that start after a time, whatever overrides say. */
const startingAfter = function* (plan: Rule, after: string): Generator<RuleOccurrence> {
  const { recurrence } = plan;
  // An occurrence may start on the date after its own, where clocks skip the time.
  const from = addDays(localDate(after, recurrence.timezone), -1);
  for (const occurrence of asPlanned(plan, occurrences(recurrence, plan, { from }))) {
    if (occurrence.starts_at > after) yield occurrence;
  }
};

/** The occurrence of the rule on a date; undefined when there is none. With time zones of places, its first start. */
export const occurrenceOn = (plan: Rule, date: string): RuleOccurrence | undefined =>
  asPlanned(plan, occurrences(plan.recurrence, plan, { from: date, until: date })).next().value ?? undefined;

/**
 * When an occurrence starts at a place.
 * @param date on which it is held
 * @param new_at the time to which it was moved, which the clocks of the schedule's own zone show; null for none
 * @param zone that of the place; null for that of the schedule
 */
export const startAt = (plan: Rule, date: string, new_at: string | null, zone: string | null): string => {
  const { timezone } = plan.recurrence;
  if (!isByPlace(plan) && new_at !== null) return new_at;
  const local = new_at === null ? localStart(plan, date) : localTime(new_at, timezone);
  return clockOf((isByPlace(plan) && zone) || timezone)(local).starts_at;
};

/** Up to when all starts are over that lie before a time. */
const passedBy = (plan: Pick<Plan, 'timezone'>, now: string): string =>
  isByPlace(plan) ? msAfter(now, -SPREAD_MS) : now;

/** What a new schedule has dealt with: everything that starts before it was created. */
export const initialProgress = (
  plan: Pick<Plan, 'timezone'>,
  now: string,
): Pick<Plan, 'handled_until' | 'passed_until'> => ({
  handled_until: passedBy(plan, now),
  ...(isByPlace(plan) && { passed_until: now }),
});

/** Whether an occurrence has started at a place before the schedule began, or while it was paused. */
export const isPassed = (plan: Plan, { by }: DueOccurrence, starts_at: string): boolean =>
  isByPlace(plan) && by === 'rule' && starts_at <= (plan.passed_until ?? '');

/** The dates whose occurrence is left out or moved. */
const datesTaken = ({ overrides }: Plan): Set<string> =>
  new Set(
    overrides.flatMap(({ action, occurrence_date }) => (action === 'reassign' ? [] : [occurrence_date])),
  );

const firstFree = (plan: Plan, after: string): RuleOccurrence | undefined => {
  const taken = datesTaken(plan);
  for (const occurrence of startingAfter(plan, after)) {
    if (!taken.has(occurrence.occurrence_date)) return occurrence;
  }
  return undefined;
};

/** The item that starts first; of several, the first one in the list. */
const earliest = <Item extends { starts_at: string }>(items: Item[]): Item | undefined =>
  items.reduce<Item | undefined>(
    (first, item) => (first && first.starts_at <= item.starts_at ? first : item),
    undefined,
  );

const movedWork = ({ overrides }: Plan): DueOccurrence[] =>
  overrides.flatMap(({ occurrence_date, action, new_at, is_settled }) =>
    action === 'move' && !is_settled ? [{ occurrence_date, starts_at: new_at!, by: 'move' }] : [],
  );

/** The moved occurrences as the schedule deals with them. */
const plannedMoves = (plan: Plan): DueOccurrence[] =>
  isByPlace(plan)
    ? movedWork(plan).map((work) => ({
        ...work,
        starts_at: firstStart(localTime(work.starts_at, plan.recurrence.timezone)),
      }))
    : movedWork(plan);

const restoredWork = (plan: Plan): DueOccurrence[] =>
  plan.restored.flatMap((date) => {
    const { starts_at } = occurrenceOn(plan, date) ?? {};
    return starts_at ? [{ occurrence_date: date, starts_at, by: 'restoration' }] : [];
  });

/** The next occurrence that has to be created, however far in the future; undefined when there is none. */
const nextOfAll = (plan: Plan): DueOccurrence | undefined => {
  const regular = firstFree(plan, plan.handled_until);
  return earliest<DueOccurrence>([
    ...plannedMoves(plan),
    ...restoredWork(plan),
    ...(regular
      ? [{ occurrence_date: regular.occurrence_date, starts_at: regular.starts_at, by: 'rule' as const }]
      : []),
  ]);
};

/** When the inspections of an occurrence must be created. */
const creationOf = ({ create_ahead_days, on_holiday }: Plan, { starts_at }: DueOccurrence): string => {
  // Whether it is held earlier is found out in time.
  const days = create_ahead_days + (on_holiday === 'before' ? MAX_SHIFT_DAYS : 0);
  return msAfter(starts_at, -days * DAY_MS);
};

/** The first to start of the occurrences whose inspections must be created by now; undefined when there is none. */
export const nextWork = (plan: Plan, now: string): DueOccurrence | undefined => {
  const work = nextOfAll(plan);
  return work && creationOf(plan, work) <= now ? work : undefined;
};

/**
 * When the inspections of an occurrence that is due must be created. Occurrences that are held earlier, because of
 * holidays, are found before: the first of these decides, since they are created in the order of the rule.
 * @param heldOn as in `holidays.ts`
 */
export const creationBefore = (
  plan: Plan,
  due: DueOccurrence,
  now: string,
  heldOn: (date: string) => string | null,
): string => {
  if (plan.on_holiday !== 'before' || due.by === 'move') return now;
  const soon: DueOccurrence[] = [];
  for (const each of startingAfter(plan, plan.handled_until)) {
    const next: DueOccurrence = { ...each, by: 'rule' };
    if (creationOf(plan, next) > now) break;
    soon.push(next);
  }
  const times = [due, ...soon].flatMap((each) => {
    const held = heldOn(each.occurrence_date);
    if (held === null) return [];
    const shift = Date.parse(held) - Date.parse(each.occurrence_date);
    return msAfter(each.starts_at, shift - plan.create_ahead_days * DAY_MS);
  });
  return times.toSorted()[0] ?? now;
};

/** The plan after an occurrence was created. */
export const afterWork = <P extends Plan>(plan: P, { occurrence_date, starts_at, by }: DueOccurrence): P => ({
  ...plan,
  ...(by === 'rule' && { handled_until: starts_at }),
  ...(by === 'restoration' && { restored: plan.restored.filter((date) => date !== occurrence_date) }),
  overrides: plan.overrides.map((override) =>
    override.occurrence_date === occurrence_date ? { ...override, is_settled: true } : override,
  ),
});

const latest = (one: string, other = ''): string => (one > other ? one : other);

/** What is dealt with when everything that starts up to now is. */
const passedProgress = (plan: Plan, now: string): Pick<Plan, 'handled_until' | 'passed_until'> => {
  const initial = initialProgress(plan, now);
  return { ...initial, handled_until: latest(plan.handled_until, initial.handled_until) };
};

/** The plan without the occurrences that have started by now: they were missed, for example during a pause. */
export const passOver = <P extends Plan>(plan: P, now: string): P => ({
  ...plan,
  ...passedProgress(plan, now),
  restored: restoredWork(plan).flatMap(({ occurrence_date, starts_at }) =>
    starts_at > passedBy(plan, now) ? [occurrence_date] : [],
  ),
  overrides: plan.overrides.map((override) =>
    override.action === 'move' && override.new_at! <= now ? { ...override, is_settled: true } : override,
  ),
});

/** What is dealt with when everything ahead is open again. What should have been created before is not lost. */
const openProgress = (plan: Plan, now: string): Pick<Plan, 'handled_until' | 'passed_until'> => {
  const { handled_until: reached } = initialProgress(plan, now);
  const handled_until = plan.handled_until < reached ? plan.handled_until : reached;
  if (!isByPlace(plan)) return { handled_until };
  const next = startingAfter(plan, plan.handled_until).next().value;
  const isBehind = next !== undefined && next.starts_at < now;
  return { handled_until, passed_until: (isBehind && plan.passed_until) || now };
};

/**
 * The plan after its rule or its locations have changed. It applies to occurrences without inspections: those that
 * start from now on, and those that should have got their inspections before. Overrides of occurrences that the rule
 * dropped are removed.
 */
export const replan = <P extends Plan>(plan: P, now: string): P => {
  const today = localDate(now, plan.recurrence.timezone);
  return {
    ...plan,
    ...openProgress(plan, now),
    ...(plan.handled_until > now && { created_until: latest(plan.handled_until, plan.created_until) }),
    overrides: plan.overrides.filter(
      ({ occurrence_date, is_settled }) =>
        is_settled || occurrence_date < today || occurrenceOn(plan, occurrence_date) !== undefined,
    ),
  };
};

/** What a schedule will do next. */
export interface Outlook {
  /** When its next occurrence starts. */
  next_occurrence_at: string | null;
  /** When the generator has something to do; undefined when it never has. */
  due_at: string | undefined;
}

/** What a schedule will do next, as if it were active. A schedule with nothing left to do has ended. */
export const outlook = (plan: Plan, now: string): Outlook => {
  // Of the starts at the places, that by the schedule's own time zone is shown.
  const shown: Plan = { ...plan, timezone: null };
  const upcoming = earliest([
    ...movedWork({
      ...plan,
      overrides: plan.overrides.map((each) => ({ ...each, is_settled: false })),
    }).filter(({ starts_at }) => starts_at > now),
    ...[firstFree(shown, now)].flatMap((occurrence) => occurrence ?? []),
  ]);
  const work = nextOfAll(plan);
  const next_occurrence_at = upcoming?.starts_at ?? null;
  const [due_at] = [next_occurrence_at, work && creationOf(plan, work)]
    .filter((at) => typeof at === 'string')
    .toSorted();
  return { next_occurrence_at, due_at };
};
