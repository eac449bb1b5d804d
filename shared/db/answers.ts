import { isDeepStrictEqual } from 'node:util';
import { type AnswerEntry, documentsOf, mediaProblems, readAnswer } from '../domain/answer-entry.ts';
import { isAnswered, references } from '../domain/answers.ts';
import type { Caller } from '../domain/caller.ts';
import { type ContentIndex, type FieldPlace, type Instance, instanceWithin } from '../domain/content.ts';
import type { Problem } from '../domain/problem.ts';
import { isOpen as isOpenStatus, lockedMessage } from '../domain/workflow.ts';
import { ApiError, badRequest, conflict, notFound, unprocessable } from '../http/errors.ts';
import type { AnswerQuery, AnswerRecord, AnswerResult, BatchedAnswer, NewAnswer } from '../schemas/answer.ts';
import type { Finding } from '../schemas/finding.ts';
import { change, type Decision } from './change.ts';
import { expectVersion, newResource, nextVersion } from './collection.ts';
import { contentOf } from './content.ts';
import { documents } from './documents.ts';
import {
  findingKey,
  findingMark,
  findingRemoval,
  isUntouched,
  newFinding,
  nextFindingNumber,
} from './findings.ts';
import { countIn, placeOf } from './inspection-parts.ts';
import { rows as inspections, type StoredInspection } from './inspection-rows.ts';
import { isOpen } from './inspections.ts';
import { type Key, keys } from './keys.ts';
import { type Listing, listing, readCursor } from './listing.ts';
import { answerReferences, type Reference, reference } from './references.ts';
import { getRows, queryRows, type Row, withoutKeys } from './rows.ts';
import { create, replace, type Write } from './writes.ts';

/** As stored. */
type StoredAnswer = AnswerRecord & {
  /** The finding that its failing led to, which need not exist any more. */
  finding_id: string | null;
  /** The `client_mutation_id`s saved last, oldest first. */
  mutation_ids: string[];
};

const MOST_MUTATION_IDS = 50;

const toRecord = ({ finding_id: _finding, mutation_ids: _ids, ...record }: StoredAnswer): AnswerRecord =>
  record;

/** A transaction's limits (Amazon DynamoDB quotas), with room for what an item holds beside its JSON. */
const MOST_WRITES = 100;
const MOST_BYTES = 3_000_000;

/** Rows that one transaction saves when each is one write beside the inspection's; one read fetches them all. */
const MOST_ROWS = MOST_WRITES - 1;

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

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Rows as one attempt reads them, each once. */
const newReader = (caller: Caller) => {
  const found = new Map<string, Row<object> | undefined>();
  return {
    load: async (wanted: readonly Key[]): Promise<void> => {
      const unread = wanted.filter((key) => !found.has(nameOf(key)));
      const rows = await getRows<object>(caller, unread);
      for (const [position, key] of unread.entries()) found.set(nameOf(key), rows[position]);
    },
    get: <Resource>(key: Key) => found.get(nameOf(key)) as Row<Resource> | undefined,
  };
};
type Reader = ReturnType<typeof newReader>;

/** A record from what it was to what it becomes. */
interface Transition {
  key: Key;
  place: FieldPlace;
  before: StoredAnswer | undefined;
  after: StoredAnswer;
  /** Of what it becomes, as JSON. */
  bytes: number;
}

/** What an attempt decides on, and what it has decided so far, by the records' names. */
interface Attempt {
  caller: Caller;
  inspection: StoredInspection;
  rows: Reader;
  transitions: ReadonlyMap<string, Transition>;
}

/** What an answer's change means for the finding of its field: nothing, mostly. */
type Consequence =
  | { act: 'create' }
  | { act: 'remove' | 'mark' | 'unmark'; finding: Row<Finding> }
  | undefined;

