import type { MissingForSchedule, Schedule, ScheduleProblem } from '../../schemas/schedules/schedule.ts';
import { inspectsAssets } from './assets.ts';

/** Something that a schedule names and that is not there, as it is stored. */
export interface Problem {
  kind: MissingForSchedule['kind'];
  resource_id: string;
  /** ISO 8601 in UTC. */
  since: string;
}

/** A problem as it is found. */
export type Found = Omit<Problem, 'since'>;

/** What decides what is wrong with a schedule. */
interface Troubled extends Pick<
  Schedule,
  'template_family_id' | 'client_account_id' | 'location_ids' | 'asset_ids' | 'assignee_ids' | 'approver_id'
> {
  overrides: readonly Pick<Schedule['overrides'][number], 'assignee_ids'>[];
  problems: readonly Problem[];
  places: {
    client_account_id: string | null;
    within: string | null;
    asset_kind_id?: string;
    list: { location_count: number } | null;
    is_cut?: true;
  } | null;
}

/** Why nothing at all can be created, by the kind of what is missing. */
const STOPS: Readonly<Partial<Record<Problem['kind'], string>>> = {
  template_not_initiable: 'The template family has no published version.',
  client_account_gone: 'The client account does not exist any more.',
};

/** Whether nothing is created while this is missing. */
export const isStopping = ({ kind }: Found): boolean => STOPS[kind] !== undefined;

export const isOfLocation = ({ kind }: Found): boolean =>
  kind === 'location_deleted' || kind === 'location_inactive';

export const isSame = (one: Found, other: Found): boolean =>
  one.kind === other.kind && one.resource_id === other.resource_id;

/** The problem for which a schedule creates nothing; null for none. */
export const stoppingProblem = (schedule: Troubled): ScheduleProblem | null => {
  const { problems, location_ids } = schedule;
  for (const { kind, resource_id, since } of problems) {
    const message = STOPS[kind];
    // The kinds that stop a schedule have the same names in both lists.
    if (message) return { kind: kind as ScheduleProblem['kind'], resource_id, message, since };
  }
  // Assets may be elsewhere tomorrow.
  if (inspectsAssets(schedule)) return null;
  const places = problems.filter(isOfLocation);
  const count = schedule.places ? (schedule.places.list?.location_count ?? 1) : location_ids.length;
  if (places.length === 0 || places.length < count) return null;
  return {
    kind: 'location_gone',
    resource_id: places[0]!.resource_id,
    message: 'None of the locations is left: each was deleted or is inactive.',
    since: places
      .map(({ since }) => since)
      .toSorted()
      .at(-1)!,
  };
};

/** Problems as clients see them. */
export const listed = ({ problems }: Troubled): MissingForSchedule[] =>
  problems.map((problem) => ({
    kind: problem.kind,
    location_id: isOfLocation(problem) ? problem.resource_id : null,
    user_id: problem.kind.endsWith('_left') ? problem.resource_id : null,
    since: problem.since,
  }));

/** What is found now, each with the time since when it is known. @param known what was found before */
export const withTimes = (found: readonly Found[], known: readonly Problem[], now: string): Problem[] =>
  found.map((each) => ({ ...each, since: known.find((before) => isSame(before, each))?.since ?? now }));

/** A schedule that lists these as well. */
export const withFound = <S extends Troubled>(schedule: S, found: readonly Found[], now: string): S => {
  const { problems } = schedule;
  const more = found.filter((each) => !problems.some((known) => isSame(known, each)));
  if (more.length === 0) return schedule;
  return { ...schedule, problems: [...problems, ...withTimes(more, [], now)] };
};

/** A schedule that lists nothing of this resource. */
export const withoutResource = <S extends Troubled>(schedule: S, id: string): S => {
  const { problems } = schedule;
  const others = problems.filter(({ resource_id }) => resource_id !== id);
  return others.length === problems.length ? schedule : { ...schedule, problems: others };
};

/** A schedule that lists nothing of any location. */
export const withoutPlaces = <S extends Troubled>(schedule: S): S =>
  schedule.problems.some(isOfLocation)
    ? { ...schedule, problems: schedule.problems.filter((problem) => !isOfLocation(problem)) }
    : schedule;

/** A schedule without problems of what it does not name any more. */
export const withoutSolved = <S extends Troubled>(schedule: S): S => {
  const { template_family_id, client_account_id, location_ids, assignee_ids, approver_id } = schedule;
  const named = new Set([
    template_family_id,
    client_account_id,
    approver_id,
    ...location_ids,
    ...assignee_ids,
    schedule.places?.within,
    schedule.places?.client_account_id,
    ...schedule.overrides.flatMap((override) => override.assignee_ids ?? []),
  ]);
  const isList = schedule.places?.list || schedule.asset_ids.length > 0;
  const problems = schedule.problems.filter(
    (problem) =>
      named.has(problem.resource_id) ||
      (isList && isOfLocation(problem)) ||
      (problem.kind === 'too_many_places' && schedule.places?.is_cut),
  );
  return problems.length === schedule.problems.length ? schedule : { ...schedule, problems };
};

/** What may be missing while a schedule creates the rest. */
export type MissingKind = Exclude<
  Problem['kind'],
  'template_not_initiable' | 'client_account_gone' | 'too_many_places'
>;

const isMissing = (problem: Problem): problem is Problem & { kind: MissingKind } =>
  !isStopping(problem) && problem.kind !== 'too_many_places';

/** Problems of which nobody was told, in the order in which they are told: what stops a schedule first. */
export interface News {
  stop: ScheduleProblem | null;
  /** What is missing beside it, by its kind. */
  missing: ReadonlyMap<MissingKind, string[]>;
  isUnassigned: boolean;
}

/** What members must be told after the problems of a schedule have changed. */
export const newsOf = (before: Troubled, after: Troubled): News => {
  const [was, is] = [stoppingProblem(before), stoppingProblem(after)];
  const stop = is && !(was && was.kind === is.kind && was.resource_id === is.resource_id) ? is : null;
  const known = before.problems;
  const fresh = after.problems.filter((each) => !known.some((other) => isSame(other, each)));
  const missing = new Map<MissingKind, string[]>();
  for (const problem of fresh) {
    if (!isMissing(problem)) continue;
    const { kind, resource_id } = problem;
    // That no location is left says it of each.
    if (stop?.kind === 'location_gone' && isOfLocation(problem)) continue;
    missing.set(kind, [...(missing.get(kind) ?? []), resource_id]);
  }
  const gone = new Set(
    after.problems.flatMap(({ kind, resource_id }) => (kind === 'assignee_left' ? [resource_id] : [])),
  );
  return { stop, missing, isUnassigned: after.assignee_ids.every((id) => gone.has(id)) };
};
