import type { Caller } from '../../base/caller.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import { inspectionRecords, toInspection } from '../inspection-core/inspection-record.ts';

/** Inspections: their setup, their steps through the workflow, their lists and their deletion. */
export { listActivity } from './activity.ts';
export { deleteInspection as remove, deleteWhole } from './deletion.ts';
export { listAssigned, listInspections as list, summarizeInspections as summary } from './lists.ts';
export { create, createOwn } from './setup/create.ts';
export { duplicate } from './setup/duplicate.ts';
export { reinspect } from './setup/reinspect.ts';
export { update, updateOwn } from './setup/update.ts';
export { advance } from './steps/advance.ts';
export { archive, restore } from './steps/archive.ts';
export { reopenPart } from './steps/reopen-part.ts';
export { start } from './steps/start.ts';

export const key = inspectionRecords.key;

export const find = inspectionRecords.find;

export const get = inspectionRecords.get;

/** @throws ApiError 404 */
export const show = async (caller: Caller, id: string): Promise<Inspection> =>
  toInspection(await inspectionRecords.get(caller, id), new Date().toISOString());
