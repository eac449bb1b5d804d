import type { Caller } from '../../base/caller.ts';
import {
  type Evaluation,
  evaluate,
  type FieldInstance,
  hasLogic,
  type KnownAnswer,
} from '../../domain/content/conditions.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { documentsOf } from '../../domain/content/entry.ts';
import { progressChange } from '../../domain/content/progress.ts';
import { OPEN } from '../../domain/inspections/workflow.ts';
import type { AnswerRecord } from '../../schemas/inspections/answer.ts';
import * as documents from '../documents/documents.ts';
import {
  type AnswerState,
  answerName,
  answerStateWrite,
  knownAnswers,
} from '../inspection-core/answer-state.ts';
import { countIn } from '../inspection-core/parts.ts';
import { rows as inspections, type StoredInspection } from '../inspection-core/record.ts';
import { correctionStands, revisionWrites } from '../inspection-core/revisions.ts';
import { type Audience, audienceIn, audienceKey } from '../notifications/audiences.ts';
import { hasValues, oneOf } from '../table/conditions.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import {
  type Carried,
  carryOut,
  type Consequence,
  consequenceOf,
  type Numbers,
  numbersFor,
  rowsOf,
} from './answer-findings.ts';

/** As stored: what conditions and scoring make of it is found when it is shown. */
export type StoredAnswer = Omit<AnswerRecord, 'is_active' | 'score' | 'max_score'> & {
  /** The finding that its failing led to, which need not exist any more. */
  finding_id: string | null;
  /** The `client_mutation_id`s saved last, oldest first. */
  mutation_ids: string[];
};

/** A transaction's limits (Amazon DynamoDB quotas), with room for what an item holds beside its JSON. */
export const MOST_WRITES = 100;
const MOST_BYTES = 3_000_000;

/** Rows that one transaction saves when each is one write beside the inspection's two; one read fetches them all. */
export const MOST_ROWS = MOST_WRITES - 2;

export const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Rows as one attempt reads them, each once. */
export const newReader = (caller: Caller) => {
  const found = new Map<string, Row<object> | undefined>();
  return {
    load: async (wanted: readonly Key[]): Promise<void> => {
      const unread = new Map(wanted.map((key) => [nameOf(key), key]));
      for (const name of found.keys()) unread.delete(name);
      const rows = await getRows<object>(caller, [...unread.values()]);
      for (const [position, name] of [...unread.keys()].entries()) found.set(name, rows[position]);
    },
    get: <Resource>(key: Key) => found.get(nameOf(key)) as Row<Resource> | undefined,
  };
};
export type Reader = ReturnType<typeof newReader>;

/** A record from what it was to what it becomes. */
export interface Transition extends FieldInstance {
  key: Key;
  before: StoredAnswer | undefined;
  /** Undefined for a record that goes. */
  after: StoredAnswer | undefined;
  /** Of what it becomes, as JSON. */
  bytes: number;
}

/** What an attempt decides on, and what it has decided so far, by the records' names. */
export interface Attempt {
  caller: Caller;
  inspection: StoredInspection;
  index: ContentIndex;
  rows: Reader;
  /** What conditions and formulas knew before, and the row that says so; of a content that has none, nothing. */
  known: ReadonlyMap<string, KnownAnswer>;
  state: AnswerState | undefined;
  transitions: ReadonlyMap<string, Transition>;
}

/** The rows that every change of answers reads: the inspection's own, and the state of its answers. */
export const headers = (caller: Caller, inspectionId: string): Key[] => [
  inspections.key(caller, inspectionId),
  keys.answerState(caller, inspectionId),
];

/** An attempt that has decided nothing yet; the headers have been read. */
export const newAttempt = async (
  caller: Caller,
  inspection: StoredInspection,
  index: ContentIndex,
  rows: Reader,
): Promise<Attempt> => {
  const state = hasLogic(index) ? rows.get<AnswerState>(keys.answerState(caller, inspection.id)) : undefined;
  const known = await knownAnswers(caller, inspection.id, index, state);
  return { caller, inspection, index, rows, known, state, transitions: new Map() };
};

const outcomes = new WeakMap<Attempt, { known: Map<string, KnownAnswer>; evaluation: Evaluation }>();

/** Everything known of the answers as an attempt leaves them, and what conditions and formulas make of it: found once. */
export const outcomeOf = (attempt: Attempt) => {
  const found = outcomes.get(attempt);
  if (found) return found;
  const known = new Map(attempt.known);
  for (const { place, instance_path, after: answer } of attempt.transitions.values()) {
    const name = answerName(place.field.id, instance_path);
    if (answer) known.set(name, answer);
    else known.delete(name);
  }
  const evaluation = evaluate(attempt.index, known.values(), attempt.inspection.start_answers);
  const outcome = { known, evaluation };
  outcomes.set(attempt, outcome);
  return outcome;
};

/** In a correction nothing follows from an answer before that is closed. */
const isCorrection = ({ inspection }: Attempt): boolean => inspection.correction_stage !== null;

/** Whether it changes the record, rather than what the record remembers of what was sent. */
const isChange = ({ before, after }: Transition): boolean => before?.version !== after?.version;

/** Each change of an open correction is a revision; taking them back is none. */
const isRevised = ({ inspection }: Attempt): boolean => inspection.correction_stage === 'open';

const consequenceIn = (attempt: Attempt, { place, before, after }: Transition): Consequence => {
  const is_failed = after?.is_failed ?? false;
  if (isCorrection(attempt) || is_failed === (before?.is_failed ?? false)) return undefined;
  const { caller, inspection, rows } = attempt;
  const answer = { is_failed, finding_id: before?.finding_id ?? null };
  return consequenceOf(caller, inspection.id, place, answer, true, rows);
};

