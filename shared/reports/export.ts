import type { Caller } from '../base/caller.ts';
import * as exports from '../db/reports/exports.ts';
import type { ExportTask } from '../db/table/tasks.ts';
import { exportFile } from './export-url.ts';
import { makeFile } from './formats/file.ts';
import { MEDIA_TYPES } from './formats/media-types.ts';
import { upload } from './formats/upload.ts';

/**
 * Makes the file of an export. It may be repeated after a failure at any point; an export that has ended is left
 * unchanged.
 * @throws any error of reading, making or storing, so that the queue delivers the task again
 */
export const makeExport = async (caller: Caller, task: ExportTask): Promise<void> => {
  const work = await exports.beginExport(caller, task);
  if (!work) return;
  const { stored, report } = work;
  const content = await makeFile(caller, stored.format, report.id);
  const file = await upload(caller, exportFile(caller, stored), content, MEDIA_TYPES[stored.format]);
  await exports.endExport(caller, stored, { status: 'ready', ...file });
};

/** Marks an export as failed after its last attempt. It may be repeated. */
export const giveUpExport = async (caller: Caller, task: ExportTask): Promise<void> => {
  const work = await exports.beginExport(caller, task);
  if (work)
    await exports.endExport(caller, work.stored, {
      status: 'failed',
      error: 'The file could not be made. Request the export again.',
    });
};
