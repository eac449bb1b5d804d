import { isDeepStrictEqual } from 'node:util';
import { v5 as uuidv5 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { ApiError, badRequest, conflict, notFound, unprocessable } from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { type Evaluation, evaluate } from '../../domain/content/conditions.ts';
import {
  type ContentIndex,
  type FieldPlace,
  type Instance,
  instanceWithin,
  type RepeatSection,
} from '../../domain/content/content-index.ts';
import { type AnswerEntry, mediaProblems, readAnswer } from '../../domain/content/entry.ts';
import { pathsBelow } from '../../domain/content/instances.ts';
import { shareOf } from '../../domain/content/scoring.ts';
import { isAnswered, isFailed, references } from '../../domain/content/values.ts';
import { acceptsAnswers, lockedMessage } from '../../domain/inspections/workflow.ts';
import type {
  AnswerQuery,
  AnswerRecord,
  AnswerResult,
  BatchedAnswer,
  NewAnswer,
} from '../../schemas/inspections/answer.ts';
import * as documents from '../documents/documents.ts';
import { placeOf } from '../inspection-core/parts.ts';
import { rows as inspections, type StoredInspection } from '../inspection-core/record.ts';
import { audienceKey } from '../notifications/audiences.ts';
import { change, type Decision } from '../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { type Key, keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { answerReferences, type Reference, reference } from '../table/references.ts';
import { queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import {
  type Attempt,
  fits,
  headers,
  MOST_ROWS,
  MOST_WRITES,
  nameOf,
  newAttempt,
  newReader,
  outcomeOf,
  type Reader,
  type StoredAnswer,
  writesOf,
} from './answer-change.ts';
import { findingKeys, makesFinding, noNumbers, type Numbers } from './answer-findings.ts';

const MOST_MUTATION_IDS = 50;

const toRecord = (
  { index, standingOf }: Evaluation,
  { finding_id: _finding, mutation_ids: _ids, ...record }: StoredAnswer,
): AnswerRecord => {
  const place = index.fields.get(record.field_id)!;
  const is_active = standingOf(place, record.instance_path) !== 'hidden';
  const share = is_active && isAnswered(record) ? shareOf(index, place, record) : null;
  return { ...record, is_active, score: share?.score ?? null, max_score: share?.max_score ?? null };
};

/** An answer of a request, read against the content. */
interface Reading {
  sent: Omit<BatchedAnswer, 'expected_version'>;
  expectedVersion: number | undefined;
  place: FieldPlace;
  instance?: Instance;
  /** The record's, where the instance is a valid one. */
  key?: Key;
  entry?: AnswerEntry;
  problems: Problem[];
  references: Reference[];
}

/** @throws ApiError 400 for a field that the content does not have */
const read = (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  { expected_version, ...sent }: BatchedAnswer,
): Reading => {
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
};

/** The records that an answer may be meant for, before the content is known. */
const guesses = (
  caller: Caller,
  inspectionId: string,
  { section_id, field_id, instance_index = 0, instance_path }: NewAnswer,
): Key[] =>
  (instance_path ? [instance_path.toLowerCase()] : ['', instanceWithin('', section_id, instance_index)]).map(
    (path) => keys.answer(caller, inspectionId, field_id, path),
  );

/** A record as the attempt has it by now. */
const recordOf = ({ rows, transitions }: Attempt, key: Key): StoredAnswer | undefined => {
  const row = rows.get<StoredAnswer>(key);
  return transitions.get(nameOf(key))?.after ?? (row && withoutKeys(row));
};

/** What a record remembers once this answer has come in as well. */
const remembering = (record: StoredAnswer | undefined, { client_mutation_id }: Reading['sent']): string[] =>
  [...(record?.mutation_ids ?? []), ...[client_mutation_id ?? []].flat()].slice(-MOST_MUTATION_IDS);

/**
 * The attempt with one answer more; where the record holds this answer already, it only remembers that it came in,
 * so that its repetition changes nothing either.
 * @throws ApiError 400 for a reference to what is not there; 409 for a locked inspection or another version; 422
 */
const apply = (attempt: Attempt, reading: Reading): Attempt => {
  const { caller, inspection, rows, transitions } = attempt;
  const { sent, place, instance, key, entry } = reading;
  const missing = reading.references.find((named) => !rows.get(named.key));
  if (missing) throw badRequest(`${missing.field} names ${missing.key.sk}, which does not exist`);
  if (!acceptsAnswers(inspection)) throw conflict(lockedMessage(inspection.status));
  const current = key && recordOf(attempt, key);
  if (key) expectVersion('answer', current ?? { version: 0 }, reading.expectedVersion);
  if (!entry || !instance || !key) throw unprocessable(reading.problems);
  const refused = mediaProblems(
    place,
    entry,
    (id) => rows.get<{ mime_type: string }>(documents.key(caller, id))!.mime_type,
  );
  if (refused.length > 0) throw unprocessable(refused);
  const mutation_ids = remembering(current, sent);
  const isSame = current !== undefined && isDeepStrictEqual({ ...current, ...entry }, current);
  if (isSame && sent.client_mutation_id === undefined) return attempt;
  const fields = {
    ...entry,
    ...(isAnswered(entry)
      ? { answered_by: caller.user_id, answered_at: new Date().toISOString() }
      : { answered_by: null, answered_at: null }),
    mutation_ids,
  };
  const { section_id, field_id } = sent;
  const next = (): StoredAnswer =>
    current
      ? nextVersion(current, fields)
      : newResource({ section_id, field_id, ...instance, ...fields, finding_id: null });
  const after = isSame ? { ...current, mutation_ids } : next();
  const row = rows.get<StoredAnswer>(key);
  const before = row && withoutKeys<StoredAnswer>(row);
  const bytes = Buffer.byteLength(JSON.stringify(after));
  return {
    ...attempt,
    transitions: new Map(transitions).set(nameOf(key), { key, place, ...instance, before, after, bytes }),
  };
};

/** What became of one answer, and the record as it is then. */
type Outcome<Record = AnswerRecord> = { record?: Record | undefined } & (
  | { isSaved: boolean }
  | { error: ApiError }
);

const tried = <Result>(work: () => Result): Result | ApiError => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};

const tooManyDocuments = (): ApiError =>
  unprocessable([
    {
      loc: ['body', 'value'],
      type: 'value_error',
      msg: `Value error, exchanges more documents than one save can, which is ${MOST_WRITES - 5}`,
    },
  ]);

/**
 * For each record the last of the answers that an earlier request has saved. Those before it were sent with it
 * or earlier, and are repeats too, though the record may have forgotten them.
 */
const repeatsIn = (
  readings: readonly (Reading | ApiError)[],
  from: number,
  rows: Reader,
): Map<string, number> => {
  const seen = new Set<string>();
  const last = new Map<string, number>();
  for (const [position, reading] of readings.entries()) {
    if (reading instanceof ApiError || !reading.key || !reading.sent.client_mutation_id) continue;
    const record = nameOf(reading.key);
    const mutation = `${record} ${reading.sent.client_mutation_id}`;
    const remembered = rows.get<StoredAnswer>(reading.key)?.mutation_ids ?? [];
    const isFirst = !seen.has(mutation);
    seen.add(mutation);
    if (isFirst && position >= from && remembered.includes(reading.sent.client_mutation_id)) {
      last.set(record, position);
    }
  }
  return last;
};

const inspectionIn = (caller: Caller, rows: Reader, id: string): StoredInspection => {
  const inspection = rows.get<StoredInspection>(inspections.key(caller, id));
  if (!inspection) throw notFound(inspections.noun);
  return inspection;
};

/**
 * Decides as many answers, from a position on, as one transaction can save. Several answers to one field are
 * applied in their order, each a version of the record.
 * @throws ApiError 404; what is wrong with one answer is its outcome
 */
const decide = async (
  {
    caller,
    inspectionId,
    index,
    rows,
    numbers,
  }: { caller: Caller; inspectionId: string; index: ContentIndex; rows: Reader; numbers: Numbers },
  readings: readonly (Reading | ApiError)[],
  from = 0,
): Promise<Decision<Outcome[]>> => {
  const window = readings.slice(from, from + MOST_ROWS);
  const valid = window.filter((reading) => 'sent' in reading);
  await rows.load([...headers(caller, inspectionId), ...valid.flatMap(({ key }) => key ?? [])]);
  const inspection = inspectionIn(caller, rows, inspectionId);
  await rows.load(
    valid.flatMap(({ key, place, entry, references: named }) => {
      const row = key && rows.get<StoredAnswer>(key);
      const isTurned = entry !== undefined && entry.is_failed !== (row?.is_failed ?? false);
      return [
        ...named.map((reference) => reference.key),
        ...(isTurned ? findingKeys(caller, inspectionId, row?.finding_id ?? null) : []),
        ...(isTurned && makesFinding(place) ? [audienceKey(caller, inspection.template_family_id)] : []),
      ];
    }),
  );

  let attempt = await newAttempt(caller, inspection, index, rows);
  const repeats = repeatsIn(readings, from, rows);
  const outcomes: Outcome<StoredAnswer>[] = [];
  for (const [position, reading] of window.entries()) {
    if (reading instanceof ApiError) {
      outcomes.push({ error: reading });
      continue;
    }
    const { key, sent } = reading;
    const record = key && recordOf(attempt, key);
    const isRepeat =
      record &&
      (from + position <= (repeats.get(nameOf(key)) ?? -1) ||
        (sent.client_mutation_id && record.mutation_ids.includes(sent.client_mutation_id)));
    const applied = isRepeat ? attempt : tried(() => apply(attempt, reading));
    if (applied instanceof ApiError) outcomes.push({ error: applied, record });
    else if (fits(applied)) {
      const now = key && recordOf(applied, key);
      outcomes.push({ isSaved: now?.version !== record?.version, record: now });
      attempt = applied;
    } else if (attempt.transitions.size > 0) break;
    else outcomes.push({ error: tooManyDocuments(), record });
  }
  const { evaluation } = outcomeOf(attempt);
  const shown = outcomes.map(({ record, ...outcome }): Outcome => ({
    ...outcome,
    record: record && toRecord(evaluation, record),
  }));
  return { writes: await writesOf(attempt, numbers), reply: shown };
};

const statusOf = (outcome: Outcome): AnswerResult['status'] => {
  if ('error' in outcome) return outcome.error.status === 409 ? 'conflict' : 'invalid';
  return outcome.isSaved ? 'saved' : 'unchanged';
};

/**
 * The record of one field in one instance as it shall be.
 * @throws ApiError 404; 400 for a field or a reference that is not there; 409 for a locked inspection or
 * another version; 422 for a value that the field does not take
 */
export const replace = (
  caller: Caller,
  inspectionId: string,
  answer: NewAnswer,
  expectedVersion?: number,
): Promise<AnswerRecord> => {
  const numbers = noNumbers();
  return change(caller, async () => {
    const rows = newReader(caller);
    await rows.load([...headers(caller, inspectionId), ...guesses(caller, inspectionId, answer)]);
    const { template_id, content_hash } = inspectionIn(caller, rows, inspectionId);
    const index = await contentOf(caller, template_id, content_hash);
    const reading = read(caller, inspectionId, index, { ...answer, expected_version: expectedVersion });
    const { writes, reply } = await decide({ caller, inspectionId, index, rows, numbers }, [reading]);
    const [outcome] = reply;
    if ('error' in outcome!) throw outcome.error;
    return { writes, reply: outcome!.record! };
  });
};

/**
 * Saves those of many answers that can be, in as many transactions as it takes.
 * @throws ApiError 404; 409 for an inspection that is locked from the start
 */
export const replaceAll = async (
  caller: Caller,
  inspectionId: string,
  sent: readonly BatchedAnswer[],
): Promise<AnswerResult[]> => {
  const inspection = await inspections.get(caller, inspectionId);
  if (!acceptsAnswers(inspection)) throw conflict(lockedMessage(inspection.status));
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const readings = sent.map((answer) => tried(() => read(caller, inspectionId, index, answer)));
  const outcomes: Outcome[] = [];
  while (outcomes.length < readings.length) {
    const numbers = noNumbers();
    const decided = await change(caller, () =>
      decide({ caller, inspectionId, index, rows: newReader(caller), numbers }, readings, outcomes.length),
    );
    outcomes.push(...decided);
  }
  return outcomes.map((outcome, position) => ({
    index: position,
    status: statusOf(outcome),
    ...(outcome.record && { response: outcome.record }),
    ...('error' in outcome && { detail: outcome.error.detail }),
  }));
};

/** Those of one inspection, field by field, with the results of its formulas. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: AnswerQuery,
): Promise<Listing<AnswerRecord>> => {
  const name = `ANSWER ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const rows = newReader(caller);
  await rows.load(headers(caller, inspectionId));
  const inspection = inspectionIn(caller, rows, inspectionId);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const { known } = await newAttempt(caller, inspection, index, rows);
  const evaluation = evaluate(index, known.values(), inspection.start_answers);
  const found = queryRows<StoredAnswer>(caller, {
    partition: keys.below(caller, 'INSPECTION', inspectionId),
    prefix: 'ANSWER#',
    after,
    updatedSince: query.updated_since,
    where: { section_id: query.section_id === undefined ? undefined : [query.section_id] },
  });
  const results = calculated(caller, evaluation, inspection).filter(
    ({ sk, section_id, updated_at }) =>
      (after === undefined || sk > after) &&
      (query.section_id === undefined || section_id === query.section_id) &&
      (query.updated_since === undefined || updated_at >= query.updated_since),
  );
  return listing(
    caller,
    name,
    query,
    inOrder(found, results),
    (row) => row.sk,
    (row) => toRecord(evaluation, withoutKeys<StoredAnswer>(row)),
  );
};

/**
 * Takes an instance of a repeat section away, with all answers in it; those after it keep their places.
 * @throws ApiError 404 for an inspection or an instance that is not there; 409 for a locked inspection, or one
 * that has no more instances than it needs; 422 for a path that the content does not have
 */
export const removeInstance = async (caller: Caller, inspectionId: string, path: string): Promise<void> => {
  const { template_id, content_hash } = await inspections.get(caller, inspectionId);
  const index = await contentOf(caller, template_id, content_hash);
  const { section, outer } = repeatAt(index, path);
  const within = `${path}/`;
  const partition = keys.below(caller, 'INSPECTION', inspectionId);
  const records: Row<StoredAnswer>[] = [];
  for await (const row of queryRows<StoredAnswer>(caller, { partition, prefix: 'ANSWER#' })) {
    if (row.instance_path === path || row.instance_path.startsWith(within)) records.push(row);
  }
  let gone = 0;
  do {
    gone += await change(caller, async () => {
      const rows = newReader(caller);
      const window = records.slice(gone, gone + MOST_ROWS);
      await rows.load([...headers(caller, inspectionId), ...window.map(({ pk, sk }) => ({ pk, sk }))]);
      const inspection = inspectionIn(caller, rows, inspectionId);
      if (!acceptsAnswers(inspection)) throw conflict(lockedMessage(inspection.status));
      const attempt = await newAttempt(caller, inspection, index, rows);
      const { instances } = evaluate(index, attempt.known.values());
      if (gone === 0 && window.length === 0) throw notFound('instance');
      const there = instances.of(section, outer);
      if (gone === 0 && there.length <= section.repeat.min) {
        const { min } = section.repeat;
        throw conflict(`${JSON.stringify(section.title)} has ${there.length} instances and needs ${min}`);
      }
      return removal(attempt, window);
    });
  } while (gone < records.length);
};

/** As many of the records as one change can take away, with what their going means; the reply is how many. */
const removal = async (first: Attempt, window: readonly Row<StoredAnswer>[]): Promise<Decision<number>> => {
  const { caller, inspection, index, rows } = first;
  await rows.load(window.flatMap(({ finding_id }) => findingKeys(caller, inspection.id, finding_id)));
  let attempt = first;
  let count = 0;
  for (const { pk, sk } of window) {
    const row = rows.get<StoredAnswer>({ pk, sk });
    const key = { pk, sk };
    const next: Attempt = row
      ? {
          ...attempt,
          transitions: new Map(attempt.transitions).set(nameOf(key), {
            key,
            place: index.fields.get(row.field_id)!,
            instance_path: row.instance_path,
            before: withoutKeys<StoredAnswer>(row),
            after: undefined,
            bytes: 0,
          }),
        }
      : attempt;
    if (count > 0 && !fits(next)) break;
    attempt = next;
    count += 1;
  }
  return { writes: await writesOf(attempt, noNumbers()), reply: count };
};

/** The repeat section that a path names an instance of. @throws ApiError 422 */
const repeatAt = (index: ContentIndex, path: string): { section: RepeatSection; outer: string } => {
  const segments = path.split('/');
  const outer = segments.slice(0, -1).join('/');
  const ids = segments.map((each) => /^(.+)\[(?:0|[1-9]\d*)\]$/.exec(each)?.[1]);
  const place = index.sections.get(ids.at(-1) ?? '');
  const section = place?.repeats.at(-1);
  if (
    section?.id === ids.at(-1) &&
    isDeepStrictEqual(
      place?.repeats.map(({ id }) => id),
      ids,
    )
  ) {
    return { section: section!, outer };
  }
  throw unprocessable([
    {
      loc: ['query', 'instance_path'],
      type: 'value_error',
      msg: 'Value error, the path names no instance of a repeat section of this inspection',
      input: path,
    },
  ]);
};

/** The results of formulas, as records: each is found anew, so it is as old as the inspection's last change. */
const calculated = (
  caller: Caller,
  evaluation: Evaluation,
  { id: inspectionId, created_at, updated_at, answers_revision }: StoredInspection,
): Row<StoredAnswer>[] => {
  const { index, instances } = evaluation;
  const results: Row<StoredAnswer>[] = [];
  for (const place of index.fields.values()) {
    if (place.field.type !== 'calculated') continue;
    for (const instance_path of pathsBelow(instances, place.repeats, '')) {
      const result = evaluation.answerOf(place, instance_path);
      if (!result) continue;
      const { field, section } = place;
      results.push({
        ...keys.answer(caller, inspectionId, field.id, instance_path),
        id: uuidv5(`${field.id} ${instance_path}`, inspectionId),
        created_at,
        updated_at,
        section_id: section.id,
        field_id: field.id,
        instance_index: Number(/\[(\d+)\]$/.exec(instance_path)?.[1] ?? 0),
        instance_path,
        value: result.value,
        note: '',
        is_na: false,
        media: [],
        is_failed: isFailed(field, index, result.value),
        answered_by: null,
        answered_at: null,
        version: answers_revision + 1,
        finding_id: null,
        mutation_ids: [],
      });
    }
  }
  return results.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
};

/** Two runs of rows, each in order, as one. */
const inOrder = async function* <Resource>(
  rows: AsyncIterable<Row<Resource>>,
  others: readonly Row<Resource>[],
): AsyncGenerator<Row<Resource>> {
  let next = 0;
  for await (const row of rows) {
    while (next < others.length && others[next]!.sk < row.sk) yield others[next++]!;
    yield row;
  }
  yield* others.slice(next);
};
