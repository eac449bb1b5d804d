import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/api-error.ts';
import { type Caller, viaKey } from '../../base/caller.ts';
import { canonicalJson } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import type { Evaluation, KnownAnswer } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex, FieldPlace, Instance } from '../../domain/content/content-index.ts';
import { type AnswerEntry, mediaProblems, readAnswer } from '../../domain/content/entry.ts';
import { type Hold, holdsBefore } from '../../domain/content/holds.ts';
import { pathsBelow } from '../../domain/content/instances.ts';
import { withAnswers } from '../../domain/content/piping.ts';
import { referencesIn } from '../../domain/content/text-references.ts';
import { isJudged, judgeAnswer } from '../../domain/content/validity.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { references } from '../../domain/content/values/references.ts';
import * as documents from '../../files/documents.ts';
import { audienceKey } from '../../notices/notify.ts';
import type { AnswerRecord, BatchedAnswer } from '../../schemas/inspections/answer.ts';
import { type Decision, MAX_TRANSACTION_WRITES, type Work } from '../../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import type { StoredLocation } from '../../table/entities/organization.ts';
import { standingFor } from '../../table/former-locations.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { answerReferences, type Reference, reference } from '../../table/references.ts';
import type { Row } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { expectAnswerable } from '../rows/acting.ts';
import { placeOf } from '../rows/inspection-records.ts';
import { AnswerBatch, MAX_RECORDS } from './answer-batch.ts';
import {
  createsFinding,
  earlierFindingKeys,
  findingKeys,
  isHideable,
  mayMatter,
  type TakenNumbers,
} from './consequences.ts';
import { formerAnswer } from './history.ts';
import { toRecord } from './lists.ts';
import { inspectionIn, inspectionKeys, type LoadedRows } from './loaded-rows.ts';

/** `client_mutation_id`s that a record remembers. The oldest are forgotten first. */
const MAX_MUTATION_IDS = 50;

/** An answer of a request, checked against the content. */
export interface SentAnswer {
  sent: Omit<BatchedAnswer, 'expected_version'>;
  expectedVersion: number | undefined;
  place: FieldPlace;
  /** Undefined when the field has no such instance. */
  instance?: Instance;
  /** The key of the record; undefined when the field has no such instance. */
  key?: Key<StoredAnswer>;
  /** Undefined when there are problems. */
  entry?: AnswerEntry;
  problems: Problem[];
  /** Resources that the answer names. */
  references: Reference[];
}

/** The result of `attempt`, or the ApiError that it throws. */
const tried = <Result>(attempt: () => Result): Result | ApiError => {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};

/** Checks an answer against the content. An ApiError 400 is returned when the content does not have the field. */
export const readSent = (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  { expected_version, ...sent }: BatchedAnswer,
): SentAnswer | ApiError =>
  tried(() => {
    const place = placeOf(index, sent.field_id, sent.section_id);
    const answer = readAnswer(index, place, sent);
    const { instance, entry } = answer;
    return {
      sent,
      expectedVersion: expected_version,
      place,
      ...answer,
      ...(instance && { key: keys.answer(caller, inspectionId, sent.field_id, instance.instance_path) }),
      references: entry
        ? [
            ...answerReferences(caller, 'value', references(place.field, entry.value)),
            ...entry.media.flatMap(({ document_id }) => reference(caller, 'media', 'DOCUMENT', document_id)),
          ]
        : [],
    };
  });

/**
 * When the answer was given, by the client's clock.
 * @param same the record that holds the same answer already. It keeps its time when the request has none.
 */
const clientTimeOf = (
  { client_answered_at }: SentAnswer['sent'],
  entry: AnswerEntry,
  same: StoredAnswer | undefined,
): string | null => {
  if (!isAnswered(entry)) return null;
  return (client_answered_at === undefined ? same?.client_answered_at : client_answered_at) ?? null;
};

/** Who has given an answer, and when it was saved. Nobody has given one that is cleared; a witness is no member. */
const answeredBy = (work: Work, entry: AnswerEntry) =>
  isAnswered(entry)
    ? { answered_by: work.user_id || null, answered_at: work.now, ...viaKey(work) }
    : { answered_by: null, answered_at: null };

/**
 * The record after the answer is saved. Saving confirms a prefilled record. A record that holds this answer already
 * only remembers the mutation, so that a repeated request changes nothing. Undefined when there is nothing to remember.
 */
