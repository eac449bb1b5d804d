import type { Caller } from '../../../base/caller.ts';
import { dependentWrites as clientDependents } from '../../client-accounts/client-accounts.ts';
import * as documents from '../../documents/documents.ts';
import { dependentWrites as actionDependents } from '../../inspection-core/corrective-action-record.ts';
import { referenceTo } from '../../inspection-core/parts.ts';
import { dependentWrites as inspectionDependents } from '../../inspection-core/record.ts';
import { reportBytes } from '../../inspection-core/report-files.ts';
import { dependentWrites as categoryDependents } from '../../issues/categories.ts';
import { dependentWrites as issueDependents } from '../../issues/record.ts';
import { dependentWrites as locationDependents } from '../../locations/record.ts';
import * as organizations from '../../organization/organizations.ts';
import { dependentWrites as scheduleDependents } from '../../schedules/record.ts';
import { type Work, workOf } from '../../table/change.ts';
import type { Kind, StoredOrganization } from '../../table/entities.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { getRow, isIn, isPart, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { countBytes } from '../../table/stored-bytes.ts';
import type { Write } from '../../table/writes.ts';
import { updateLogoUses } from '../../templates/report-layouts/logo.ts';
import { countWebhook } from '../../webhooks/record.ts';

/** What creating a row brings with it: other rows, and changes of counters. */
export interface Following {
  rows: Row[];
  counts: { key: Key; add: Readonly<Record<string, number>> }[];
}

const isOrganization = (caller: Caller, row: Key): row is Row<StoredOrganization> =>
  nameOfKey(row) === nameOfKey(keys.organization(caller));

/** The writes that make a row: those that the repositories send for a new one. */
const writesOf = (caller: Work, row: Row<object>): Write[] => {
  if (isIn(row, keys.all(caller, 'INSPECTION')))
    return inspectionDependents(caller, undefined, withoutKeys(row));
  if (isIn(row, keys.all(caller, 'LOCATION'))) return locationDependents(caller, undefined, withoutKeys(row));
  if (isIn(row, keys.all(caller, 'SCHEDULE'))) return scheduleDependents(caller, undefined, withoutKeys(row));
  if (isIn(row, keys.all(caller, 'CLIENT'))) return clientDependents(caller, undefined, row);
  if (isIn(row, keys.all(caller, 'ISSUE_CATEGORY'))) return categoryDependents(caller, undefined, row);
  if (isIn(row, keys.all(caller, 'ISSUE'))) return issueDependents(caller, undefined, withoutKeys(row));
  if (isIn(row, keys.all(caller, 'WEBHOOK'))) return [countWebhook(caller, {}, row)];
  if (isPart(row, 'ANSWER')) return documents.updateUses(caller, undefined, row, 'value');
  if (isPart(row, 'FINDING')) {
    return [referenceTo(caller, 'FINDING', row), ...documents.updateUses(caller, undefined, row, 'content')];
  }
  if (isPart(row, 'ACTION'))
    return [referenceTo(caller, 'ACTION', row), ...actionDependents(caller, undefined, row)];
  if (isPart(row, 'ATTACHMENT')) return documents.updateUses(caller, undefined, row, 'document_id');
  if (isPart(row, 'REPORT')) {
    return [
      referenceTo(caller, 'REPORT', row),
      ...countBytes(caller, [{ id: row.id, bytes: reportBytes(row) }]),
    ];
  }
  if (isIn(row, keys.all(caller, 'DOCUMENT'))) return documents.fileBytes(caller, row);
  if (isOrganization(caller, row)) return organizations.logoBytes(caller, row.logo_bytes ?? 0);
  if (isPart(row, 'LAYOUT')) return updateLogoUses(caller, null, row.theme.logo);
  return [];
};

/** What follows from a row, as the repositories write it when they create such a row. */
export const followingOf = (caller: Caller, row: Row<object>): Following => {
  const writes = writesOf(workOf(caller), row);
  return {
    rows: writes.flatMap(({ key, item }) =>
      // The SDK's type of an item does not tell that it has a key.
      item.Put && !(key.pk === row.pk && key.sk === row.sk) ? [item.Put.Item as Row] : [],
    ),
    counts: writes.flatMap(({ key, add }) => (add ? [{ key, add }] : [])),
  };
};

/** The ids in a kind's usage rows, each once. Resources that were deleted may still have usage rows. */
const usedIds = async function* (caller: Caller, kind: Kind): AsyncGenerator<string> {
  let last = '';
  for await (const { sk } of queryRows(caller, { partition: keys.usages(caller, kind) })) {
    const [id = ''] = sk.split('#');
    if (id !== last) yield id;
    last = id;
  }
};

/** Every id of a kind, including deleted resources that have usage rows. */
export const idsOf = async function* (caller: Caller, kind: 'FAMILY' | 'CLIENT'): AsyncGenerator<string> {
  const used = usedIds(caller, kind);
  let next = await used.next();
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, kind) })) {
    for (; !next.done && next.value <= sk; next = await used.next()) if (next.value < sk) yield next.value;
    yield sk;
  }
  for (; !next.done; next = await used.next()) yield next.value;
};

/** All rows below an inspection, and the attachments of its corrective actions. */
export const rowsBelowInspection = async function* (caller: Caller, id: string): AsyncGenerator<Row<object>> {
  for await (const row of queryRows(caller, { partition: keys.below(caller, 'INSPECTION', id) })) {
    yield row;
    if (isPart(row, 'ACTION')) yield* queryRows(caller, keys.parts(caller, 'ACTION', row.id, 'ATTACHMENT'));
  }
};

/**
 * Every row that counters depend on.
 * @param isWhole whether to include rows that only count as uses of documents or as bytes stored
 */
export const countedRows = async function* (caller: Caller, isWhole: boolean): AsyncGenerator<Row<object>> {
  for await (const inspection of queryRows(caller, { partition: keys.all(caller, 'INSPECTION') })) {
    yield inspection;
    if (isWhole) yield* rowsBelowInspection(caller, inspection.sk);
  }
  yield* queryRows(caller, { partition: keys.all(caller, 'ISSUE') });
  yield* queryRows(caller, { partition: keys.all(caller, 'LOCATION') });
  yield* queryRows(caller, { partition: keys.all(caller, 'SCHEDULE') });
  yield* queryRows(caller, { partition: keys.all(caller, 'WEBHOOK') });
  if (!isWhole) return;
  const organization = await getRow(caller, keys.organization(caller));
  if (organization) yield organization;
  yield* queryRows(caller, { partition: keys.all(caller, 'DOCUMENT') });
  for await (const id of idsOf(caller, 'FAMILY')) {
    yield* queryRows(caller, keys.parts(caller, 'FAMILY', id, 'LAYOUT'));
  }
};
