import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { merge } from '../../../base/merge.ts';
import { acceptsAnswers, isOpen } from '../../../domain/inspections/workflow.ts';
import type {
  Inspection,
  InspectionChanges,
  OwnInspectionChanges,
} from '../../../schemas/inspections/inspection.ts';
import { inspectionRecords } from '../../inspection-core/record.ts';
import { revisionWrites } from '../../inspection-core/revisions.ts';
import { expectVersion } from '../../table/collection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { resolve } from '../../table/references.ts';
import { editInspection } from '../edit.ts';
import { resolveSetup, setupReferences } from './participants.ts';
import { answerStartQuestions } from './start-answers.ts';

/** The changes of start answers by a correction, one per key. */
const startRevisions = (before: StoredInspection, after: StoredInspection) => {
  const [was, is] = [before.start_answers, after.start_answers];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => !isDeepStrictEqual(was[key], is[key]))
    .map((key) => ({
      revision: {
        answer_source: 'start' as const,
        field_id: key,
        section_id: null,
        instance_index: 0,
        instance_path: '',
        previous_value: was[key] ?? null,
        value: is[key] ?? null,
        previous_note: '',
        note: '',
        previous_is_na: false,
        is_na: false,
        version: before.version + 1,
      },
      before: was[key],
    }));
};

/**
 * @throws ApiError 409 for changes that the inspection does not accept in its status. While a completed inspection is
 * being corrected, it accepts start answers only.
 */
const expectChangeable = (current: StoredInspection, changes: InspectionChanges): void => {
  const { start_answers: _, ...rest } = changes;
  const isAccepted = acceptsAnswers(current) && (isOpen(current.status) || Object.keys(rest).length === 0);
  if (Object.keys(changes).length > 0 && !isAccepted) throw errors.inspectionLocked(current.status);
};

/**
 * Changes the setup of an inspection.
 * @param check what else the inspection has to meet; it throws when it does not
 * @throws ApiError as `update`, and what `check` throws
 */
const changeSetup = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion: number | undefined,
  check: (current: StoredInspection) => void = () => {},
): Promise<Inspection> =>
  editInspection(caller, id, async (current) => {
    check(current);
    const found = await resolve(caller, setupReferences(caller, changes, current));
    const setup = await resolveSetup(caller, changes, current, found);
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    expectChangeable(current, changes);
    const start = await answerStartQuestions(caller, changes, current, id);
    const next = { ...merge<object>(current, changes), ...setup, ...start.fields };
    if (isOpen(current.status)) return { fields: next, writes: start.writes };
    const revisions = startRevisions(current, { ...current, ...next });
    return {
      fields: { ...next, correction_revisions: current.correction_revisions + revisions.length },
      writes: [...start.writes, ...revisionWrites(caller, current, revisions)],
      withAnswers: true,
    };
  });

/** @throws ApiError 404; 400 for a resource that does not exist; 409 for another version or a locked inspection */
export const update = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> => changeSetup(caller, id, changes, expectedVersion);

/** The same for an inspection that the caller created for itself. @throws ApiError as `update`; 403 for another one */
export const updateOwn = (
  caller: Caller,
  id: string,
  changes: OwnInspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> =>
  changeSetup(caller, id, changes, expectedVersion, ({ source, created_by }) => {
    if (source !== 'self' || created_by !== caller.user_id) throw errors.notYourInspection();
  });