const recordWith = (
  work: Work,
  sent: SentAnswer['sent'],
  instance: Instance,
  entry: AnswerEntry,
  current: StoredAnswer | undefined,
): StoredAnswer | undefined => {
  const { section_id, field_id, client_mutation_id } = sent;
  const same =
    current && !current.is_prefilled && isDeepStrictEqual({ ...current, ...entry }, current)
      ? current
      : undefined;
  const client_answered_at = clientTimeOf(sent, entry, same);
  const isSame = same !== undefined && same.client_answered_at === client_answered_at;
  // What is said again later was not said before what arrives in between.
  const known = isSame ? (same.said_at ?? same.client_answered_at ?? undefined) : undefined;
  const said_at = sent.client_answered_at ?? known;
  const isSaidAgain = isSame && said_at !== known;
  if (isSame && !isSaidAgain && client_mutation_id === undefined) return undefined;
  const mutations = [...(current?.mutation_ids ?? []), ...(client_mutation_id ? [client_mutation_id] : [])];
  const mutation_ids = mutations.slice(-MAX_MUTATION_IDS);
  if (isSame) return { ...same, mutation_ids, ...(said_at && { said_at }) };
  const fields = {
    ...entry,
    ...answeredBy(work, entry),
    client_answered_at,
    mutation_ids,
    ...(said_at && { said_at }),
  };
  if (current) {
    const { is_prefilled: _, acted_via_key_id: _via, said_at: _said, ...confirmed } = current;
    return nextVersion<StoredAnswer>(work, confirmed, fields);
  }
  return newResource(work, { section_id, field_id, ...instance, ...fields, finding_id: null });
};

/** What an answer says, for comparisons. */
const saidIn = ({ value, note, is_na, media }: AnswerEntry): string =>
  canonicalJson({ value, note, is_na, media });

/** Whether a sent answer was given earlier than the stored one, so that it arrives too late. */
const isLate = (
  { sent, expectedVersion }: Pick<SentAnswer, 'sent' | 'expectedVersion'>,
  current: StoredAnswer | undefined,
): boolean => {
  const standing = current?.said_at ?? current?.client_answered_at;
  if (!current || !standing || !sent.client_answered_at || expectedVersion !== undefined) return false;
  return Date.parse(sent.client_answered_at) < Date.parse(standing);
};

/** A sent answer's record after it is saved. */
interface SavedRecord {
  key: Key<StoredAnswer>;
  instance: Instance;
  /** Undefined when the answer changes nothing. */
  after: StoredAnswer | undefined;
  /** The answer, when it arrives too late to stand in the record. */
  late?: AnswerEntry;
}

/** Judges the answers of a request beside other answers. */
interface Judge {
  /** Whether the stored answers, and the answers of the request that are already saved, make this one required. */
  isRequired: (place: FieldPlace, instancePath: string) => boolean;
  /** The title of a section that must be signed before the answer is taken; undefined for none. */
  heldBy: (place: FieldPlace) => string | undefined;
  /** The problems of an answer that is valid for its field, beside the other answers. */
  problemsOf: (place: FieldPlace, instancePath: string, entry: AnswerEntry) => Problem[];
  /** The problems of an answer. Their messages show the answers to which they refer. */
  worded: (answer: Pick<SentAnswer, 'place' | 'instance' | 'problems'>) => Problem[];
}

/**
 * A re-inspection of failed fields accepts answers to the fields that it asks again, and to fields that the answers
 * make required. Answers that it carries over cannot change.
 * @throws ApiError 409
 */
const expectAskedAgain = (
  { reinspection_scope }: StoredInspection,
  { place, instance }: SentAnswer,
  current: StoredAnswer | undefined,
  judge: Judge,
): void => {
  if (current?.is_carried_over) throw errors.answerCarriedOver();
  if (reinspection_scope !== 'failed' || current || !instance) return;
  if (!judge.isRequired(place, instance.instance_path)) throw errors.notAskedAgain();
};

/**
 * Checks an answer against what is stored, and saves it into its record. Its references are loaded. The ApiError is
 * returned: 400 for a reference to something that does not exist; 409 for a locked inspection or another version; 422
 * for a value that the field does not take.
 */
