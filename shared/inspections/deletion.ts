import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { shownDocuments } from '../domain/content/shown-documents.ts';
import { isAnswered } from '../domain/content/values/answer.ts';
import { change, changeInParts, type PartDecision, type Work } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredAnswer, StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { isPart, queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { issuedBy } from './certificates/issue.ts';
import { certificateEvent, certificateRecords } from './certificates/records.ts';
import { countReinspections } from './reinspection-chain.ts';
import { inspectionRecords, inspectionRemoval, isUnchanged } from './rows/inspection-records.ts';
import { forgetLinks, NO_LINKS } from './rows/issue-records.ts';
import { deleteRows, rowsBelow } from './rows/rows-below.ts';

/** The writes that no longer count a re-inspection, and those after it, at the inspections before it. */
const uncountReinspection = (
  work: Work,
  { reinspection_of_id, reinspections_count }: StoredInspection,
): Promise<Write[]> => countReinspections(work, reinspection_of_id, -1 - reinspections_count);

/** The writes that remove a deleted inspection from its issue. Calls: as `forgetLinks`. */
const forgetInspection = (work: Work, id: string, issueId: string | null | undefined): Promise<Write[]> =>
  forgetLinks(work, issueId, ({ inspection_id }) => (inspection_id === id ? NO_LINKS : {}));

/** Certificates that are deleted in one transaction. */
const MAX_CERTIFICATES = 8;

/**
 * The writes that delete some of the certificates of an inspection that is deleted as a whole. One call where it has
 * issued none, and none where it was never completed.
 */
const certificateRemovals = async (
  work: Work,
  id: string,
  inspection: Row<StoredInspection> | undefined,
): Promise<Write[]> => {
  if (inspection && inspection.completed_at === null) return [];
  const certificates = await issuedBy(work, id);
  return certificates
    .slice(0, MAX_CERTIFICATES)
    .flatMap((certificate) => [
      ...resource.remove(certificateRecords, work, certificate),
      certificateEvent(work, 'deleted', certificate),
    ]);
};

/**
 * Deletes rows below an inspection, as many as fit into one transaction, and the inspection itself together with the
 * last of them.
 * @param inspection undefined when an earlier, interrupted deletion has deleted it
 */
const deleteSome = async (
  work: Work,
  id: string,
  inspection: Row<StoredInspection> | undefined,
): Promise<PartDecision> => {
  const certified = await certificateRemovals(work, id, inspection);
  if (certified.length > 0) return { writes: certified, isLast: false };
  const { deleted, writes, isAll } = await deleteRows(work, inspection, rowsBelow(work, id));
  const raised = deleted.filter((row) => isPart(row, 'RAISED'));
  if (raised.length > 0) {
    const forgetting = await Promise.all(
      raised.map(({ sk }) => forgetInspection(work, id, sk.split('#')[1])),
    );
    // Another transaction deletes the inspection. This one has no room for its rows.
    return { writes: [...writes, ...forgetting.flat()], isLast: false };
  }
  if (!isAll || !inspection) return { writes, isLast: isAll };
  return {
    writes: [
      // The inspection and its answers may show the same documents.
      ...combineCounts([...writes, ...inspectionRemoval(work, inspection)]),
      ...(await forgetInspection(work, id, inspection.issue_id)),
      ...(await uncountReinspection(work, inspection)),
    ],
    isLast: true,
  };
};

/** The maximum of rows of one kind that are counted for an error message, so that a count costs one call. */
const MAX_COUNTED = 100;

/** Emptied answers that are deleted with the inspection. A worker deletes the others, and the history. */
const MAX_EMPTIED_WRITES = 45;

/** Rows below an inspection that no counter of its row counts. */
const COUNTED_ROWS = {
  correction: 'CORRECTION',
  certificate: 'CERTIFICATE',
  'corrective action': 'ACTION',
  'reported issue': 'RAISED',
  report: 'REPORT',
} as const;

type CountedRow = (typeof COUNTED_ROWS)[keyof typeof COUNTED_ROWS];

const countUpTo = async (caller: Caller, id: string, part: CountedRow): Promise<number> => {
  const rows = queryRows<object>(caller, {
    ...keys.parts(caller, 'INSPECTION', id, part),
    pageSize: MAX_COUNTED,
    only: [],
  });
  let count = 0;
  for await (const _ of rows) {
    count += 1;
    if (count === MAX_COUNTED) break;
  }
  return count;
};

const OWN_ANSWER = [
  'value',
  'is_na',
  'note',
  'media',
  'is_prefilled',
  'is_carried_over',
] as const satisfies (keyof StoredAnswer)[];

type OwnAnswer = Pick<StoredAnswer, (typeof OWN_ANSWER)[number]>;

/**
 * The records of an inspection without answers: all were emptied or are only prefilled. For a re-inspection, the
 * records that it has not carried over. No call when the inspection's row tells that it has answers, or never had a
 * record.
 */
const ownAnswers = async (
  caller: Caller,
  { id, answered, answers_revision, reinspection_of_id }: StoredInspection,
): Promise<Row<OwnAnswer>[]> => {
  if ((answered > 0 && !reinspection_of_id) || answers_revision === 0) return [];
  const range = keys.parts(caller, 'INSPECTION', id, 'ANSWER');
  const all = await Array.fromAsync(queryRows<OwnAnswer>(caller, { ...range, only: OWN_ANSWER }));
  return all.filter(({ is_carried_over }) => !is_carried_over);
};

/** The work in an inspection: how many things of each kind. Documents and notes of its answers count as well. */
const heldWork = async (
  caller: Caller,
  inspection: StoredInspection,
  own: readonly OwnAnswer[],
): Promise<errors.HeldWork[]> => {
  const { id, answered, findings_count, reinspections_count, comment, start_answers } = inspection;
  const parts = await Promise.all(
    Object.entries(COUNTED_ROWS).map(async ([noun, part]) => {
      const count = await countUpTo(caller, id, part);
      return { noun, count, isMore: count === MAX_COUNTED };
    }),
  );
  const isAgain = Boolean(inspection.reinspection_of_id);
  const notes = own.filter(({ note, is_prefilled }) => note !== '' && !is_prefilled).length;
  const shown = shownDocuments([start_answers, own.map(({ media }) => media)]);
  const held: errors.HeldWork[] = [
    { noun: 'answer', count: isAgain ? own.filter(isAnswered).length : answered },
    { noun: 'finding', count: findings_count },
    { noun: 're-inspection', count: reinspections_count },
    ...parts,
    { noun: 'document', count: shown.size },
    { noun: 'comment', count: notes + Number(comment !== null) },
  ];
  return held.filter(({ count }) => count > 0);
};

/**
 * Deletes an inspection that holds no work, whatever its status. Work that is added meanwhile changes a revision of the
 * inspection, and the deletion is decided again.
 * @throws ApiError 404; 409 for another version, or counting the work that it holds
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const inspection = await inspectionRecords.get(work, id);
    expectVersion(inspectionRecords.noun, inspection, expectedVersion);
    const own = await ownAnswers(work, inspection);
    const held = await heldWork(work, inspection, own);
    if (held.length > 0) throw errors.inspectionNotEmpty(inspection.status, held);
    const deleted = own.slice(0, MAX_EMPTIED_WRITES);
    return {
      writes: [
        ...inspectionRemoval(work, inspection),
        write.drop(keys.answerState(work, id)),
        write.drop(keys.reportCount(work, id)),
        ...deleted.map((row) => write.drop(write.keyOf(row))),
        // Every inspection has a history.
        enqueue(work, 'cleanup', { inspection_id: id }),
        ...(await forgetInspection(work, id, inspection.issue_id)),
        ...(await uncountReinspection(work, inspection)),
      ],
      reply: null,
    };
  });

/**
 * Deletes some rows below an inspection that was deleted, or whose creation was interrupted. An inspection that exists
 * keeps all of them. The reply is whether there may be more.
 */
export const deleteSomeOfInspection = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async (work) => {
    if (await inspectionRecords.find(work, id)) return { writes: [], reply: false };
    const { writes, isLast } = await deleteSome(work, id, undefined);
    return { writes, reply: !isLast };
  });

/**
 * Deletes an inspection and everything below it, in as many transactions as it takes. The last one deletes the
 * inspection itself, so an interrupted deletion is completed by calling this again.
 * @param isMeant whether to delete the inspection, as it is now. Each transaction fails when it has changed since.
 */
export const deleteWhole = (
  caller: Caller,
  id: string,
  isMeant: (inspection: StoredInspection) => boolean = () => true,
): Promise<void> =>
  changeInParts(caller, () => async (work) => {
    const row = await inspectionRecords.find(work, id);
    if (row && !isMeant(row)) return { writes: [], isLast: true };
    const part = await deleteSome(work, id, row);
    if (!row || part.isLast) return part;
    const isAsRead = write.check(inspectionRecords.key(work, id), undefined, isUnchanged(row));
    return { ...part, writes: [...part.writes, isAsRead] };
  });