const consequenceOf = (
  { caller, inspection, rows }: Attempt,
  { place, before, after }: Transition,
): Consequence => {
  if (after.is_failed === (before?.is_failed ?? false)) return undefined;
  const finding = before?.finding_id
    ? rows.get<Finding>(findingKey(caller, inspection.id, before.finding_id))
    : undefined;
  if (finding && !after.is_failed) return { act: isUntouched(finding) ? 'remove' : 'mark', finding };
  if (finding) return finding.trigger_cleared ? { act: 'unmark', finding } : undefined;
  return after.is_failed && place.field.finding?.create === 'auto' ? { act: 'create' } : undefined;
};

/** Rows that each consequence writes; a new finding is told of. */
const CONSEQUENCE_WRITES = { create: 3, remove: 2, mark: 1, unmark: 1 } as const;

/** How many uses of which documents begin or end. */
const documentUses = ({ transitions }: Attempt): [id: string, delta: number][] => {
  const uses = new Map<string, number>();
  const count = (ids: Iterable<string>, delta: number) => {
    for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + delta);
  };
  for (const { place, before, after } of transitions.values()) {
    if (before) count(documentsOf(place, before), -1);
    count(documentsOf(place, after), 1);
  }
  return [...uses].filter(([, delta]) => delta !== 0);
};

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Whether one transaction can write all that an attempt has decided. */
const fits = (attempt: Attempt): boolean => {
  const transitions = [...attempt.transitions.values()];
  const consequences = transitions.flatMap((transition) => consequenceOf(attempt, transition) ?? []);
  const writes =
    1 +
    transitions.length +
    documentUses(attempt).length +
    sum(consequences.map(({ act }) => CONSEQUENCE_WRITES[act]));
  return writes <= MOST_WRITES && sum(transitions.map(({ bytes }) => bytes)) <= MOST_BYTES;
};

/** A record as the attempt has it by now. */
const recordOf = ({ rows, transitions }: Attempt, key: Key): StoredAnswer | undefined => {
  const row = rows.get<StoredAnswer>(key);
  return transitions.get(nameOf(key))?.after ?? (row && withoutKeys(row));
};

/**
 * The attempt with one answer more; the same one where the record holds this answer already.
 * @throws ApiError 400 for a reference to what is not there; 409 for a locked inspection or another version; 422
 */
const apply = (attempt: Attempt, reading: Reading): Attempt => {
  const { caller, inspection, rows, transitions } = attempt;
  const { sent, place, instance, key, entry } = reading;
  const missing = reading.references.find((named) => !rows.get(named.key));
  if (missing) throw badRequest(`${missing.field} names ${missing.key.sk}, which does not exist`);
  if (!isOpenStatus(inspection.status)) throw conflict(lockedMessage(inspection.status));
  const current = key && recordOf(attempt, key);
  if (key) expectVersion('answer', current ?? { version: 0 }, reading.expectedVersion);
  if (!entry || !instance || !key) throw unprocessable(reading.problems);
  const refused = mediaProblems(
    place,
    entry,
    (id) => rows.get<{ mime_type: string }>(documents.key(caller, id))!.mime_type,
  );
  if (refused.length > 0) throw unprocessable(refused);
  if (current && isDeepStrictEqual({ ...current, ...entry }, current)) return attempt;

  const mutationIds = [...(current?.mutation_ids ?? []), ...[sent.client_mutation_id ?? []].flat()];
  const fields = {
    ...entry,
    ...(isAnswered(entry)
      ? { answered_by: caller.user_id, answered_at: new Date().toISOString() }
      : { answered_by: null, answered_at: null }),
    mutation_ids: mutationIds.slice(-MOST_MUTATION_IDS),
  };
  const after: StoredAnswer = current
    ? nextVersion(current, fields)
    : newResource({
        section_id: sent.section_id,
        field_id: sent.field_id,
        ...instance,
        ...fields,
        is_active: true,
        score: null,
        max_score: null,
        finding_id: null,
      });
  const row = rows.get<StoredAnswer>(key);
  const before = row && withoutKeys<StoredAnswer>(row);
  const bytes = Buffer.byteLength(JSON.stringify(after));
  return {
    ...attempt,
    transitions: new Map(transitions).set(nameOf(key), { key, place, before, after, bytes }),
  };
};

