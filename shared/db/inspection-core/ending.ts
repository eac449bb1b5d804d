import type { Caller } from '../../base/caller.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import * as documents from '../documents/documents.ts';
import { exists } from '../table/conditions.ts';
import { type ChildKind, keys } from '../table/keys.ts';
import { queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { following, type StoredAction } from './corrective-action-record.ts';

/** Writes of one transaction for rows that go, beside those of what they stand below. */
const MOST_WRITES = 45;

const MARKED = new Set<string>(['FINDING', 'ACTION', 'REPORT'] satisfies ChildKind[]);

/** A row as it was read, and what finds it or follows it. */
const ofRow = (caller: Caller, row: Row<{ version?: number }>): Write[] => {
  const { pk, sk, version } = row;
  const [kind = '', id = ''] = sk.split('#');
  return [
    write.remove({ pk, sk }, version ?? exists),
    ...(MARKED.has(kind) ? [write.drop(keys.reference(caller, kind as ChildKind, id))] : []),
    ...(kind === 'ACTION' ? following(caller, row as unknown as Row<StoredAction>, undefined) : []),
  ];
};

/** The ends of what these use; a document that several of them show is one write. */
const released = (caller: Caller, users: readonly unknown[]): Write[] =>
  documents.useEach(
    caller,
    users.flatMap((user) => [...shownDocuments(user)]),
    -1,
    'document_id',
  );

/**
 * The end of rows and all that follows them: of as many as fit into one change.
 * @param parent what they stand below, whose own documents end with the last of them
 */
export const ending = async (
  caller: Caller,
  rows: AsyncIterable<Row<object>>,
  parent?: unknown,
): Promise<{ gone: Row<object>[]; writes: Write[]; isAll: boolean }> => {
  const gone: Row<object>[] = [];
  const writesOf = (those: readonly Row<object>[], shown: readonly unknown[] = those) => [
    ...those.flatMap((row) => ofRow(caller, row)),
    ...released(caller, shown),
  ];
  for await (const row of rows) {
    if (writesOf([...gone, row]).length > MOST_WRITES) {
      // A row that alone is too much for company goes alone.
      const some = gone.length > 0 ? gone : [row];
      return { gone: some, writes: writesOf(some), isAll: false };
    }
    gone.push(row);
  }
  return { gone, writes: writesOf(gone, [...gone, parent]), isAll: true };
};

/**
 * Rows that stand below an inspection, before each of them what stands below that: a deletion which was
 * interrupted finds its way there again. One call for each corrective action.
 */
export const withHistories = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<object>> | Iterable<Row<object>>,
): AsyncGenerator<Row<object>> {
  for await (const row of rows) {
    const [kind, id = ''] = row.sk.split('#');
    if (kind === 'ACTION') yield* queryRows<object>(caller, { partition: keys.below(caller, kind, id) });
    yield row;
  }
};

/** All that stands below an inspection. */
export const rowsBelow = (caller: Caller, inspectionId: string): AsyncGenerator<Row<object>> => {
  const partition = keys.below(caller, 'INSPECTION', inspectionId);
  return withHistories(caller, queryRows<object>(caller, { partition, pageSize: MOST_WRITES }));
};
