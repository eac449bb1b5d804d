import type { Caller } from '../../base/caller.ts';
import { canBeHidden } from '../../domain/content/conditions/dependencies.ts';
import type { Evaluation } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex, FieldPlace } from '../../domain/content/content-index.ts';
import {
  findingSeverity,
  type FindingTexts,
  findingTexts,
  isGradedByOptions,
  unitLocation,
} from '../../domain/content/new-finding.ts';
import { namedText } from '../../domain/content/piping.ts';
import { references } from '../../domain/content/values/references.ts';
import { countsByCalendar, followsSeverity, type PlaceCalendar } from '../../domain/due-dates.ts';
import type { Audience } from '../../domain/notifications/notices.ts';
import { notifyOfAll } from '../../notices/notify.ts';
import type { Severity } from '../../schemas/common.ts';
import type { Work } from '../../table/change.ts';
import type {
  StoredAction,
  StoredAnswer,
  StoredFinding,
  StoredInspection,
} from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRows, type Row, withoutKeys } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import {
  findingChange,
  findingKey,
  findingRemoval,
  isUntouched,
  newFinding,
  nextFindingNumbers,
} from '../findings/records.ts';
import {
  automaticActionKey,
  MAX_REGRADING_WRITES,
  maxAutomaticWrites,
  nextActionNumbers,
  regradedAction,
} from '../rows/corrective-action-records.ts';
import type { LoadedRows } from './loaded-rows.ts';

/** The texts of a new finding of an answer to a field, in an instance. */
type FindingTextsOf = (place: FieldPlace, path: string) => FindingTexts;

/**
 * The texts of new findings, with people, clients and locations by their names. Calls: one for each hundred names, none
 * when the texts show none.
 */
const readFindingTexts = async (
  caller: Caller,
  evaluation: Evaluation,
  created: readonly { place: FieldPlace; instance_path: string }[],
): Promise<FindingTextsOf> => {
  const named = new Map<string, ReturnType<typeof keys.one<'MEMBER' | 'CLIENT' | 'LOCATION'>>>();
  for (const { place, instance_path } of created)
    findingTexts(evaluation, place, instance_path, (question, value) => {
      const { user_ids, client_account_ids, location_ids } = references(question, value);
      for (const id of user_ids) named.set(id, keys.one(caller, 'MEMBER', id));
      for (const id of client_account_ids) named.set(id, keys.one(caller, 'CLIENT', id));
      for (const id of location_ids) named.set(id, keys.one(caller, 'LOCATION', id));
      return '';
    });
  const rows = await getRows(caller, [...named.values()]);
  const names = new Map([...named.keys()].flatMap((id, n) => (rows[n] ? [[id, rows[n].name]] : [])));
  const textOf = namedText(evaluation.index, names);
  return (place, path) => findingTexts(evaluation, place, path, textOf);
};

/** How the finding of a field changes with its answer; undefined for no change, which is the usual case. */
export type Consequence =
  | { act: 'create' }
  | { act: 'remove'; finding: Row<StoredFinding>; action: Row<StoredAction> | undefined }
  | { act: 'mark' | 'unmark'; finding: Row<StoredFinding> }
  | {
      act: 'grade';
      finding: Row<StoredFinding>;
      severity: Severity;
      /** The action that was created with it, where that follows the severity. */
      action: Row<StoredAction> | undefined;
    }
  | undefined;

/** The rows that decide on a consequence: the answer's finding, and the action that was created with it. */
export const findingKeys = (caller: Caller, inspectionId: string, findingId: string | null): Key[] =>
  findingId
    ? [findingKey(caller, inspectionId, findingId), automaticActionKey(caller, inspectionId, findingId)]
    : [];

type WithEarlierFinding = { earlier_finding?: StoredAnswer['earlier_finding'] | undefined };

/** The row of the finding that an earlier inspection may still have open at the field of a record. */
export const earlierFindingKeys = (
  caller: Caller,
  { earlier_finding }: WithEarlierFinding = {},
): Key<StoredFinding>[] =>
  earlier_finding ? [findingKey(caller, earlier_finding.inspection_id, earlier_finding.id)] : [];

/** Whether an earlier inspection has found the same defect, and its finding is still open. */
const isFoundEarlier = (caller: Caller, answer: WithEarlierFinding, rows: LoadedRows): boolean =>
  earlierFindingKeys(caller, answer).some((key) => rows.get(key)?.status === 'open');