const saveInto = (
  work: Work,
  inspection: StoredInspection,
  rows: LoadedRows,
  answer: SentAnswer,
  current: StoredAnswer | undefined,
  judge: Judge,
): SavedRecord | ApiError =>
  tried(() => {
    const { sent, place, instance, key, entry, expectedVersion } = answer;
    const missing = answer.references.find(({ key: named, isMeant = () => true }) => {
      const row = rows.get(named);
      return !row || 'merged_into' in row || !isMeant(row);
    });
    if (missing) throw errors.answerReferenceNotFound(missing.field, missing.key.sk);
    expectAnswerable(work, inspection);
    expectAskedAgain(inspection, answer, current, judge);
    const held = inspection.correction_stage === null ? judge.heldBy(place) : undefined;
    if (held !== undefined) throw errors.sectionNotSigned(inspection.status, held);
    if (key) expectVersion('answer', current ?? { version: 0 }, expectedVersion);
    if (!entry || !instance || !key) throw errors.validationFailed(judge.worded(answer));
    const mimeTypeOf = (id: string) => rows.get(documents.key(work, id))!.mime_type;
    const refused = mediaProblems(place, entry, mimeTypeOf);
    if (refused.length > 0) throw errors.validationFailed(refused);
    const unmet = judge.problemsOf(place, instance.instance_path, entry);
    if (unmet.length > 0) throw errors.validationFailed(unmet);
    const isCorrection = inspection.correction_stage !== null;
    if (!isCorrection && isLate(answer, current)) {
      return { key, instance, after: undefined, late: entry };
    }
    return { key, instance, after: recordWith(work, sent, instance, entry, current) };
  });

/** The mutations of a request by the names of their records' keys, each at its first position, in their order. */
type Mutations = ReadonlyMap<string, readonly { position: number; id: string }[]>;

export const mutationsOf = (answers: readonly (SentAnswer | ApiError)[]): Mutations => {
  const mutations = new Map<string, { position: number; id: string }[]>();
  const seen = new Set<string>();
  for (const [position, answer] of answers.entries()) {
    if (answer instanceof ApiError || !answer.key || !answer.sent.client_mutation_id) continue;
    const id = answer.sent.client_mutation_id;
    const record = nameOfKey(answer.key);
    const mutation = `${record} ${id}`;
    if (seen.has(mutation)) continue;
    seen.add(mutation);
    const ofRecord = mutations.get(record) ?? [];
    mutations.set(record, ofRecord);
    ofRecord.push({ position, id });
  }
  return mutations;
};

/**
 * Tells which answers of a request were saved by an earlier request. When a record remembers one of them, the ones
 * before it were saved too, even if the record has forgotten them.
 * @param from the first position that this request has not saved yet
 */
const repeatedAnswers = (mutations: Mutations, from: number, rows: LoadedRows) => {
  /** By record, the last position that was saved earlier. */
  const lastSaved = new Map<string, number>();
  const lastSavedOf = (key: NonNullable<SentAnswer['key']>): number => {
    const name = nameOfKey(key);
    const found = lastSaved.get(name);
    if (found !== undefined) return found;
    const remembered = rows.get(key)?.mutation_ids ?? [];
    const last = mutations
      .get(name)
      ?.findLast(({ position, id }) => position >= from && remembered.includes(id));
    lastSaved.set(name, last?.position ?? -1);
    return last?.position ?? -1;
  };
  /** @param record with the answers that this request has saved so far */
  return ({ key, sent }: SentAnswer, position: number, record: StoredAnswer | undefined): boolean => {
    if (!key || !record) return false;
    const { client_mutation_id: id } = sent;
    return position <= lastSavedOf(key) || (id !== undefined && record.mutation_ids.includes(id));
  };
};

/** Documents that one answer can add and remove. Six writes are for other rows. */
const MAX_EXCHANGED_DOCUMENTS = MAX_TRANSACTION_WRITES - 6;

/** Whether one answer was saved, or why it was not, and its record afterwards. */
export type AnswerOutcome<Record = AnswerRecord> = { record?: Record | undefined } & (
  | { isSaved: boolean; isLate?: true }
  | { error: ApiError }
);

/** The answers of one request. */
interface SaveRequest {
  inspectionId: string;
  index: ContentIndex;
  answers: readonly (SentAnswer | ApiError)[];
  mutations: Mutations;
  /** No other answer of the inspection may change at the same time. */
  isExact?: true;
}

