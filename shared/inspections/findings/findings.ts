import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { evaluate } from '../../domain/content/conditions/evaluate.ts';
import { type ContentIndex, resolveInstance } from '../../domain/content/content-index.ts';
import { unitLocation } from '../../domain/content/new-finding.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import { documentsRemoved } from '../../domain/inspections/activity.ts';
import { audienceIn, notify } from '../../notices/notify.ts';
import type {
  Finding,
  FindingChanges,
  FindingContentChanges,
  FindingQuery,
  NewFinding,
} from '../../schemas/finding.ts';
import type { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import {
  change,
  changeInParts,
  MAX_TRANSACTION_WRITES,
  type PartDecision,
  type Work,
} from '../../table/change.ts';
import { expectVersion } from '../../table/collection.ts';
import { both } from '../../table/conditions.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { mergeLabelled, withLabels } from '../../table/labels.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { getRow, getRows, isPart, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { combineCounts, type Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { expectPart } from '../rows/acting.ts';
import { answerStateKey, knownAnswers } from '../rows/answer-records.ts';
import {
  activityWrites,
  addToCounters,
  expectUnarchived,
  inspectionRecords,
  isPlaced,
  isUnarchived,
  placeOf,
  readChild,
  statusIsNot,
} from '../rows/inspection-records.ts';
import { forgetLinks } from '../rows/issue-records.ts';
import { listWithCurrentNames, namesOfFinding, withCurrentNames } from '../rows/names-then.ts';
import { findingRevision, isCorrectionUnchanged, revisionWrites } from '../rows/revisions.ts';
import { deleteRows, findingEvent, findingRecords, withRowsBelow } from '../rows/rows-below.ts';
import {
  actionsOf,
  closedActions,
  findingChange,
  findingKey,
  newFinding,
  nextFindingNumber,
  NOUN,
  REOPENED,
  resolved,
  toFinding,
} from './records.ts';
import { readRepeats } from './repeats.ts';

/** Findings of inspections. People create them, and answers that fail do (`answers/consequences.ts`). */

/** Findings can still be added while an inspection waits for approval or sign-off; later only in a correction. */
const CLOSED: InspectionStatus[] = ['completed', 'archived'];

type FindingPosition = Pick<Finding, 'section_id' | 'field_id' | 'instance_path'>;

/** The position of a new finding. @throws ApiError 400 for a position that the content does not have */
const resolvePosition = (
  index: ContentIndex,
  { section_id, field_id, instance_path }: NewFinding,
): FindingPosition => {
  if (field_id === null) {
    if (section_id !== null && !index.sections.has(section_id)) {
      throw errors.notInTemplate('section_id is not a section of this inspection');
    }
    return { section_id, field_id, instance_path };
  }
  const { section } = placeOf(index, field_id, section_id);
  const instance = resolveInstance(index, field_id, undefined, instance_path);
  if (Array.isArray(instance)) throw errors.notInTemplate(`instance_path: ${instance[0]!.msg}`);
  return { section_id: section.id, field_id, instance_path: instance.instance_path };
};

/**
 * The location that the repeat sections around a position give; null for none. Calls: none when no section has a field
 * for it, else one, and as `knownAnswers`.
 */
const readUnitLocation = async (
  caller: Caller,
  { id, start_answers }: StoredInspection,
  index: ContentIndex,
  { field_id, instance_path }: FindingPosition,
): Promise<string | null> => {
  const repeats = index.fields.get(field_id ?? '')?.repeats ?? [];
  if (!repeats.some(({ repeat }) => repeat.location_field_id)) return null;
  const state = await getRow(caller, answerStateKey(caller, id));
  const known = await knownAnswers(caller, id, index, state);
  return unitLocation(evaluate(index, known.values(), start_answers), { repeats }, instance_path);
};

/** A finding as it is sent to clients. Calls: as `readRepeats`. */
const withRepeat = async (
  caller: Caller,
  inspection: StoredInspection,
  finding: StoredFinding,
): Promise<Finding> => toFinding(finding, (await readRepeats(caller, inspection, [finding]))(finding));

/**
 * A new finding. In a completed inspection it is part of the open correction.
 * @throws ApiError 404; 400 for a position or a document that does not exist; 409 for an archived inspection, and for a
 *   completed one without an open correction
 */
export const create = async (caller: Caller, inspectionId: string, request: NewFinding): Promise<Finding> => {
  let number: number | undefined;
  return change(caller, async (work) => {
    const inspection = await inspectionRecords.get(work, inspectionId);
    expectPart(work, inspection);
    const hasPosition = request.section_id !== null || request.field_id !== null;
    const index = hasPosition
      ? await contentOf(work, inspection.template_id, inspection.content_hash)
      : undefined;
    const position = index && resolvePosition(index, request);
    const location_id = position ? await readUnitLocation(work, inspection, index, position) : null;
    const shown = shownDocuments(request.content);
    const [family] = await resolve(work, [
      reference(work, 'template_family_id', 'FAMILY', inspection.template_family_id),
      ...[...shown].map((id) => reference(work, 'content.media', 'DOCUMENT', id)),
    ]);
    const isCorrection = inspection.correction_stage === 'open';
    if (CLOSED.includes(inspection.status) && !isCorrection) {
      throw errors.inspectionLocked(inspection.status);
    }
    number ??= await nextFindingNumber(work);
    const { finding, writes } = newFinding(work, number, inspection, {
      ...request,
      ...position,
      location_id,
      origin: 'manual',
    });
    return {
      writes: [
        ...writes,
        ...notify(work, 'findingCreated', { inspection, finding }, audienceIn(family, 'on_finding')),
        addToCounters(
          work,
          inspectionId,
          {
            findings_count: 1,
            findings_revision: 1,
            parts_revision: 1,
            correction_revisions: Number(isCorrection),
          },
          both(
            isCorrection ? isCorrectionUnchanged(inspection) : statusIsNot(...CLOSED),
            isPlaced(inspection),
          ),
          { isWork: true },
        ),
        ...(isCorrection ? revisionWrites(work, inspection, [findingRevision(finding, 'add')]) : []),
      ],
      reply: await withRepeat(work, inspection, finding),
    };
  });
};

/** Documents that one change of a finding adds or removes. Each takes a write, beside those of the finding itself. */
const MAX_EXCHANGED_DOCUMENTS = MAX_TRANSACTION_WRITES - 7;

/** @throws ApiError 422 when a change adds and removes more documents than one transaction can */
const checkExchangedDocuments = (count: number): void => {
  if (count <= MAX_EXCHANGED_DOCUMENTS) return;
  throw errors.validationFailed([
    {
      loc: ['body', 'media'],
      type: 'value_error',
      msg: `Value error, adds and removes too many documents in one request (maximum ${MAX_EXCHANGED_DOCUMENTS})`,
    },
  ]);
};

/** One change of a finding. */
const changeFinding = (
  caller: Caller,
  id: string,
  changes: FindingChanges & { content?: FindingContentChanges },
  expectedVersion: number | undefined,
): Promise<Finding> =>
  change(caller, async (work) => {
    const { child, inspection } = await readChild(work, 'FINDING', id);
    const current = withoutKeys(child);
    const next = mergeLabelled(current, changes);
    const added = shownDocuments(next).difference(shownDocuments(current));
    await resolve(
      work,
      [...added].map((documentId) => reference(work, 'media', 'DOCUMENT', documentId)),
    );
    expectVersion(NOUN, current, expectedVersion);
    const reply = (finding: StoredFinding) => withRepeat(work, inspection, finding);
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: await reply(current) };
    expectUnarchived(inspection);
    if (next.status === 'resolved' && current.status === 'open') await closedActions(work, current);
    const removed = shownDocuments(current).difference(shownDocuments(next));
    checkExchangedDocuments(added.size + removed.size);
    const fields = {
      ...next,
      ...(next.status !== current.status &&
        (next.status === 'open'
          ? REOPENED
          : resolved(work, await namesOfFinding(work, inspection, current)))),
    };
    const { finding, writes } = findingChange(work, current, fields, inspection);
    return {
      writes: [
        ...writes,
        addToCounters(work, current.inspection_id, { findings_revision: 1 }, isUnarchived, {
          isWork: true,
        }),
        ...activityWrites(work, current.inspection_id, documentsRemoved(current, next)),
      ],
      reply: await reply(finding),
    };
  });

/** @throws ApiError 404; 409 for another version, an archived inspection, or a resolution while an action is open */
export const update = (
  caller: Caller,
  id: string,
  changes: FindingChanges,
  expectedVersion?: number,
): Promise<Finding> => changeFinding(caller, id, changes, expectedVersion);

/** @throws ApiError 404; 400 for a document that does not exist; 409 for another version or an archived inspection */
export const updateContent = (
  caller: Caller,
  id: string,
  content: FindingContentChanges,
  expectedVersion?: number,
): Promise<Finding> => changeFinding(caller, id, { content }, expectedVersion);

/** The writes of a finding's inspection, from the change of its counters and whether the finding is deleted. */
type InspectionWritesOf = (deletion: { add: Parameters<typeof addToCounters>[2]; isAll: boolean }) => Write[];

/**
 * Deletes the actions of a finding, as many as fit into one transaction, and the finding together with the last of
 * them.
 */
const deleteSome = async (
  work: Work,
  inspection: StoredInspection,
  finding: StoredFinding,
  actions: readonly Row<StoredAction>[],
  inspectionWritesOf: InspectionWritesOf,
): Promise<PartDecision> => {
  const { id, corrective_actions_count } = finding;
  const { deleted, writes, isAll } = await deleteRows(work, inspection, withRowsBelow(work, actions));
  const deletedActions = deleted.filter((row) => isPart(row, 'ACTION'));
  const issueIds = new Set(deletedActions.flatMap(({ issue_id }) => issue_id ?? []));
  const forgetting = await Promise.all(
    [...issueIds].map((issueId) =>
      forgetLinks(work, issueId, (linked) => ({
        ...(isAll && linked.finding_id === id && { finding_id: null }),
        ...(deletedActions.some((action) => action.id === linked.corrective_action_id) && {
          corrective_action_id: null,
        }),
      })),
    ),
  );
  return {
    writes: [
      ...(isAll
        ? [
            // The finding and its actions may show the same documents.
            ...combineCounts([...writes, ...resource.remove(findingRecords, work, finding)]),
            findingEvent(work, 'deleted', finding, inspection),
          ]
        : [
            ...writes,
            ...findingChange(
              work,
              finding,
              { corrective_actions_count: corrective_actions_count - deletedActions.length },
              inspection,
            ).writes,
          ]),
      ...forgetting.flat(),
      ...inspectionWritesOf({
        isAll,
        add: {
          findings_revision: 1,
          findings_count: isAll ? -1 : 0,
          open_corrective_actions_count: -deletedActions.filter(({ status }) => isActionOpen(status)).length,
        },
      }),
    ],
    isLast: isAll,
  };
};

/**
 * Deletes a finding with its closed actions.
 * @throws ApiError 404; 409 for another version, an archived inspection or an open action
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<void> => {
  let expected = expectedVersion;
  return changeInParts(caller, () => {
    const version = expected;
    // Each part increases the version, so only the first one can expect that of the request.
    expected = undefined;
    return async (work) => {
      const { child, inspection } = await readChild(work, 'FINDING', id);
      const finding = withoutKeys(child);
      expectVersion(NOUN, finding, version);
      expectUnarchived(inspection);
      const actions = await closedActions(work, finding);
      return deleteSome(work, inspection, finding, actions, ({ add }) => [
        addToCounters(work, inspection.id, add, isUnarchived, { isWork: true }),
      ]);
    };
  });
};

/**
 * Takes back a finding that a correction has added: deletes it with its actions, whatever their status. The deletion is
 * a revision of the correction. Does nothing when the finding was deleted already.
 * @param correctionId the active correction, which accepts no other changes any more
 */
export const takeBack = (
  caller: Caller,
  inspectionId: string,
  correctionId: string,
  id: string,
): Promise<void> =>
  changeInParts(caller, () => async (work) => {
    const [row, inspection] = await getRows(work, [
      findingKey(work, inspectionId, id),
      inspectionRecords.key(work, inspectionId),
    ]);
    if (!row || inspection?.active_correction_id !== correctionId) return { writes: [], isLast: true };
    const finding = withoutKeys(row);
    const actions = await actionsOf(work, finding);
    return deleteSome(work, inspection, finding, actions, ({ add, isAll }) => [
      addToCounters(
        work,
        inspectionId,
        { ...add, correction_revisions: Number(isAll) },
        isCorrectionUnchanged(inspection),
      ),
      ...(isAll ? revisionWrites(work, inspection, [findingRevision(finding, 'remove')]) : []),
    ]);
  });

const KIND = 'FINDING';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Finding> => {
  const { child, inspection } = await readChild(caller, KIND, id);
  const [finding] = await withCurrentNames(caller, [child]);
  return withRepeat(caller, inspection, finding!);
};

/** Findings with what they repeat, those of `isRepeat` alone where that is given. Memory holds all of them. */
const withRepeats = async function* (
  caller: Caller,
  inspection: StoredInspection,
  found: AsyncIterable<Row<StoredFinding>>,
  isRepeat: boolean | undefined,
) {
  const findings = await Array.fromAsync(found);
  const repeatOf = await readRepeats(caller, inspection, findings);
  for (const finding of findings) {
    const repeat = repeatOf(finding);
    if (isRepeat === undefined || isRepeat === (repeat !== null)) yield { finding, repeat };
  }
};

/** The findings of one inspection, in creation order. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: FindingQuery,
): Promise<Listing<Finding>> => {
  const name = `${KIND} ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const inspection = await inspectionRecords.get(caller, inspectionId);
  const { status, severity, origin, external_ref } = query;
  const found = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, KIND),
    after,
    updatedSince: query.updated_since,
    where: {
      status,
      severity,
      origin: origin && [origin],
      external_ref: external_ref === undefined ? undefined : [external_ref],
    },
  });
  return listing(
    caller,
    name,
    query,
    withRepeats(caller, inspection, listWithCurrentNames(caller, withLabels(found, query)), query.repeat),
    ({ finding }) => finding.sk,
    ({ finding, repeat }) => toFinding(finding, repeat),
  );
};
