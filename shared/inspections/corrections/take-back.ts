import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { own } from '../../base/fields.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { shownDocuments, withoutDocuments } from '../../domain/content/shown-documents.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { references } from '../../domain/content/values/references.ts';
import * as documents from '../../files/documents.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import { correctedField } from '../../schemas/inspections/fields.ts';
import { changeInParts, type PartDecision, takeWhatFits, type Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import type { Key } from '../../table/keys.ts';
import { answerReferences } from '../../table/references.ts';
import { getRows } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { AnswerBatch, type AnswerChange } from '../answers/answer-batch.ts';
import { inspectionIn, inspectionKeys, LoadedRows } from '../answers/loaded-rows.ts';
import * as findings from '../findings/findings.ts';
import { moveFindings } from '../findings/repeats.ts';
import { givenIn } from '../rows/answer-records.ts';
import { inspectionChange, inspectionEvent } from '../rows/inspection-records.ts';
import { revisionWrites, setupRevisions } from '../rows/revisions.ts';
import { changeStartAnswers } from '../start-answers.ts';
import { type OriginalField, type OriginalRecord, originals, withOriginals } from './originals.ts';
import { closedNow, completeStep, readCorrection } from './steps.ts';

/**
 * The ids of documents in `shown` that do not exist any more. Documents that the correction removed had no use, so they
 * could be deleted.
 */
const deletedDocuments = async (caller: Caller, rows: LoadedRows, shown: unknown): Promise<Set<string>> => {
  const ids = [...shownDocuments(shown)];
  await rows.load(ids.map((id) => documents.key(caller, id)));
  return new Set(ids.filter((id) => !rows.get(documents.key(caller, id))));
};

/** A record without documents that do not exist any more. */
const withoutDeleted = (record: StoredAnswer, deleted: ReadonlySet<string>): StoredAnswer => {
  if (shownDocuments([record.value, record.media]).isDisjointFrom(deleted)) return record;
  const left = {
    ...record,
    value: withoutDocuments(record.value, deleted),
    media: (withoutDocuments(record.media, deleted) ?? []) as StoredAnswer['media'],
  };
  if (isAnswered(left)) return left;
  const { acted_via_key_id: _, ...cleared } = left;
  return { ...cleared, answered_by: null, answered_at: null, client_answered_at: null };
};

/** Whether two states of a record hold the same answer. Versions are not compared. */
const isSameAnswer = (one: StoredAnswer | undefined, other: StoredAnswer | undefined): boolean => {
  if (!one || !other) return !one && !other;
  return isDeepStrictEqual(givenIn(one), givenIn(other));
};

/** The changes that restore records; none for records that are restored already. */
function* restorations(
  { now }: Work,
  index: ContentIndex,
  rows: LoadedRows,
  records: readonly OriginalRecord[],
  deleted: ReadonlySet<string>,
): Generator<AnswerChange> {
  for (const { key, revision, before } of records) {
    const current = rows.get(key);
    const original = before ? withoutDeleted(before, deleted) : undefined;
    if (isSameAnswer(current, original)) continue;
    const { field_id, instance_path } = revision;
    const after = original && {
      ...original,
      version: (current?.version ?? original.version) + 1,
      updated_at: now,
      finding_id: current?.finding_id ?? original.finding_id,
    };
    yield { key, place: index.fields.get(field_id)!, instance_path, after };
  }
}

/**
 * Restores the answers that a correction has changed, in as many transactions as needed.
 * @throws ApiError 404
 */
const restoreAnswers = (caller: Caller, inspectionId: string, id: string): Promise<void> =>
  changeInParts(caller, () => async (work): Promise<PartDecision> => {
    const { records } = await originals(work, inspectionId, id);
    const rows = new LoadedRows(work);
    await rows.load([...inspectionKeys(work, inspectionId), ...records.map(({ key }) => key)]);
    const inspection = inspectionIn(work, rows, inspectionId);
    // Another request has ended the correction meanwhile.
    if (inspection.active_correction_id !== id) return { writes: [], isLast: true };
    const index = await contentOf(work, inspection.template_id, inspection.content_hash);
    const shown = records.map(({ before }) => before && [before.value, before.media]);
    const deleted = await deletedDocuments(work, rows, shown);
    const batch = await AnswerBatch.begin(work, inspection, index, rows, { isTakenBack: true });
    const changes = restorations(work, index, rows, records, deleted).map((each) => batch.changeOf(each));
    const { isAll } = takeWhatFits(
      changes,
      (each) => batch.fits(each),
      (each) => batch.add(each),
    );
    return { writes: await batch.writes(), isLast: isAll };
  });

/** Writes of one transaction for restored fields. The others are for the inspection itself. */
const MAX_WRITES = 80;

/** The key of the resource that a field of the setup names; undefined where it names none. */
const keyNamedIn = (caller: Caller, { source, name, before }: OriginalField): Key | undefined => {
  const field = source === 'setup' ? correctedField(name) : undefined;
  return field && answerReferences(caller, name, references(field, before))[0]?.key;
};

/** The fields before the correction, without resources and documents that do not exist any more. */
const restorable = async (caller: Caller, fields: readonly OriginalField[]): Promise<OriginalField[]> => {
  const deleted = await deletedDocuments(
    caller,
    new LoadedRows(caller),
    fields.map(({ before }) => before),
  );
  const named = fields.map((field) => keyNamedIn(caller, field));
  const rows = await getRows(caller, named);
  return fields.map((field, position) => {
    const { source, before } = field;
    if (source === 'start') return { ...field, before: withoutDocuments(before, deleted) };
    return { ...field, before: named[position] && !rows[position] ? null : before };
  });
};

const currentOf = (inspection: StoredInspection, { source, name }: OriginalField): unknown =>
  source === 'start'
    ? (own(inspection.start_answers, name) ?? null)
    : inspection[name as keyof StoredInspection];

const isRestored = (inspection: StoredInspection, field: OriginalField): boolean =>
  isDeepStrictEqual(currentOf(inspection, field), field.before);

/** The maximum number of writes that restore a field: its revision, and the rows that depend on it. */
const maxWritesOf = (inspection: StoredInspection, field: OriginalField): number => {
  const current = currentOf(inspection, field);
  if (field.source === 'setup' && field.name === 'participants')
    return 1 + (current as []).length + (field.before as []).length;
  return 5 + shownDocuments([current, field.before]).size;
};

/** Restores these fields. A client or location that is deleted meanwhile makes the change stale. */
const restoringWrites = async (
  work: Work,
  current: StoredInspection,
  fields: readonly OriginalField[],
): Promise<Write[]> => {
  const restored = withOriginals(current, fields);
  const index = await contentOf(work, current.template_id, current.content_hash);
  const start = await changeStartAnswers(work, index, restored.start_answers, current, current.id);
  const revisions = setupRevisions(current, restored);
  const after = nextVersion(work, current, {
    ...restored,
    ...start.fields,
    correction_revisions: current.correction_revisions + revisions.length,
  });
  return [
    ...inspectionChange(work, current, after, { withAnswers: true }).map((each) => ({
      ...each,
      otherwise: () => 'stale' as const,
    })),
    ...start.writes,
    ...revisionWrites(work, current, revisions),
    inspectionEvent(work, after),
  ];
};

/**
 * Restores the setup and the start answers that a correction has changed, in as many transactions as needed.
 * @throws ApiError 404
 */
const restoreSetup = (caller: Caller, inspectionId: string, id: string): Promise<void> =>
  changeInParts(caller, () => async (work): Promise<PartDecision> => {
    const { inspection } = await readCorrection(work, inspectionId, id);
    // Another request has ended the correction meanwhile.
    if (inspection.active_correction_id !== id) return { writes: [], isLast: true };
    const { fields } = await originals(work, inspectionId, id);
    const wanted = await restorable(work, fields);
    const some: OriginalField[] = [];
    let writes = 0;
    const { isAll } = takeWhatFits(
      wanted.filter((field) => !isRestored(inspection, field)),
      (field) => writes + maxWritesOf(inspection, field) <= MAX_WRITES,
      (field) => {
        writes += maxWritesOf(inspection, field);
        some.push(field);
      },
    );
    if (some.length === 0) return { writes: [], isLast: true };
    return { writes: await restoringWrites(work, inspection, some), isLast: isAll };
  });

/**
 * Takes back all changes of a correction: answers and the setup are restored, without resources that were deleted
 * since, and the findings that it has added are deleted. Each of these changes is a revision. The step has begun. When
 * it is interrupted, calling this again completes it.
 * @throws ApiError 404; 409 when the step was not begun, or has been completed
 */
export const takeBack = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'reject' | 'discard',
): Promise<Correction> => {
  await restoreAnswers(caller, inspectionId, id);
  const { findingIds, fields } = await originals(caller, inspectionId, id);
  for (const findingId of findingIds) await findings.takeBack(caller, inspectionId, id, findingId);
  await restoreSetup(caller, inspectionId, id);
  if (fields.some(({ name }) => name === 'location_id' || name === 'client_account_id'))
    await moveFindings(caller, inspectionId);
  return completeStep(caller, inspectionId, id, step, async (_, work) => ({
    correction: step === 'discard' ? closedNow(work) : {},
  }));
};