const tooManyDocuments = (): ApiError =>
  errors.validationFailed([
    {
      loc: ['body', 'value'],
      type: 'value_error',
      msg: `Value error, exchanges more documents than one save can, which is ${MAX_EXCHANGED_DOCUMENTS}`,
    },
  ]);

/** The keys of the answers that sign a section. */
const signatureKeys = (caller: Caller, inspectionId: string, { signatures }: Hold): Key<StoredAnswer>[] =>
  signatures.map(({ field }) => keys.answer(caller, inspectionId, field.id, ''));

/** Lets answers name the locations that stand for those that they name. One call for each merge. */
const followMerges = async (
  caller: Caller,
  answers: readonly SentAnswer[],
  rows: LoadedRows,
): Promise<void> => {
  for (const answer of answers) {
    const { entry, place, references: named } = answer;
    const former = named.map(({ key }) => rows.get(key)).find((row) => row && 'merged_into' in row);
    const standing = former && (await standingFor(caller, former as Row<StoredLocation>));
    if (!standing || !entry) continue;
    rows.add(keys.one(caller, 'LOCATION', standing.id), standing);
    answer.entry = { ...entry, value: standing.id };
    answer.references = answerReferences(caller, 'value', references(place.field, standing.id));
  }
};

/**
 * Loads what the decision on these answers reads, in at most two calls for 100 rows each.
 * @throws ApiError 404
 */
const loadRows = async (
  caller: Caller,
  { inspectionId, index }: SaveRequest,
  answers: readonly (SentAnswer | ApiError)[],
  rows: LoadedRows,
): Promise<StoredInspection> => {
  const valid = answers.filter((answer) => 'sent' in answer);
  const signatures = valid.flatMap(({ place: { section } }) =>
    holdsBefore(index, section.id).flatMap((hold) => signatureKeys(caller, inspectionId, hold)),
  );
  await rows.load([
    ...inspectionKeys(caller, inspectionId),
    ...valid.flatMap(({ key }) => key ?? []),
    ...signatures,
  ]);
  const inspection = inspectionIn(caller, rows, inspectionId);
  await rows.load(
    valid.flatMap(({ key, place, entry, references }) => {
      const row = key && rows.get(key);
      const matters =
        entry !== undefined &&
        (mayMatter(index, place, row, entry) ||
          // Another answer of the request may show or hide the question.
          (valid.length > 1 && entry.is_failed && isHideable(index, place)));
      return [
        ...references.map((reference) => reference.key),
        ...(matters ? findingKeys(caller, inspectionId, row?.finding_id ?? null) : []),
        ...(matters ? earlierFindingKeys(caller, row) : []),
        ...(matters && createsFinding(place) ? [audienceKey(caller, inspection.template_family_id)] : []),
      ];
    }),
  );
  await followMerges(caller, valid, rows);
  return inspection;
};

/**
 * Judges answers beside the stored ones and all others of the request, because an answer may be compared with a later
 * one. The evaluation is made once, and only for a request that needs it.
 */
const judgeOf = (work: Work, batch: AnswerBatch, request: SaveRequest): Judge => {
  const { index, answers, inspectionId } = request;
  const savedAt = Date.parse(work.now);
  let evaluation: Evaluation | undefined;
  const sent = (): KnownAnswer[] =>
    answers.flatMap((answer) =>
      'sent' in answer && answer.instance && answer.entry
        ? [{ field_id: answer.sent.field_id, ...answer.instance, ...answer.entry }]
        : [],
    );
  const evaluated = () => (evaluation ??= batch.evaluationWith(sent()));
  const worded: Judge['worded'] = ({ place: { repeats }, instance, problems }) =>
    problems.map((problem) =>
      referencesIn(problem.msg).length === 0
        ? problem
        : {
            ...problem,
            msg: withAnswers(evaluated(), problem.msg, { repeats, path: instance?.instance_path ?? '' }),
          },
    );
  return {
    worded,
    isRequired: (place, instance_path) => {
      const { instances, standingOf } = batch.evaluation();
      const isThere = pathsBelow(instances, place.repeats, instance_path).includes(instance_path);
      return isThere && standingOf(place, instance_path) === 'required';
    },
    heldBy: ({ section }) =>
      holdsBefore(index, section.id).find((hold) => {
        const isShown = (place: FieldPlace) => batch.evaluation().standingOf(place, '') !== 'hidden';
        const records = signatureKeys(work, inspectionId, hold).map((key) => batch.recordOf(key));
        const isSigned = records.some((record) => (record?.value ?? null) !== null && !record!.is_prefilled);
        return !isSigned && hold.signatures.some(isShown);
      })?.section.title,
    problemsOf: (place, instance_path, entry) => {
      if (!isJudged(index, place)) return [];
      const problems = judgeAnswer(evaluated(), place, instance_path, entry, savedAt);
      return worded({ place, instance: { instance_path, instance_index: 0 }, problems });
    },
  };
};

