import type { Caller } from '../../../base/caller.ts';
import { withoutDocuments } from '../../../domain/content/shown-documents.ts';
import type { Correction } from '../../../schemas/inspections/correction.ts';
import { LoadedRows } from '../../answers/batch/loaded-rows.ts';
import { transition, inspectionEvent } from '../../inspection-core/record.ts';
import { changeStartAnswers } from '../../inspections/setup/start-answers.ts';
import { change } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { contentOf } from '../../templates/content.ts';
import { beginEnd, ended, expectOpenTo } from '../ending.ts';
import { readCorrection } from '../record.ts';
import { deletedDocuments, originals, restoreAnswers } from './restore-answers.ts';

/** The start answers as they were before the correction, without documents that do not exist any more. */
const originalStart = async (
  caller: Caller,
  inspection: StoredInspection,
  id: string,
): Promise<StoredInspection['start_answers']> => {
  const { startAnswers } = await originals(caller, inspection.id, id);
  const deleted = await deletedDocuments(caller, new LoadedRows(caller), [...startAnswers.values()]);
  const answers = { ...inspection.start_answers, ...Object.fromEntries(startAnswers) };
  return Object.fromEntries(
    Object.entries(answers).flatMap(([key, value]) => {
      const left = withoutDocuments(value, deleted);
      return left === null ? [] : [[key, left] as const];
    }),
  );
};

/** The last step: the correction is discarded, and the inspection has its start answers back. */
const finish = (caller: Caller, inspectionId: string, id: string): Promise<Correction> =>
  change(caller, async () => {
    const { inspection: current, correction } = await readCorrection(caller, inspectionId, id);
    expectOpenTo('discarding', correction, current);
    const start = await originalStart(caller, current, id);
    const index = await contentOf(caller, current.template_id, current.content_hash);
    const startChange = await changeStartAnswers(caller, index, start, current, inspectionId);
    const { next, write, fields } = ended(caller, correction, current, 'discarded');
    const after = nextVersion(current, { ...startChange.fields, ...fields });
    return {
      writes: [
        ...transition(caller, current, after, { withAnswers: true }),
        ...startChange.writes,
        write,
        inspectionEvent(caller, after),
      ],
      reply: next,
    };
  });

/**
 * Discards a correction: every answer is again what it was before, without documents that were deleted since. From the
 * first step on the correction accepts no changes; when discarding is interrupted, calling it again completes it.
 * @param expectedVersion the inspection's
 * @throws ApiError 404; 409 for another version, a correction that has ended, or one that is being closed
 */
export const discard = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  expectedVersion?: number,
): Promise<Correction> => {
  await beginEnd(caller, inspectionId, id, 'discarding', expectedVersion);
  await restoreAnswers(caller, inspectionId, id);
  return finish(caller, inspectionId, id);
};
