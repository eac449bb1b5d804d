import type { Caller } from '../../base/caller.ts';
import type { ReportedAnswer, ReportedAttachment, ReportedRevision } from '../../domain/report/sources.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import { revisionOf } from '../inspection-core/revisions.ts';
import type { StoredAction, StoredRevision } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { isPart, queryRows, type Row } from '../table/rows.ts';

/** A change of an answer, with the correction that it belongs to. */
const toRevision = (row: Row<StoredRevision>): ReportedRevision => ({
  ...revisionOf(row).revision,
  correction_id: row.sk.split('#')[1]!,
});

/** The rows below an inspection that its reports show. A Query per megabyte of all that is below it. */
export const readParts = async (caller: Caller, inspectionId: string) => {
  const answers: ReportedAnswer[] = [];
  const findings: Finding[] = [];
  const actions: StoredAction[] = [];
  const corrections: Correction[] = [];
  const revisions: ReportedRevision[] = [];
  for await (const row of queryRows(caller, { partition: keys.below(caller, 'INSPECTION', inspectionId) })) {
    if (isPart(row, 'ANSWER')) answers.push(row);
    if (isPart(row, 'FINDING')) findings.push(row);
    if (isPart(row, 'ACTION')) actions.push(row);
    if (isPart(row, 'CORRECTION')) corrections.push(row);
    if (isPart(row, 'REVISION')) revisions.push(toRevision(row));
  }
  return { answers, findings, actions, corrections, revisions };
};

/** Queries that run at the same time. */
const MAX_QUERIES = 8;

/** The documents of the actions. A Query for each action that has changed since its creation: an attachment is a change. */
export const readAttachments = async (
  caller: Caller,
  actions: readonly StoredAction[],
): Promise<ReportedAttachment[]> => {
  const changed = actions.filter(({ version }) => version > 1);
  const found: ReportedAttachment[] = [];
  for (let first = 0; first < changed.length; first += MAX_QUERIES) {
    const lists = changed.slice(first, first + MAX_QUERIES).map(async ({ id }) => {
      const rows = await Array.fromAsync(queryRows(caller, keys.parts(caller, 'ACTION', id, 'ATTACHMENT')));
      return rows.map(({ document_id, stage, caption }) => ({ action_id: id, document_id, stage, caption }));
    });
    found.push(...(await Promise.all(lists)).flat());
  }
  return found;
};
