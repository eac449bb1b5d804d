import type { Caller } from '../base/caller.ts';
import { settleHidden } from '../inspections/answers/settle-hidden.ts';
import { deleteSomeOfInspection, deleteWhole } from '../inspections/deletion.ts';
import { moveFindings } from '../inspections/findings/repeats.ts';
import { resolveFindings } from '../inspections/resolve-findings.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import { deleteSomeOfCategory } from '../issues/categories.ts';
import { deleteIssue } from '../issues/deletion.ts';
import { deleteSomeOfAsset, leaveLocation } from '../places/assets/assets.ts';
import * as locations from '../places/locations/locations.ts';
import { changeCreated } from '../schedules/created.ts';
import { endAll } from '../schedules/decommission.ts';
import { followLocation } from '../schedules/places.ts';
import { deleteSomeOfSchedule } from '../schedules/schedules.ts';
import { followVisit } from '../schedules/visits.ts';
import { change } from '../table/change.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { queryRows, withRows } from '../table/rows.ts';
import type { BulkChangeTask, CreatedTask, RemainsTask, TransferTask, VisitedTask } from '../table/tasks.ts';
import { usageOf } from '../table/usage.ts';
import { deleteSomeOfFamily } from '../templates/families.ts';
import { deleteSomeOfWebhook } from '../webhooks/webhooks.ts';
import { continueBulkChange } from './bulk-changes/continue.ts';
import { followMerge } from './transfers/merges.ts';
import * as transfers from './transfers/transfers.ts';

/** Resources of one kind that are deleted before the deadline is checked again. */
const MAX_BATCH = 25;

/** Deletes some of a client account's inspections. @returns how many the index lists, which may lag */
const deleteSomeInspections = async (caller: Caller, client_account_id: string): Promise<number> => {
  const isMeant = (inspection: StoredInspection) => inspection.client_account_id === client_account_id;
  const listed = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'CLIENT', client_account_id),
    index: 'by_client',
    pageSize: MAX_BATCH,
  });
  const rows = withRows(caller, listed, ({ sk }) => [inspectionRecords.key(caller, sk)]);
  const found: string[] = [];
  for await (const [{ sk }, [inspection]] of rows) {
    if (inspection && !isMeant(inspection)) continue;
    if (found.push(sk) === MAX_BATCH) break;
  }
  for (const inspectionId of found) await deleteWhole(caller, inspectionId, isMeant);
  return found.length;
};

/** Deletes some of a client account's issues. @returns how many the index lists, which may lag */
const deleteSomeIssues = async (caller: Caller, id: string): Promise<number> => {
  const found: string[] = [];
  const rows = queryRows(caller, {
    partition: keys.issuesWith(caller, 'CLIENT', id),
    index: 'by_client',
    pageSize: MAX_BATCH,
  });
  for await (const { sk } of rows) if (found.push(sk) === MAX_BATCH) break;
  for (const issueId of found) await deleteIssue(caller, issueId);
  return found.length;
};

/**
 * Deletes some of a deleted client account's inspections, issues and locations.
 * @returns whether there may be more
 * @throws Error when the account's usage still counts some that the lists do not show yet
 */
export const deleteSomeOfClient = async (caller: Caller, id: string): Promise<boolean> => {
  const issues = await deleteSomeIssues(caller, id);
  const inspections = await deleteSomeInspections(caller, id);
  const locationsFound = await locations.deleteOfClient(caller, id, MAX_BATCH, (locationId) =>
    leaveLocation(caller, locationId),
  );
  if (issues + inspections + locationsFound > 0) return true;
  const left = await usageOf(caller, 'CLIENT', id);
  if (left.inspections + left.issues + left.locations === 0) return false;
  throw new Error(`client account ${id} still counts ${JSON.stringify(left)}`);
};

/** Does a part of a task. @returns whether there may be more. @throws RangeError for an unknown task */
const doSome = async (
  caller: Caller,
  task: Exclude<RemainsTask, BulkChangeTask | CreatedTask | TransferTask | VisitedTask>,
): Promise<boolean> => {
  if ('client_account_id' in task) return deleteSomeOfClient(caller, task.client_account_id);
  if ('inspection_id' in task) return deleteSomeOfInspection(caller, task.inspection_id);
  if ('asset_id' in task) return deleteSomeOfAsset(caller, task.asset_id);
  if ('decommissioned_asset_id' in task) {
    await endAll(caller, task.decommissioned_asset_id);
    return false;
  }
  if ('issue_category_id' in task) return deleteSomeOfCategory(caller, task.issue_category_id);
  if ('template_family_id' in task) return deleteSomeOfFamily(caller, task.template_family_id);
  if ('merged_location_id' in task) return followMerge(caller, task.merged_location_id);
  if ('location_id' in task) return followLocation(caller, task);
  if ('schedule_id' in task) return deleteSomeOfSchedule(caller, task.schedule_id);
  if ('webhook_id' in task) return deleteSomeOfWebhook(caller, task.webhook_id);
  if ('reinspection_id' in task) {
    await resolveFindings(caller, task.reinspection_id);
    return false;
  }
  if ('moved_inspection_id' in task) {
    await moveFindings(caller, task.moved_inspection_id);
    return false;
  }
  if ('turned_inspection_id' in task) {
    await settleHidden(caller, task.turned_inspection_id);
    return false;
  }
  throw new RangeError(`No worker knows the task ${JSON.stringify(task satisfies never)}.`);
};

/** Does a part of a task. @returns what is left to do; undefined when nothing is. @throws as `doSome` */
const restOf = async (
  caller: Caller,
  task: RemainsTask,
  deadline: number,
): Promise<RemainsTask | undefined> => {
  if ('bulk_change_id' in task) {
    // It gives what is left to a task of its own.
    await continueBulkChange(caller, task, deadline);
    return undefined;
  }
  if ('created_by_schedule' in task) return changeCreated(caller, task);
  if ('transfer_id' in task) return transfers.goOn(caller, task);
  if ('visited_by_schedule' in task) {
    await followVisit(caller, task);
    return undefined;
  }
  return (await doSome(caller, task)) ? task : undefined;
};

/**
 * Completes a change that needs several transactions. It may be interrupted and repeated. At the deadline, a new task
 * gets the rest.
 * @param deadline epoch milliseconds
 * @throws RangeError for an unknown task; what the change throws
 */
export const deleteRemains = async (caller: Caller, task: RemainsTask, deadline: number): Promise<void> => {
  let rest: RemainsTask | undefined = task;
  do rest = await restOf(caller, rest, deadline);
  while (rest && Date.now() < deadline);
  if (!rest) return;
  const left = rest;
  await change(caller, (work) => ({ writes: [enqueue(work, 'cleanup', left)], reply: undefined }));
};
