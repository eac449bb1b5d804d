import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../../base/api-error.ts';
import { type Caller, viaKey } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Problem } from '../../../base/problem.ts';
import type { ContentIndex, FieldPlace, Instance } from '../../../domain/content/content-index.ts';
import { type AnswerEntry, mediaProblems, readAnswer } from '../../../domain/content/entry.ts';
import { isAnswered } from '../../../domain/content/values/answer.ts';
import { references } from '../../../domain/content/values/references.ts';
import { acceptsAnswers } from '../../../domain/inspections/workflow.ts';
import type { BatchedAnswer } from '../../../schemas/inspections/answer.ts';
import * as documents from '../../documents/documents.ts';
import { placeOf } from '../../inspection-core/inspection-record.ts';
import type { Work } from '../../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { answerReferences, type Reference, reference } from '../../table/references.ts';
import type { LoadedRows } from '../batch/loaded-rows.ts';

/** `client_mutation_id`s that a record remembers. The oldest are forgotten first. */
const MAX_MUTATION_IDS = 50;

/** An answer of a request, checked against the content. */
export interface SentAnswer {
  sent: Omit<BatchedAnswer, 'expected_version'>;
  expectedVersion: number | undefined;
  place: FieldPlace;
  /** Undefined when the field has no such instance. */
  instance?: Instance;
  /** The record's, where the instance is valid. */
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
 * @param same the record that holds the answer already. It keeps its time when none is sent.
 */
const clientTimeOf = (
  { client_answered_at }: SentAnswer['sent'],
  entry: AnswerEntry,
  same: StoredAnswer | undefined,
): string | null => {
  if (!isAnswered(entry)) return null;
  return (client_answered_at === undefined ? same?.client_answered_at : client_answered_at) ?? null;
};

/**
 * The record with the answer saved, which confirms a prefilled one. A record that holds this answer already only
 * remembers the mutation, so that repeating it changes nothing either. Undefined when there is nothing to remember.
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
  const isSame = same !== undefined && (same.client_answered_at ?? null) === client_answered_at;
  if (isSame && client_mutation_id === undefined) return undefined;
  const mutations = [...(current?.mutation_ids ?? []), ...(client_mutation_id ? [client_mutation_id] : [])];
  const mutation_ids = mutations.slice(-MAX_MUTATION_IDS);
  if (isSame) return { ...same, mutation_ids };
  const answered = isAnswered(entry)
    ? { answered_by: work.user_id, answered_at: work.now, ...viaKey(work) }
    : { answered_by: null, answered_at: null };
  const fields = { ...entry, ...answered, client_answered_at, mutation_ids };
  if (current) {
    const { is_prefilled: _, acted_via_key_id: _via, ...confirmed } = current;
    return nextVersion<StoredAnswer>(work, confirmed, fields);
  }
  return newResource(work, { section_id, field_id, ...instance, ...fields, finding_id: null });
};

/** What a sent answer makes of its record. */
export interface SavedRecord {
  key: Key<StoredAnswer>;
  instance: Instance;
  /** Undefined when the answer changes nothing. */
  after: StoredAnswer | undefined;
}

/** Judges the answers of a request beside other answers. */
export interface Judge {
  /** Whether the stored answers, and those of the request that are saved already, require one here. */
  isRequired: (place: FieldPlace, instancePath: string) => boolean;
  /** What is wrong with a valid answer. */
  problemsOf: (place: FieldPlace, instancePath: string, entry: AnswerEntry) => Problem[];
  /** The problems of an answer with the answers that their messages refer to. */
  worded: (answer: Pick<SentAnswer, 'place' | 'instance' | 'problems'>) => Problem[];
}

/**
 * A re-inspection of what failed accepts answers to what it asks again, and to what the answers make required. What it
 * carries over stays as it is.
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
export const saveInto = (
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
      return !row || !isMeant(row);
    });
    if (missing) throw errors.answerReferenceNotFound(missing.field, missing.key.sk);
    if (!acceptsAnswers(inspection)) throw errors.inspectionLocked(inspection.status);
    expectAskedAgain(inspection, answer, current, judge);
    if (key) expectVersion('answer', current ?? { version: 0 }, expectedVersion);
    if (!entry || !instance || !key) throw errors.validationFailed(judge.worded(answer));
    const mimeTypeOf = (id: string) => rows.get(documents.key(work, id))!.mime_type;
    const refused = mediaProblems(place, entry, mimeTypeOf);
    if (refused.length > 0) throw errors.validationFailed(refused);
    const unmet = judge.problemsOf(place, instance.instance_path, entry);
    if (unmet.length > 0) throw errors.validationFailed(unmet);
    return { key, instance, after: recordWith(work, sent, instance, entry, current) };
  });
