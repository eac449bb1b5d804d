import type { Caller } from '../../base/caller.ts';
import type { Work } from '../table/change.ts';
import { type Condition, exists, hasValues } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { follow } from '../table/resource.ts';
import { isPart, queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { answers, attachments, findings, reports } from './child-records.ts';
import { actions } from './corrective-action-record.ts';
import { deleteFiles } from './report-files.ts';

/** Writes of one transaction for deleted rows. The other half is for the rows that they belong to. */
const MAX_WRITES = 45;

/** The row is as it was read. */
const isAsRead = (row: Row<{ version?: number }>): number | Condition => {
  if (!isPart(row, 'REPORT')) return row.version ?? exists;
  // The version of a report is its number. What changes are its status, with it its bytes, and what is below it.
  const { status, parts_revision } = row;
  return hasValues({ status, parts_revision });
};

/** The writes by which what follows from a row ends with it. */
const endOf = (work: Work, row: Row<object>): Write[] => {
  if (isPart(row, 'ANSWER')) return follow(answers, work, row, undefined);
  if (isPart(row, 'FINDING')) return follow(findings, work, row, undefined);
  if (isPart(row, 'ACTION')) return follow(actions, work, row, undefined);
  if (isPart(row, 'ATTACHMENT')) return follow(attachments, work, row, undefined);
  return isPart(row, 'REPORT') ? follow(reports, work, row, undefined) : [];
};

/** What one transaction deletes of some rows. */
interface Deletion {
  /** The rows that it deletes. */
  deleted: Row<object>[];
  writes: Write[];
  /** Whether these are all of the rows. */
  isAll: boolean;
}

/**
 * Deletes rows and everything that depends on them, as many as fit into one transaction. Rows are read only as far as
 * they are needed.
 */
export const deleteRows = async (work: Work, rows: AsyncIterable<Row<object>>): Promise<Deletion> => {
  const deleted: Row<object>[] = [];
  const writesOf = (some: readonly Row<object>[]) =>
    // Several rows may show one document, and a transaction writes it once.
    combineCounts([
      ...some.flatMap((row) => [write.remove(write.keyOf(row), isAsRead(row)), ...endOf(work, row)]),
      ...deleteFiles(
        work,
        some.filter((row) => isPart(row, 'REPORT')),
      ),
    ]);
  for await (const row of rows) {
    if (writesOf([...deleted, row]).length > MAX_WRITES) {
      // A row that needs more writes than the limit is deleted alone.
      const some = deleted.length > 0 ? deleted : [row];
      return { deleted: some, writes: writesOf(some), isAll: false };
    }
    deleted.push(row);
  }
  return { deleted, writes: writesOf(deleted), isAll: true };
};

/**
 * Rows below an inspection, each after the rows below itself, so that a deletion which was interrupted still finds
 * these. One call for each corrective action, and for each report. The files of exports are not looked for: the storage
 * deletes them 31 days after they were made, whether their rows still exist or not.
 */
export const withPartsBelow = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<object>> | Iterable<Row<object>>,
): AsyncGenerator<Row<object>> {
  for await (const row of rows) {
    const [kind, id = ''] = row.sk.split('#');
    if (kind === 'ACTION' || kind === 'REPORT') {
      yield* queryRows(caller, { partition: keys.below(caller, kind, id), pageSize: MAX_WRITES });
    }
    yield row;
  }
};

/** All rows below an inspection. */
export const rowsBelow = (caller: Caller, inspectionId: string): AsyncGenerator<Row<object>> => {
  const partition = keys.below(caller, 'INSPECTION', inspectionId);
  return withPartsBelow(caller, queryRows(caller, { partition, pageSize: MAX_WRITES }));
};