/** Whether a failed answer to the field creates a finding. */
export const createsFinding = ({ field }: FieldPlace): boolean => field.finding?.create === 'auto';

/** Whether conditions decide on the findings of a field: while they hide it, its answer counts for nothing. */
export const isHideable = (index: ContentIndex, place: FieldPlace): boolean =>
  createsFinding(place) && canBeHidden(index, place);

/** The action that the template asks for when an answer to the field fails. */
const actionRule = ({ field }: FieldPlace) => field.finding?.corrective_action ?? null;

/** Whether the field's automatic actions change with the severity of their findings. */
const isActionGraded = (place: FieldPlace): boolean => {
  const rule = actionRule(place);
  return rule !== null && followsSeverity(rule);
};

/** Whether the finding of an answer may have to change with it. */
export const mayMatter = (
  index: ContentIndex,
  { field }: FieldPlace,
  before: { is_failed: boolean } | undefined,
  after: { is_failed: boolean } | undefined,
): boolean => {
  const [was, is] = [before?.is_failed ?? false, after?.is_failed ?? false];
  return was !== is || (is && isGradedByOptions(index, field));
};

/**
 * The change that makes a finding agree with its answer. The rows of `findingKeys` and `earlierFindingKeys` are loaded.
 * @param answer its current state, with its finding so far. The answer to a hidden question counts as one that does not
 * fail.
 * @param mayRemove whether a finding that nobody has worked on is removed when the answer no longer fails, and gets the
 * answer's severity; otherwise it is kept and marked, or removed where an earlier finding of the same defect is open
 */
export const consequenceOf = (
  caller: Caller,
  inspectionId: string,
  place: FieldPlace,
  answer: Pick<StoredAnswer, 'is_failed' | 'finding_id'> &
    WithEarlierFinding & { severity?: Severity | undefined },
  mayRemove: boolean,
  rows: LoadedRows,
): Consequence => {
  const { is_failed, finding_id, severity } = answer;
  const finding = finding_id ? rows.get(findingKey(caller, inspectionId, finding_id)) : undefined;
  if (!finding) {
    const isNew = is_failed && createsFinding(place) && !isFoundEarlier(caller, answer, rows);
    return isNew ? { act: 'create' } : undefined;
  }
  const action = rows.get(automaticActionKey(caller, inspectionId, finding.id));
  const isUnworked = isUntouched(finding, action);
  const isOurs = mayRemove && isUnworked;
  if (is_failed) {
    const isSecond = !mayRemove && isUnworked && isFoundEarlier(caller, answer, rows);
    if (isSecond) return { act: 'remove', finding, action };
    if (finding.trigger_cleared) return { act: 'unmark', finding };
    const isGraded = isOurs && severity !== undefined && severity !== finding.severity;
    if (!isGraded) return undefined;
    return { act: 'grade', finding, severity, action: isActionGraded(place) ? action : undefined };
  }
  if (isOurs) return { act: 'remove', finding, action };
  return finding.trigger_cleared ? undefined : { act: 'mark', finding };
};

/** The maximum number of writes that a consequence needs. */
export const maxWritesOf = (consequence: Consequence, place: FieldPlace, audience: Audience): number => {
  if (!consequence) return 0;
  if (consequence.act === 'remove') return 5 + (consequence.action ? maxAutomaticWrites() : 0);
  if (consequence.act === 'grade') return 2 + (consequence.action ? MAX_REGRADING_WRITES : 0);
  if (consequence.act !== 'create') return 2;
  return 6 + audience.user_ids.length + (actionRule(place) ? maxAutomaticWrites() : 0);
};

/**
 * Numbers that were taken for new findings and actions. A number is never given back, so the next attempt at a change
 * uses the numbers that the last attempt has taken.
 */
export interface TakenNumbers {
  findings: number[];
  actions: number[];
}

export const noNumbers = (): TakenNumbers => ({ findings: [], actions: [] });

interface NextNumber {
  finding: () => number;
  action: () => number;
}