/**
 * Keeps the answer that another one replaces. None when the record held no answer, and in a correction, whose revisions
 * keep it.
 */
const formerOf = (
  work: Work,
  { id, correction_stage }: StoredInspection,
  record: StoredAnswer | undefined,
  after: StoredAnswer,
): Write[] => {
  const isReplaced =
    record !== undefined && !record.is_prefilled && isAnswered(record) && saidIn(record) !== saidIn(after);
  return isReplaced && correction_stage === null ? [formerAnswer(work, id, record, false)] : [];
};

/**
 * Adds one answer to the batch.
 * @returns undefined when the answer has to wait for the next transaction
 */
const addAnswer = (
  work: Work,
  inspection: StoredInspection,
  rows: LoadedRows,
  batch: AnswerBatch,
  judge: Judge,
  answer: SentAnswer,
  record: StoredAnswer | undefined,
): AnswerOutcome<StoredAnswer> | undefined => {
  const saved = saveInto(work, inspection, rows, answer, record, judge);
  if (saved instanceof ApiError) return { error: saved, record };
  const { key, instance, after, late } = saved;
  if (late) {
    const { client_answered_at = null } = answer.sent;
    const { acted_via_key_id: _via, ...standing } = record!;
    const arrived = { ...standing, ...late, ...answeredBy(work, late), client_answered_at };
    const former = isAnswered(late) ? [formerAnswer(work, inspection.id, arrived, true)] : [];
    return batch.keep(former) ? { isSaved: false, isLate: true, record } : undefined;
  }
  if (!after) return { isSaved: false, record };
  const { instance_path } = instance;
  const recordChange = batch.changeOf({ key, place: answer.place, instance_path, after });
  const former = formerOf(work, inspection, record, after);
  if (!batch.fits(recordChange, former))
    return batch.isEmpty ? { error: tooManyDocuments(), record } : undefined;
  batch.add(recordChange, former);
  return { isSaved: after.version !== record?.version, record: after };
};

/** The decision on answers, and whether it includes all changes of findings (`AnswerBatch.isWhole`). */
type AnswerDecision = Decision<AnswerOutcome[]> & Pick<AnswerBatch, 'isWhole'>;

/**
 * Decides as many answers as one transaction can save, from a position on. Several answers to one field are applied in
 * their order, and each gives the record a new version.
 * @param rows empty, or with rows that were read in this attempt
 * @param taken numbers of earlier attempts at the same transaction
 * @returns an outcome for each answer that was decided; the outcome of an invalid answer is its error
 * @throws ApiError 404
 */
export const decideAnswers = async (
  work: Work,
  request: SaveRequest,
  from: number,
  rows: LoadedRows,
  taken: TakenNumbers,
): Promise<AnswerDecision> => {
  const { index, mutations } = request;
  const answers = request.answers.slice(from, from + MAX_RECORDS);
  const inspection = await loadRows(work, request, answers, rows);
  const batch = await AnswerBatch.begin(work, inspection, index, rows, { isExact: request.isExact });
  const judge = judgeOf(work, batch, request);
  const isRepeated = repeatedAnswers(mutations, from, rows);
  const outcomes: AnswerOutcome<StoredAnswer>[] = [];
  for (const [position, answer] of answers.entries()) {
    if (answer instanceof ApiError) {
      outcomes.push({ error: answer });
      continue;
    }
    const record = answer.key && batch.recordOf(answer.key);
    const outcome = isRepeated(answer, from + position, record)
      ? { isSaved: false, record }
      : addAnswer(work, inspection, rows, batch, judge, answer, record);
    if (!outcome) break;
    outcomes.push(outcome);
  }
  const evaluation = batch.evaluation();
  const reply = outcomes.map(({ record, ...outcome }): AnswerOutcome => ({
    ...outcome,
    record: record && toRecord(evaluation, record),
  }));
  const writes = await batch.writes(taken);
  return { writes, reply, isWhole: batch.isWhole };
};