/** Who is told of findings, where the family has been read for it. */
const audienceOfFindings = ({ caller, inspection, rows }: Attempt): Audience =>
  audienceIn(rows.get<object>(audienceKey(caller, inspection.template_family_id)), 'on_finding');

/** How many uses of which documents begin or end. */
const documentUses = ({ transitions }: Attempt): [id: string, delta: number][] => {
  const uses = new Map<string, number>();
  const count = (ids: Iterable<string>, delta: number) => {
    for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + delta);
  };
  for (const { place, before, after } of transitions.values()) {
    if (before) count(documentsOf(place, before), -1);
    if (after) count(documentsOf(place, after), 1);
  }
  return [...uses].filter(([, delta]) => delta !== 0);
};

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Whether one transaction can write all that an attempt has decided. */
export const fits = (attempt: Attempt): boolean => {
  const transitions = [...attempt.transitions.values()];
  const audience = audienceOfFindings(attempt);
  const writes =
    MOST_WRITES -
    MOST_ROWS +
    transitions.length * (isRevised(attempt) ? 2 : 1) +
    documentUses(attempt).length +
    sum(
      transitions.map((transition) => rowsOf(consequenceIn(attempt, transition), transition.place, audience)),
    );
  return writes <= MOST_WRITES && sum(transitions.map(({ bytes }) => bytes)) <= MOST_BYTES;
};

/** That an inspection accepts answers and edits; where it does not hold, `lockedMessage` says why. */
const isOpen = oneOf('status', OPEN);

const EMPTY = { value: null, note: '', is_na: false, version: 0 };

const revisionOf = ({ place, instance_path, before, after }: Transition) => {
  const [was, is] = [before ?? EMPTY, after ?? EMPTY];
  return {
    revision: {
      answer_source: 'body' as const,
      field_id: place.field.id,
      section_id: place.section.id,
      instance_index: Number(/\[(\d+)\]$/.exec(instance_path)?.[1] ?? 0),
      instance_path,
      previous_value: was.value,
      value: is.value,
      previous_note: was.note,
      note: is.note,
      previous_is_na: was.is_na,
      is_na: is.is_na,
      version: after?.version ?? was.version + 1,
    },
    before,
  };
};

/** By how much the progress moves. */
const progressIn = (attempt: Attempt, transitions: readonly Transition[]) => {
  const { index, known, inspection } = attempt;
  // Without conditions, formulas and repeats nothing but these records themselves is needed to tell.
  const befores = hasLogic(index) ? known.values() : transitions.flatMap(({ before }) => before ?? []);
  const before = evaluate(index, befores, inspection.start_answers);
  return progressChange(before, outcomeOf(attempt).evaluation, transitions);
};

/**
 * The writes of a decided attempt.
 * @param numbers for its findings; what is missing is taken, and what was taken serves the next attempt
 */
export const writesOf = async (attempt: Attempt, numbers: Numbers): Promise<Write[]> => {
  const { caller, inspection, index, state } = attempt;
  const transitions = [...attempt.transitions.values()];
  if (transitions.length === 0) return [];
  const changes = transitions.filter(isChange);
  const consequences = transitions.map((transition) => consequenceIn(attempt, transition));
  const created = transitions.filter((_, position) => consequences[position]?.act === 'create');
  const unused = await numbersFor(
    caller,
    numbers,
    created.map(({ place }) => place),
  );
  const audience = audienceOfFindings(attempt);
  const parts = transitions.map((transition, position): Carried => {
    const consequence = consequences[position];
    const finding_id = transition.before?.finding_id ?? null;
    return consequence
      ? carryOut(caller, inspection, transition, consequence, audience, unused)
      : { writes: [], findings_count: 0, open_corrective_actions_count: 0, finding_id };
  });
  const counts = {
    answers_revision: 1,
    ...progressIn(attempt, transitions),
    findings_count: sum(parts.map(({ findings_count }) => findings_count)),
    open_corrective_actions_count: sum(
      parts.map(({ open_corrective_actions_count }) => open_corrective_actions_count),
    ),
    findings_revision: Number(parts.some(({ writes }) => writes.length > 0)),
    correction_revisions: isRevised(attempt) ? changes.length : 0,
  };
  const records = transitions.flatMap(({ key, before, after }, position) => {
    if (!after) return before ? [write.remove(key, before.version)] : [];
    const row = { ...after, finding_id: parts[position]!.finding_id, ...key };
    if (!before) return [write.create(row)];
    // What is remembered, and the finding that a closing correction makes, move without the version.
    const { version, mutation_ids, finding_id } = before;
    return [write.replace(row, hasValues({ version, mutation_ids, finding_id }))];
  });
  if (changes.length === 0) return records;
  return [
    countIn(caller, inspection.id, counts, isCorrection(attempt) ? correctionStands(inspection) : isOpen),
    ...(hasLogic(index)
      ? [answerStateWrite(caller, inspection.id, index, outcomeOf(attempt).known.values(), state)]
      : []),
    ...records,
    ...(isRevised(attempt) ? revisionWrites(caller, inspection, changes.map(revisionOf)) : []),
    ...parts.flatMap(({ writes }) => writes),
    // A document deleted meanwhile is found missing when the answer is decided again.
    ...documentUses(attempt).map(([id, delta]): Write => ({
      ...documents.use(caller, id, delta, 'value'),
      otherwise: () => 'stale',
    })),
  ];
};