/** The numbers for new findings and their actions. Missing ones are taken. */
const numbersFor = async (
  caller: Caller,
  { findings, actions }: TakenNumbers,
  created: readonly FieldPlace[],
): Promise<NextNumber> => {
  const take = async (
    taken: number[],
    count: number,
    firstOf: (caller: Caller, count: number) => Promise<number>,
  ) => {
    const missing = count - taken.length;
    if (missing <= 0) return;
    const first = await firstOf(caller, missing);
    taken.push(...Array.from({ length: missing }, (_, position) => first + position));
  };
  const withAction = created.filter(actionRule);
  await Promise.all([
    take(findings, created.length, nextFindingNumbers),
    take(actions, withAction.length, nextActionNumbers),
  ]);
  const [unusedFindings, unusedActions] = [findings.values(), actions.values()];
  return { finding: () => unusedFindings.next().value!, action: () => unusedActions.next().value! };
};

/** An answer in one instance, and how its finding changes. */
export interface AnswerWithConsequence {
  place: FieldPlace;
  instance_path: string;
  /** Its finding so far. */
  finding_id: string | null;
  /** When it was given: by the client's clock where that is known, else when it was saved. Null without an answer. */
  visited_at: string | null;
  /** Who has given it. Its finding is theirs when no member creates it: a witness who signs may show its question. */
  answered_by?: string | null;
  consequence: Consequence;
}

/** When an answer was given, as `AnswerWithConsequence` has it. */
export const visitTime = (
  answer: Pick<StoredAnswer, 'client_answered_at' | 'answered_at'> | undefined,
): string | null => answer?.client_answered_at ?? answer?.answered_at ?? null;

/** The effect of one answer's consequence. */
interface Effect {
  writes: Write[];
  /** By how much the inspection's counters change. */
  findings_count: number;
  open_corrective_actions_count: number;
  /** The answer's finding from now on. */
  finding_id: string | null;
  /** The finding that it creates. */
  created?: StoredFinding;
}

interface Context {
  work: Work;
  inspection: StoredInspection;
  /** Who is notified of new findings. */
  audience: Audience;
  /** Evaluates all answers after the change. It is called only when a finding is created. */
  evaluated: () => Promise<Evaluation>;
}

/** Values for the creation of findings, beside the context. */
interface Creation {
  numbers: NextNumber;
  evaluation: Evaluation;
  textsOf: FindingTextsOf;
}

/** The calendar of a location; null for that of the organization. */
type CalendarOf = (location_id: string | null) => PlaceCalendar | undefined;

/** The location of an answer's finding. */
const locationOf = (
  { inspection }: Context,
  { place, instance_path, consequence }: AnswerWithConsequence,
  creation: Creation | undefined,
): string | null => {
  const own =
    consequence?.act === 'grade'
      ? consequence.finding.location_id
      : unitLocation(creation!.evaluation, place, instance_path);
  return own ?? inspection.location_id;
};

/** The calendars by which automatic actions become due. One call for 100 locations; none when no rule needs one. */
const readCalendars = async (
  context: Context,
  answers: readonly AnswerWithConsequence[],
  creation: Creation | undefined,
): Promise<CalendarOf> => {
  const { work } = context;
  const counting = answers.filter(({ place, consequence }) => {
    const rule = actionRule(place);
    const isDated = consequence?.act === 'create' || (consequence?.act === 'grade' && consequence.action);
    return rule && isDated && countsByCalendar(rule);
  });
  if (counting.length === 0) return () => undefined;
  const ids = [...new Set(counting.flatMap((answer) => locationOf(context, answer, creation) ?? []))];
  const [organization, ...locations] = await getRows(work, [
    keys.organization(work),
    ...ids.map((id) => keys.one(work, 'LOCATION', id)),
  ]);
  const zones = new Map(ids.map((id, position) => [id, locations[position]?.timezone]));
  const { timezone, weekend_days } = organization!;
  return (id) => ({ timezone: (id !== null && zones.get(id)) || timezone, weekend_days });
};

const creationEffect = (
  { work: changing, inspection }: Context,
  { place, instance_path, visited_at, answered_by }: AnswerWithConsequence,
  { numbers, evaluation, textsOf }: Creation,
  calendarOf: CalendarOf,
): Effect => {
  const user_id = changing.user_id || (answered_by ?? inspection.created_by);
  const work = { ...changing, user_id };
  const { label, action_title } = textsOf(place, instance_path);
  const rule = actionRule(place);
  const location_id = unitLocation(evaluation, place, instance_path);
  const { finding, writes } = newFinding(
    work,
    numbers.finding(),
    inspection,
    {
      label,
      severity: findingSeverity(evaluation.index, place, evaluation.answerOf(place, instance_path)?.value),
      section_id: place.section.id,
      field_id: place.field.id,
      instance_path,
      location_id,
      origin: 'auto',
    },
    rule
      ? {
          rule,
          visited_at: visited_at ?? work.now,
          calendar: calendarOf(location_id ?? inspection.location_id),
          title: action_title!,
          number: numbers.action(),
        }
      : undefined,
  );
  return {
    writes,
    findings_count: 1,
    open_corrective_actions_count: rule ? 1 : 0,
    finding_id: finding.id,
    created: finding,
  };
};