const automaticFinding = (
  { caller, inspection }: Attempt,
  { place, after }: Transition,
  number: number,
): ReturnType<typeof newFinding> => {
  const { label, finding: rule } = place.field;
  return newFinding(caller, number, {
    inspection_id: inspection.id,
    label: rule!.label ?? label,
    severity: rule!.severity,
    section_id: after.section_id,
    field_id: after.field_id,
    instance_path: after.instance_path,
    origin: 'auto',
    content: { description: '', recommendation: '', root_cause: '', media: [] },
  });
};

/**
 * The writes of a decided attempt.
 * @param numbers for its findings; what is missing is taken, and what was taken serves the next attempt
 */
const writesOf = async (attempt: Attempt, numbers: number[]): Promise<Write[]> => {
  const { caller, inspection } = attempt;
  const transitions = [...attempt.transitions.values()];
  if (transitions.length === 0) return [];
  const consequences = transitions.map((transition) => consequenceOf(attempt, transition));
  const created = consequences.filter((consequence) => consequence?.act === 'create').length;
  const untaken = Math.max(0, created - numbers.length);
  numbers.push(...(await Promise.all(Array.from({ length: untaken }, () => nextFindingNumber(caller)))));

  const unused = numbers.values();
  const parts = transitions.map((transition, position) => {
    const consequence = consequences[position];
    const kept = transition.before?.finding_id ?? null;
    if (!consequence) return { writes: [], found: 0, finding_id: kept };
    if (consequence.act === 'create') {
      const { finding, writes } = automaticFinding(attempt, transition, unused.next().value!);
      return { writes, found: 1, finding_id: finding.id };
    }
    const { act, finding } = consequence;
    return act === 'remove'
      ? { writes: findingRemoval(caller, finding), found: -1, finding_id: null }
      : { writes: [findingMark(caller, finding, act === 'mark')], found: 0, finding_id: kept };
  });
  const answered = (answer: StoredAnswer | undefined) => Number(answer !== undefined && isAnswered(answer));
  const counts = {
    answers_revision: 1,
    answered: sum(transitions.map(({ before, after }) => answered(after) - answered(before))),
    findings_count: sum(parts.map(({ found }) => found)),
  };
  return [
    countIn(caller, inspection.id, counts, isOpen),
    ...transitions.map(({ key, before, after }, position) => {
      const row = { ...after, finding_id: parts[position]!.finding_id, ...key };
      return before ? replace(row, before.version) : create(row);
    }),
    ...parts.flatMap(({ writes }) => writes),
    // A document deleted meanwhile is found missing when the answer is decided again.
    ...documentUses(attempt).map(([id, delta]): Write => ({
      ...documents.use(caller, id, delta, 'value'),
      otherwise: () => 'stale',
    })),
  ];
};

/** What became of one answer, and the record as it is then. */
type Outcome = { record?: StoredAnswer | undefined } & ({ isSaved: boolean } | { error: ApiError });

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
    rows,
    numbers,
  }: { caller: Caller; inspectionId: string; rows: Reader; numbers: number[] },
  readings: readonly (Reading | ApiError)[],
  from = 0,
): Promise<Decision<Outcome[]>> => {
  const window = readings.slice(from, from + MOST_ROWS);
  const valid = window.filter((reading) => 'sent' in reading);
  await rows.load([inspections.key(caller, inspectionId), ...valid.flatMap(({ key }) => key ?? [])]);
  const inspection = inspectionIn(caller, rows, inspectionId);
  await rows.load(
    valid.flatMap(({ key, entry, references: named }) => {
      const row = key && rows.get<StoredAnswer>(key);
      const isTurned = row?.finding_id && entry && entry.is_failed !== row.is_failed;
      return [
        ...named.map((reference) => reference.key),
        ...(isTurned ? [findingKey(caller, inspectionId, row.finding_id!)] : []),
      ];
    }),
  );

  let attempt: Attempt = { caller, inspection, rows, transitions: new Map() };
  const repeats = repeatsIn(readings, from, rows);
  const outcomes: Outcome[] = [];
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
      outcomes.push({ isSaved: applied !== attempt, record: key && recordOf(applied, key) });
      attempt = applied;
    } else if (attempt.transitions.size > 0) break;
    else outcomes.push({ error: tooManyDocuments(), record });
  }
  return { writes: await writesOf(attempt, numbers), reply: outcomes };
};

