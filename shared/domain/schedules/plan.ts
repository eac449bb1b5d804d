import type { Recurrence } from '../../schemas/recurrence.ts';
import type { ScheduleOverride, ScheduleStatus } from '../../schemas/schedules/schedule.ts';
import { addDays, localDate, occurrences, type RuleOccurrence } from '../recurrence/index.ts';

/** What decides which occurrences of a schedule get inspections, and when. Times are ISO 8601 in UTC. */
export interface Plan {
  status: ScheduleStatus;
  recurrence: Recurrence;
  starts_on: string | null;
  ends_on: string | null;
  create_ahead_days: number;
  overrides: (Pick<ScheduleOverride, 'occurrence_date' | 'action' | 'new_at'> & { is_settled: boolean })[];
  handled_until: string;
  restored: string[];
}

/** An occurrence whose inspections must be created. */
export interface DueOccurrence {
  occurrence_date: string;
  /** The actual start: the new time, if the occurrence was moved. */
  starts_at: string;
  /** Why: the rule names it, an override moves it, or an override of it was deleted. */
  by: 'rule' | 'move' | 'restoration';
}

const DAY_MS = 86_400_000;

/** The occurrences of the rule that start after a time, whatever overrides say. */
const startingAfter = function* (plan: Plan, after: string): Generator<RuleOccurrence> {
  const { recurrence } = plan;
  // An occurrence may start on the date after its own, where clocks skip the time.
  const from = addDays(localDate(after, recurrence.timezone), -1);
  for (const occurrence of occurrences(recurrence, plan, { from })) {
    if (occurrence.starts_at > after) yield occurrence;
  }
};

/** The occurrence of the rule on a date; undefined when there is none. */
export const occurrenceOn = (
  plan: Pick<Plan, 'recurrence' | 'starts_on' | 'ends_on'>,
  date: string,
): RuleOccurrence | undefined =>
  occurrences(plan.recurrence, plan, { from: date, until: date }).next().value ?? undefined;

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

const restoredWork = (plan: Plan): DueOccurrence[] =>
  plan.restored.flatMap((date) => {
    const { starts_at } = occurrenceOn(plan, date) ?? {};
    return starts_at ? [{ occurrence_date: date, starts_at, by: 'restoration' }] : [];
  });

/** The next occurrence that has to be created, however far in the future; undefined when there is none. */
const nextOfAll = (plan: Plan): DueOccurrence | undefined => {
  const regular = firstFree(plan, plan.handled_until);
  return earliest<DueOccurrence>([
    ...movedWork(plan),
    ...restoredWork(plan),
    ...(regular
      ? [{ occurrence_date: regular.occurrence_date, starts_at: regular.starts_at, by: 'rule' as const }]
      : []),
  ]);
};

/** When the inspections of an occurrence must be created. */
const creationOf = ({ create_ahead_days }: Plan, { starts_at }: DueOccurrence): string =>
  new Date(Date.parse(starts_at) - create_ahead_days * DAY_MS).toISOString();

/** The first to start of the occurrences whose inspections must be created by now; undefined when there is none. */
export const nextWork = (plan: Plan, now: string): DueOccurrence | undefined => {
  const work = nextOfAll(plan);
  return work && creationOf(plan, work) <= now ? work : undefined;
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

/** The plan without the occurrences that have started by now: they were missed, for example during a pause. */
export const passOver = <P extends Plan>(plan: P, now: string): P => ({
  ...plan,
  handled_until: plan.handled_until > now ? plan.handled_until : now,
  restored: restoredWork(plan).flatMap(({ occurrence_date, starts_at }) =>
    starts_at > now ? [occurrence_date] : [],
  ),
  overrides: plan.overrides.map((override) =>
    override.action === 'move' && override.new_at! <= now ? { ...override, is_settled: true } : override,
  ),
});

/**
 * The plan after its rule or its locations have changed. It applies to occurrences without inspections: those that
 * start from now on, and those that should have got their inspections before. Overrides of occurrences that the rule
 * dropped are removed.
 */
export const replan = <P extends Plan>(plan: P, now: string): P => {
  const today = localDate(now, plan.recurrence.timezone);
  return {
    ...plan,
    handled_until: plan.handled_until < now ? plan.handled_until : now,
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
  const upcoming = earliest([
    ...movedWork({
      ...plan,
      overrides: plan.overrides.map((each) => ({ ...each, is_settled: false })),
    }).filter(({ starts_at }) => starts_at > now),
    ...[firstFree(plan, now)].flatMap((occurrence) => occurrence ?? []),
  ]);
  const work = nextOfAll(plan);
  const next_occurrence_at = upcoming?.starts_at ?? null;
  const [due_at] = [next_occurrence_at, work && creationOf(plan, work)]
    .filter((at) => typeof at === 'string')
    .toSorted();
  return { next_occurrence_at, due_at };
};
