import type { Caller } from '../../../base/caller.ts';
import { following as ofClient, type StoredClientAccount } from '../../client-accounts/client-accounts.ts';
import * as documents from '../../documents/documents.ts';
import { following as ofAction, type StoredAction } from '../../inspection-core/corrective-action-record.ts';
import { referenceTo } from '../../inspection-core/parts.ts';
import { following as ofInspection, type StoredInspection } from '../../inspection-core/record.ts';
import { moves as ofLocation, type StoredLocation } from '../../locations/locations.ts';
import { type ChildKind, type Key, type Kind, keys } from '../../table/keys.ts';
import { queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { logoMoves, type StoredLayout } from '../../templates/report-layouts.ts';

/** What a row's making brings with it: rows that stand because of it, and counters that it moves. */
export interface Following {
  rows: Row[];
  counts: { key: Key; add: Readonly<Record<string, number>> }[];
}

/** Below an inspection and its corrective actions, by what the sort key begins with. */
const BELOW: Readonly<Record<string, (caller: Caller, row: Row<object>) => Write[]>> = {
  ANSWER: (caller, row) => documents.moveUses(caller, undefined, row, 'value'),
  FINDING: (caller, row) => [
    referenceTo(caller, 'FINDING', row as Row<Child>),
    ...documents.moveUses(caller, undefined, row, 'content'),
  ],
  ACTION: (caller, row) => [
    referenceTo(caller, 'ACTION', row as Row<Child>),
    ...ofAction(caller, undefined, row as Row<StoredAction>),
  ],
  ATTACHMENT: (caller, row) => documents.moveUses(caller, undefined, row, 'document_id'),
  REPORT: (caller, row) => [referenceTo(caller, 'REPORT', row as Row<Child>)],
  LAYOUT: (caller, row) => logoMoves(caller, null, (row as Row<StoredLayout>).theme.logo),
};

type Child = { id: string; inspection_id: string };

const writesOf = (caller: Caller, row: Row<object>): Write[] => {
  switch (row.pk) {
    case keys.all(caller, 'INSPECTION'):
      return ofInspection(caller, undefined, withoutKeys(row as Row<StoredInspection>));
    case keys.all(caller, 'LOCATION'):
      return ofLocation(caller, undefined, withoutKeys(row as Row<StoredLocation>));
    case keys.all(caller, 'CLIENT'):
      return ofClient(caller, undefined, row as Row<StoredClientAccount>);
    default:
      return BELOW[row.sk.split('#')[0]!]?.(caller, row) ?? [];
  }
};

/** What follows from a row, as the repositories write it when they make such a one. */
export const followingOf = (caller: Caller, row: Row<object>): Following => {
  const writes = writesOf(caller, row);
  return {
    rows: writes.flatMap(({ key, item }) =>
      item.Put && !(key.pk === row.pk && key.sk === row.sk) ? [item.Put.Item as Row] : [],
    ),
    counts: writes.flatMap(({ key, add }) => (add ? [{ key, add }] : [])),
  };
};

/** The ids of which a kind's usage tells, once each: those of deleted ones, of which some may be left, as well. */
const usedIds = async function* (caller: Caller, kind: Kind): AsyncGenerator<string> {
  let last = '';
  for await (const { sk } of queryRows(caller, { partition: keys.usages(caller, kind) })) {
    const [id = ''] = sk.split('#');
    if (id !== last) yield id;
    last = id;
  }
};

/** Every id of a kind, those of deleted ones included that were used, or closed for use. */
export const idsOf = async function* (caller: Caller, kind: 'FAMILY' | 'CLIENT'): AsyncGenerator<string> {
  const used = usedIds(caller, kind);
  let next = await used.next();
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, kind) })) {
    for (; !next.done && next.value <= sk; next = await used.next()) if (next.value < sk) yield next.value;
    yield sk;
  }
  for (; !next.done; next = await used.next()) yield next.value;
};

const rowsIn = (caller: Caller, partition: string, prefix?: string): AsyncGenerator<Row<object>> =>
  queryRows<object>(caller, { partition, prefix });

/** What stands below an inspection, and below its corrective actions. */
export const rowsBelowInspection = async function* (caller: Caller, id: string): AsyncGenerator<Row<object>> {
  for await (const row of rowsIn(caller, keys.below(caller, 'INSPECTION', id))) {
    yield row;
    const [kind, child = ''] = row.sk.split('#');
    if (kind !== ('ACTION' satisfies ChildKind)) continue;
    const { pk, sk } = keys.attachment(caller, child, '');
    yield* rowsIn(caller, pk, sk);
  }
};

/**
 * Every row from which counts follow.
 * @param isWhole with those that count as users of documents alone
 */
export const countedRows = async function* (caller: Caller, isWhole: boolean): AsyncGenerator<Row<object>> {
  for await (const inspection of rowsIn(caller, keys.all(caller, 'INSPECTION'))) {
    yield inspection;
    if (isWhole) yield* rowsBelowInspection(caller, inspection.sk);
  }
  yield* rowsIn(caller, keys.all(caller, 'LOCATION'));
  if (!isWhole) return;
  for await (const id of idsOf(caller, 'FAMILY')) {
    const { pk, sk } = keys.layout(caller, id, '');
    yield* rowsIn(caller, pk, sk);
  }
};
