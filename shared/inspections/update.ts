import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { acceptsAnswers, isOpen, unsubmitted } from '../domain/inspections/workflow.ts';
import { fieldsFor } from '../schemas/inspections/fields.ts';
import type {
  Inspection,
  InspectionChanges,
  OwnInspectionChanges,
  Participant,
} from '../schemas/inspections/inspection.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { mergeLabelled } from '../table/labels.ts';
import { reference, resolve } from '../table/references.ts';
import { settleHidden, settlingTask } from './answers/settle-hidden.ts';
import { editInspection } from './edit.ts';
import { moveFindings } from './findings/repeats.ts';
import { expectPart } from './rows/acting.ts';
import { assetInService, inspectionRecords, PLACING } from './rows/inspection-records.ts';
import { namesNow } from './rows/names-then.ts';
import { revisionWrites, setupRevisions } from './rows/revisions.ts';
import { resolveSetup, setupReferences } from './setup.ts';
import { answerStartQuestions } from './start-answers.ts';

/** What the organization files an inspection by, and so can change at any time. */
const ALWAYS = new Set(['external_ref', 'tags', 'metadata']);

/**
 * @throws ApiError 409 for changes that the inspection does not accept in its status. While a completed inspection is
 * being corrected, it accepts what a correction can change; `external_ref`, tags and metadata can always change.
 */
const expectChangeable = (current: StoredInspection, changes: InspectionChanges): void => {
  const names = Object.keys(changes).filter((name) => !ALWAYS.has(name));
  const correctable = new Set<string>(fieldsFor('correction'));
  const isAccepted =
    isOpen(current.status) || (acceptsAnswers(current) && names.every((name) => correctable.has(name)));
  if (names.length > 0 && !isAccepted) throw errors.inspectionLocked(current.status);
};

/** The fields whose names a completed inspection keeps. */
const NAMING = ['client_account_id', 'location_id', 'participants'] as const;

/** The participants that a correction sets. Their parts count as submitted, because the work is done. */
const withSubmittedParts = (
  participants: readonly Participant[],
  { submitted_at }: StoredInspection,
): Participant[] => {
  const late = unsubmitted(participants);
  return participants.map((participant) =>
    late.includes(participant) ? { ...participant, status: 'submitted', submitted_at } : participant,
  );
};

/**
 * Changes the setup of an inspection.
 * @param check throws for an inspection that the caller may not change
 * @throws ApiError as `update`, and what `check` throws
 */
const changeSetup = async (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion: number | undefined,
  check: (current: StoredInspection) => void = () => {},
): Promise<Inspection> => {
  let isTurning = false;
  const inspection = await editInspection(caller, id, async (current, work) => {
    check(current);
    const [, ...found] = await resolve(work, [
      reference(work, 'asset_id', 'ASSET', changes.asset_id),
      ...setupReferences(work, changes, current),
    ]);
    const setup = await resolveSetup(work, changes, current, found);
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    expectChangeable(current, changes);
    const start = await answerStartQuestions(work, changes, current, id);
    const labelled = mergeLabelled(current, changes);
    const next = { ...labelled, ...setup, ...start.fields };
    // Findings follow the answers of a correction when it takes effect.
    isTurning = start.isTurning && current.correction_stage === null;
    const follow = isTurning ? [settlingTask(work, id)] : [];
    const isOfOther = changes.asset_id && changes.asset_id !== current.asset_id;
    const checks = isOfOther ? [assetInService(work, changes.asset_id!)] : [];
    if (current.correction_stage !== 'open') {
      // To name the people, the place and the dates is not the work that is approved.
      const isWork = !isDeepStrictEqual(next.start_answers ?? current.start_answers, current.start_answers);
      return { fields: next, writes: [...start.writes, ...follow, ...checks], isWork };
    }
    const corrected = {
      ...next,
      participants: withSubmittedParts(setup.participants, current),
      ...(NAMING.some((field) => changes[field] !== undefined) && {
        names_then: await namesNow(work, { ...current, ...next, ...setup }, current.names_then),
      }),
    };
    const revisions = setupRevisions(current, { ...current, ...corrected });
    return {
      fields: { ...corrected, correction_revisions: current.correction_revisions + revisions.length },
      writes: [...start.writes, ...follow, ...revisionWrites(work, current, revisions)],
      withAnswers: true,
      isWork: true,
    };
  });
  const isMoved = PLACING.some((field) => changes[field] !== undefined);
  // The task does the same. Whoever has moved the inspection finds its findings where it is.
  if (isMoved && inspection.findings_count > 0) await moveFindings(caller, id);
  if (!isTurning) return inspection;
  await settleHidden(caller, id);
  const { findings_count, open_corrective_actions_count } = await inspectionRecords.get(caller, id);
  return { ...inspection, findings_count, open_corrective_actions_count };
};

/** @throws ApiError 404; 400 for a resource that does not exist; 409 for another version or a locked inspection */
export const update = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> =>
  changeSetup(caller, id, changes, expectedVersion, (current) => expectPart(caller, current));

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
