import type { Caller } from '../../base/caller.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import * as documents from '../documents/documents.ts';
import type { Work } from '../table/change.ts';
import { type Condition, exists, hasValues } from '../table/conditions.ts';
import type { ChildKind } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { isPart, queryRows, type Row } from '../table/rows.ts';
import { countBytes } from '../table/stored-bytes.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { dependentWrites } from './corrective-action-record.ts';
import { deleteFiles, reportBytes } from './report-files.ts';

/** Writes of one transaction for deleted rows. The other half is for the rows that they belong to. */
const MAX_WRITES = 45;

const CHILD_KINDS: readonly ChildKind[] = ['FINDING', 'ACTION', 'REPORT'];

/** The row is as it was read. */
const isAsRead = (row: Row<{ version?: number }>): number | Condition => {
  if (!isPart(row, 'REPORT')) return row.version ?? exists;
  // The version of a report is its number. What changes are its status, with it its bytes, and what is below it.
  const { status, parts_revision } = row;
  return hasValues({ status, parts_revision });
};

/** Deletes a row as it was read, and the rows that lead to it or depend on it. */
const rowDeletion = (work: Work, row: Row<{ version?: number }>): Write[] => {
  const { pk, sk } = row;
  const [, id = ''] = sk.split('#');
  const kind = CHILD_KINDS.find((each) => isPart(row, each));
  return [
    write.remove({ pk, sk }, isAsRead(row)),
    ...(kind ? [write.drop(keys.reference(work, kind, id))] : []),
    ...(isPart(row, 'ACTION') ? dependentWrites(work, row, undefined) : []),
  ];
};

/** Ends the uses of documents by these rows. A document that several of them show is written once. */
const releaseDocuments = (work: Work, users: readonly unknown[]): Write[] =>
  documents.useEach(
    work,
    users.flatMap((user) => [...shownDocuments(user)]),
    -1,
    'document_id',
  );

/** Gives back the bytes of the reports among these rows, and has their files deleted. */
const releaseReports = (work: Work, rows: readonly Row<object>[]): Write[] => {
  const reports = rows.filter((row) => isPart(row, 'REPORT'));
  return [
    ...countBytes(
      work,
      reports.map((report) => ({ id: report.id, bytes: -reportBytes(report) })),
    ),
    ...deleteFiles(work, reports),
  ];
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
 * @param parent the resource that they belong to. The uses of its own documents end with the last row.
 */
export const deleteRows = async (
  work: Work,
  rows: AsyncIterable<Row<object>>,
  parent?: unknown,
): Promise<Deletion> => {
  const deleted: Row<object>[] = [];
  const writesOf = (some: readonly Row<object>[], users: readonly unknown[] = some) => [
    ...some.flatMap((row) => rowDeletion(work, row)),
    ...releaseDocuments(work, users),
    ...releaseReports(work, some),
  ];
  for await (const row of rows) {
    if (writesOf([...deleted, row]).length > MAX_WRITES) {
      // A row that needs more writes than the limit is deleted alone.
      const some = deleted.length > 0 ? deleted : [row];
      return { deleted: some, writes: writesOf(some), isAll: false };
    }
    deleted.push(row);
  }
  return { deleted, writes: writesOf(deleted, [...deleted, parent]), isAll: true };
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