const statusOf = (outcome: Outcome): AnswerResult['status'] => {
  if ('error' in outcome) return outcome.error.status === 409 ? 'conflict' : 'invalid';
  return outcome.isSaved ? 'saved' : 'unchanged';
};

export const answers = {
  /**
   * The record of one field in one instance as it shall be.
   * @throws ApiError 404; 400 for a field or a reference that is not there; 409 for a locked inspection or
   * another version; 422 for a value that the field does not take
   */
  replace: (
    caller: Caller,
    inspectionId: string,
    answer: NewAnswer,
    expectedVersion?: number,
  ): Promise<AnswerRecord> => {
    const numbers: number[] = [];
    let reading: Reading | undefined;
    return change(caller, async () => {
      const rows = newReader(caller);
      if (!reading) {
        await rows.load([inspections.key(caller, inspectionId), ...guesses(caller, inspectionId, answer)]);
        const { template_id, content_hash } = inspectionIn(caller, rows, inspectionId);
        const index = await contentOf(caller, template_id, content_hash);
        reading = read(caller, inspectionId, index, { ...answer, expected_version: expectedVersion });
      }
      const { writes, reply } = await decide({ caller, inspectionId, rows, numbers }, [reading]);
      const [outcome] = reply;
      if ('error' in outcome!) throw outcome.error;
      return { writes, reply: toRecord(outcome!.record!) };
    });
  },

  /**
   * Saves those of many answers that can be, in as many transactions as it takes.
   * @throws ApiError 404; 409 for an inspection that is locked from the start
   */
  replaceAll: async (
    caller: Caller,
    inspectionId: string,
    sent: readonly BatchedAnswer[],
  ): Promise<AnswerResult[]> => {
    const { status, template_id, content_hash } = await inspections.get(caller, inspectionId);
    if (!isOpenStatus(status)) throw conflict(lockedMessage(status));
    const index = await contentOf(caller, template_id, content_hash);
    const readings = sent.map((answer) => tried(() => read(caller, inspectionId, index, answer)));
    const outcomes: Outcome[] = [];
    while (outcomes.length < readings.length) {
      const numbers: number[] = [];
      const decided = await change(caller, () =>
        decide({ caller, inspectionId, rows: newReader(caller), numbers }, readings, outcomes.length),
      );
      outcomes.push(...decided);
    }
    return outcomes.map((outcome, position) => ({
      index: position,
      status: statusOf(outcome),
      ...(outcome.record && { response: toRecord(outcome.record) }),
      ...('error' in outcome && { detail: outcome.error.detail }),
    }));
  },

  /** Those of one inspection, field by field. @throws ApiError 404 */
  list: async (caller: Caller, inspectionId: string, query: AnswerQuery): Promise<Listing<AnswerRecord>> => {
    const name = `ANSWER ${inspectionId}`;
    const after = readCursor(caller, name, query);
    await inspections.get(caller, inspectionId);
    const found = queryRows<StoredAnswer>(caller, {
      partition: keys.below(caller, 'INSPECTION', inspectionId),
      prefix: 'ANSWER#',
      after,
      updatedSince: query.updated_since,
      where: { section_id: query.section_id === undefined ? undefined : [query.section_id] },
    });
    return listing(
      caller,
      name,
      query,
      found,
      (row) => row.sk,
      (row) => toRecord(withoutKeys<StoredAnswer>(row)),
    );
  },
};