/** The severity that the answer gives a finding that nobody has worked on, and what follows from it. */
const gradingWrites = (
  { work, inspection }: Context,
  { place, visited_at }: AnswerWithConsequence,
  { finding: row, severity, action }: Extract<Consequence, { act: 'grade' }>,
  calendarOf: CalendarOf,
): Write[] => {
  const graded = { severity, graded_version: row.version + 1 };
  const { finding, writes } = findingChange(work, withoutKeys(row), graded, inspection);
  if (!action) return writes;
  const calendar = calendarOf(finding.location_id ?? inspection.location_id);
  const origin = { rule: actionRule(place)!, visited_at: visited_at ?? work.now, calendar };
  return [...writes, ...regradedAction(work, withoutKeys(action), inspection, finding, origin)];
};

const effectOf = (
  context: Context,
  answer: AnswerWithConsequence,
  creation: Creation | undefined,
  calendarOf: CalendarOf,
): Effect => {
  const { consequence, finding_id } = answer;
  const unchanged = { writes: [], findings_count: 0, open_corrective_actions_count: 0, finding_id };
  if (!consequence) return unchanged;
  if (consequence.act === 'create') return creationEffect(context, answer, creation!, calendarOf);
  if (consequence.act === 'grade')
    return { ...unchanged, writes: gradingWrites(context, answer, consequence, calendarOf) };
  const { work } = context;
  const { finding, act } = consequence;
  if (act === 'remove') {
    return {
      writes: findingRemoval(work, context.inspection, finding, consequence.action),
      findings_count: -1,
      open_corrective_actions_count: consequence.action ? -1 : 0,
      finding_id: null,
    };
  }
  const changes = { trigger_cleared: act === 'mark' };
  return {
    ...unchanged,
    writes: findingChange(work, withoutKeys(finding), changes, context.inspection).writes,
  };
};

/** The effects of several answers' consequences. */
export interface Effects {
  /** Each answer's finding from now on, in the answers' order. */
  findingIds: (string | null)[];
  writes: Write[];
  /** By how much the inspection's counters change. */
  counts: Pick<Effect, 'findings_count' | 'open_corrective_actions_count'>;
}

/** Calls: those of `evaluated`, and one for each of these: numbers of findings, numbers of actions, names in texts. */
const creationOf = async (
  { work, evaluated }: Context,
  created: readonly AnswerWithConsequence[],
  taken: TakenNumbers,
): Promise<Creation | undefined> => {
  if (created.length === 0) return undefined;
  const evaluation = await evaluated();
  const [numbers, textsOf] = await Promise.all([
    numbersFor(
      work,
      taken,
      created.map(({ place }) => place),
    ),
    readFindingTexts(work, evaluation, created),
  ]);
  return { numbers, evaluation, textsOf };
};

/** The effects of these answers' consequences. Calls: as `creationOf` and `readCalendars`; usually none. */
export const effectsOf = async (
  context: Context,
  answers: readonly AnswerWithConsequence[],
  taken: TakenNumbers,
): Promise<Effects> => {
  const created = answers.filter(({ consequence }) => consequence?.act === 'create');
  const creation = await creationOf(context, created, taken);
  const calendarOf = await readCalendars(context, answers, creation);
  const effects = answers.map((answer) => effectOf(context, answer, creation, calendarOf));
  const total = (counter: keyof Effects['counts']) =>
    effects.reduce((sum, effect) => sum + effect[counter], 0);
  const { work, inspection, audience } = context;
  const findings = effects.flatMap(({ created: finding }) => (finding ? [{ inspection, finding }] : []));
  return {
    findingIds: effects.map(({ finding_id }) => finding_id),
    writes: [
      ...effects.flatMap(({ writes }) => writes),
      ...notifyOfAll(work, 'findingCreated', findings, audience),
    ],
    counts: {
      findings_count: total('findings_count'),
      open_corrective_actions_count: total('open_corrective_actions_count'),
    },
  };
};
