import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../base/caller.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import { shownDocuments, withoutDocuments } from '../../../domain/content/shown-documents.ts';
import { isAnswered } from '../../../domain/content/values/answer.ts';
import { AnswerBatch, type AnswerChange } from '../../answers/batch/answer-batch.ts';
import { inspectionIn, inspectionKeys } from '../../answers/batch/inspection-rows.ts';
import { LoadedRows } from '../../answers/batch/loaded-rows.ts';
import * as documents from '../../documents/documents.ts';
import { givenIn } from '../../inspection-core/answer-record.ts';
import { changeInParts, type Part, takeWhatFits } from '../../table/change-in-parts.ts';
import type { Work } from '../../table/change.ts';
import type { StoredAnswer } from '../../table/entities.ts';
import { contentOf } from '../../templates/content.ts';
import { type OriginalRecord, originals } from '../originals.ts';

/**
 * Those of the documents in `shown` that do not exist any more. What the correction removed was used by nobody, so it
 * could be deleted.
 */
export const deletedDocuments = async (
  caller: Caller,
  rows: LoadedRows,
  shown: unknown,
): Promise<Set<string>> => {
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

/** The changes that bring records back to what they were; none for those that are already. */
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
 * Brings the answers that a correction has changed back to what they were, in as many transactions as it takes.
 * @throws ApiError 404
 */
export const restoreAnswers = (caller: Caller, inspectionId: string, id: string): Promise<void> =>
  changeInParts(caller, () => async (work): Promise<Part> => {
    const { records } = await originals(work, inspectionId, id);
    const rows = new LoadedRows(work);
    await rows.load([...inspectionKeys(work, inspectionId), ...records.map(({ key }) => key)]);
    const inspection = inspectionIn(work, rows, inspectionId);
    // Another request has ended the correction meanwhile.
    if (inspection.active_correction_id !== id) return { writes: [], isLast: true };
    const index = await contentOf(work, inspection.template_id, inspection.content_hash);
    const shown = records.map(({ before }) => before && [before.value, before.media]);
    const deleted = await deletedDocuments(work, rows, shown);
    const batch = await AnswerBatch.begin(work, inspection, index, rows);
    const transitions = restorations(work, index, rows, records, deleted).map((change) =>
      batch.transitionOf(change),
    );
    const { isAll } = takeWhatFits(
      transitions,
      (transition) => batch.fits(transition),
      (transition) => batch.add(transition),
    );
    return { writes: await batch.writes(), isLast: isAll };
  });
