import type { Caller } from '../../base/caller.ts';
import type { Work } from '../table/change.ts';
import type { StoredExport, StoredReport } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';

/** The exports of a report, oldest first. */
export const exportsOf = async (caller: Caller, reportId: string): Promise<StoredExport[]> =>
  (await Array.fromAsync(queryRows(caller, keys.parts(caller, 'REPORT', reportId, 'EXPORT')))).map((row) =>
    withoutKeys(row),
  );

/** Whether a worker makes the file. The PDF is the report itself. */
export const isMade = ({ format }: Pick<StoredExport, 'format'>): boolean => format !== 'pdf';

/** Gives the worker an export to make, in the transaction of a change. The report must be ready. */
export const exportTask = (
  work: Work,
  { id, inspection_id }: Pick<StoredReport, 'id' | 'inspection_id'>,
  exportId: string,
): Write => enqueue(work, 'export', { inspection_id, report_id: id, export_id: exportId });

/** The tasks of all exports that wait for their report. */
export const exportTasks = async (
  work: Work,
  report: Pick<StoredReport, 'id' | 'inspection_id'>,
): Promise<Write[]> =>
  (await exportsOf(work, report.id)).filter(isMade).map(({ id }) => exportTask(work, report, id));
