import { Readable } from 'node:stream';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { type LabelFilter, labelsOf, wanted } from '../../domain/labels.ts';
import { progressOf } from '../../domain/mail/progress.ts';
import { wordFilter } from '../../domain/words.ts';
import type { AuditedAction } from '../../schemas/audit.ts';
import {
  ClientAccount,
  type ClientAccountChanges,
  ClientAccountEventData,
  type NewClientAccount,
} from '../../schemas/client-account.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present } from '../../schemas/projection.ts';
import { audit } from '../../table/audit.ts';
import { change, type Work } from '../../table/change.ts';
import {
  collection,
  edit,
  expectSyncedFieldsKept,
  expectVersion,
  newResource,
} from '../../table/collection.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';
import type { Used } from '../../table/entities/machinery.ts';
import type { StoredClientAccount } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { idsWithAll, mergeLabelled } from '../../table/labels.ts';
import { kept, type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import { queryRows, type Row, withoutKeys, withRows } from '../../table/rows.ts';
import { findReserved } from '../../table/unique.ts';
import { close, usageOf, withUsage, withUsageOfEach } from '../../table/usage.ts';
import { foundByWords, positionBy, rowsByWord } from '../../table/words.ts';
import type { Write } from '../../table/writes.ts';
import { digestFollower, digestWrites } from './digests.ts';

const KIND = 'CLIENT';
export const EXTERNAL_REF = 'external_ref of client accounts';

export const clientAccountRecords = collection(KIND, 'client account', {
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    digestFollower,
    {
      what: 'client account by label',
      row: keys.clientWith,
      at: (account) => labelsOf(account).map((label) => [label, account.id]),
    },
    foundByWords(KIND, 'client account by word'),
  ],
});

const LOCAL = { source: 'local', source_id: null, external_id: null, synced_at: null } as const;

/** An account with its origin. The row of a local account has none. */
const withOrigin = (stored: StoredClientAccount) => ({ ...LOCAL, ...stored });

const toClientAccount = (stored: StoredClientAccount, locations_count: number): ClientAccount =>
  present(ClientAccount, withOrigin(stored), {
    locations_count,
    digest_mail: stored.digest && stored.digest_mailed ? progressOf(stored.digest_mailed) : null,
  });

const withCount = async (caller: Caller, account: StoredClientAccount): Promise<ClientAccount> =>
  toClientAccount(account, (await usageOf(caller, KIND, account.id)).locations);

/** The event of a change of a client account. */
export const clientAccountEvent = (
  work: Work,
  what: Happening<'client_account'>,
  account: StoredClientAccount,
): Write => emit(work, `client_account.${what}`, present(ClientAccountEventData, withOrigin(account)));

export const NO_CONTACT = { name: null, email: null, phone: null };

/** @throws ApiError 409 when its external_ref is in use */
export const create = (caller: Caller, { contact, ...fields }: NewClientAccount): Promise<ClientAccount> =>
  change(caller, (work) => {
    const account: StoredClientAccount = newResource(work, {
      ...fields,
      contact: merge(NO_CONTACT, contact),
    });
    return {
      writes: [
        ...resource.create(clientAccountRecords, work, account),
        ...digestWrites(work, undefined, account),
        clientAccountEvent(work, 'created', account),
      ],
      reply: toClientAccount(account, 0),
    };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<ClientAccount> =>
  withCount(caller, await clientAccountRecords.get(caller, id));

export const key = clientAccountRecords.key;

/** The accounts that have one label of each group, in creation order. Some calls for all of them. */
const labelled = async function* (
  caller: Caller,
  labels: readonly (readonly string[])[],
  filters: { id: string | undefined; after: string | undefined; is_active?: boolean | undefined } & ListQuery,
): AsyncGenerator<Row<StoredClientAccount>> {
  const { id, after = '', is_active, limit, updated_since = '' } = filters;
  const ids = await idsWithAll(caller, labels, (label) => keys.clientWith.range(caller, label));
  const wantedIds = Readable.from(ids.filter((each) => each > after && (!id || each === id)));
  for await (const [, [row]] of withRows(caller, wantedIds, (each: string) => [key(caller, each)], limit)) {
    const isWanted = row && (is_active === undefined || row.is_active === is_active);
    if (isWanted && row.updated_at >= updated_since) yield row;
  }
};

type ClientAccountFilters = ListQuery & {
  q?: string | undefined;
  external_ref?: string | undefined;
  is_active?: boolean | undefined;
} & LabelFilter;

/** The accounts that words find, in the order of these. */
const byWord = async function* (
  caller: Caller,
  q: string,
  { is_active, limit, updated_since = '' }: ClientAccountFilters,
  after: string | undefined,
): AsyncGenerator<Row<StoredClientAccount>> {
  for await (const account of rowsByWord(caller, KIND, q, after, limit)) {
    const isWanted = is_active === undefined || account.is_active === is_active;
    if (isWanted && account.updated_at >= updated_since) yield account;
  }
};

/** In creation order, or in the order of the words that were found. */
export const list = async (
  caller: Caller,
  filters: ClientAccountFilters,
): Promise<Listing<ClientAccount>> => {
  const { external_ref, is_active, limit, updated_since } = filters;
  const after = readCursor(caller, KIND, filters);
  const labels = wanted(filters);
  const q = labels.length > 0 || external_ref ? undefined : filters.q;
  const hasWords = wordFilter(filters.q);
  if (q !== undefined) {
    const rows = kept(byWord(caller, q, filters, after), hasWords);
    const used = withUsageOfEach(caller, KIND, rows, ({ id }) => id, limit && limit + 1);
    return listing(
      caller,
      KIND,
      filters,
      used,
      ([row]) => positionBy(q)(row),
      ([row, { locations }]) => toClientAccount(row, locations),
    );
  }
  const id = external_ref && ((await findReserved(caller, EXTERNAL_REF, external_ref)) ?? 'none');
  const partition = {
    partition: keys.all(caller, KIND),
    ...(id ? { prefix: id } : { after }),
    updatedSince: updated_since,
    where: { is_active: is_active === undefined ? undefined : [is_active] },
  };
  const candidates =
    labels.length > 0 ? labelled(caller, labels, { ...filters, id, after }) : queryRows(caller, partition);
  return listing(
    caller,
    KIND,
    filters,
    withUsage(caller, KIND, kept(candidates, hasWords), { after, limit }),
    ({ resource }) => resource.id,
    ({ resource, used }) => toClientAccount(resource, used.locations),
  );
};

/** @throws ApiError 404; 409 for another version, a field that is synced, or an external_ref in use */
export const update = async (
  caller: Caller,
  id: string,
  changes: ClientAccountChanges,
  expectedVersion?: number,
): Promise<ClientAccount> =>
  withCount(
    caller,
    await edit(
      clientAccountRecords,
      caller,
      id,
      expectedVersion,
      (current, work) => {
        const next = mergeLabelled(current, changes);
        expectSyncedFieldsKept(clientAccountRecords.noun, current, next);
        return { next, writes: digestWrites(work, current, next) };
      },
      (account, work) => clientAccountEvent(work, 'updated', account),
    ),
  );

/** The writes that delete an account, and let a worker delete what belonged to it. */
const deletion = (work: Work, account: StoredClientAccount) => [
  ...resource.remove(clientAccountRecords, work, account),
  clientAccountEvent(work, 'deleted', account),
  enqueue(work, 'cleanup', { client_account_id: account.id }),
];

/** An account that can be deleted by hand. @throws ApiError 404; 409 for another version, or a synced account */
const readDeletable = async (
  work: Work,
  id: string,
  expectedVersion: number | undefined,
): Promise<StoredClientAccount> => {
  const account = withoutKeys(await clientAccountRecords.get(work, id));
  expectVersion(clientAccountRecords.noun, account, expectedVersion);
  if (account.source === 'synced') throw errors.clientAccountSynced();
  return account;
};

/** The audit log's record of a deletion with everything that belonged to an account, with the numbers. */
const recordOf = (work: Work, action: AuditedAction, id: string, used: Required<Used>): Write =>
  audit(
    work,
    action,
    id,
    Object.fromEntries(
      Object.entries(used)
        .filter(([, count]) => count > 0)
        .map(([name, from]) => [name, { from, to: 0 }]),
    ),
  );

/** The most kept inspections that an error counts, so that it reads only a part of a long list. */
const MAX_COUNTED = 100;

/** Why an inspection is kept, as errors say it. */
const reasonOf = ({ status, active_correction_id, completed_at, approved_at }: StoredInspection): string => {
  if (active_correction_id !== null) return 'being corrected';
  if (completed_at !== null) return 'completed';
  if (approved_at === null) return 'signed';
  return status === 'pending_sign_off' ? 'approved and awaiting signatures' : 'approved once';
};

/** Such as “2 completed, 1 signed”. */
const inNumbers = (counts: ReadonlyMap<string, number>): string =>
  Array.from(counts, ([reason, count]) => `${count} ${reason}`).join(', ');

/**
 * Looks up why the inspections of an account are kept that counts some.
 * @throws ApiError 409 with their numbers
 */
const expectNothingKept = async (caller: Caller, id: string): Promise<void> => {
  const counts = new Map<string, number>();
  let count = 0;
  const listed = queryRows(caller, { partition: keys.inspectionsWith(caller, KIND, id), index: 'by_client' });
  const rows = withRows(caller, listed, ({ sk }) => [keys.one(caller, 'INSPECTION', sk)] as const);
  for await (const [, [inspection]] of rows) {
    if (!inspection?.is_kept) continue;
    if (count === MAX_COUNTED) throw errors.inspectionsKept(`${inNumbers(counts)}, and more`);
    const reason = reasonOf(inspection);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    count += 1;
  }
  if (count > 0) throw errors.inspectionsKept(inNumbers(counts));
};

/**
 * Deletes an account. A worker deletes everything that belonged to it.
 * @param cascade whether its inspections and issues are deleted as well, and its schedules stop until they get another
 *   account. Otherwise these prevent the deletion
 * @throws ApiError 404; 409 for another version, a synced account, when inspections, issues or schedules prevent the
 *   deletion, and when some of the inspections were completed, approved or signed
 */
export const remove = (
  caller: Caller,
  id: string,
  { cascade }: { cascade: boolean },
  expectedVersion?: number,
): Promise<null> =>
  change(caller, async (work) => {
    const account = await readDeletable(work, id, expectedVersion);
    if (!cascade) {
      const message = 'The client account has inspections, issues or schedules';
      const closing = close(work, KIND, id, ['inspections', 'issues', 'schedules'], message);
      return { writes: [...deletion(work, account), ...closing], reply: null };
    }
    const used = await usageOf(work, KIND, id);
    if (used.kept > 0) await expectNothingKept(work, id);
    const message = 'The client account has inspections that were completed, approved or signed';
    return {
      writes: [
        ...deletion(work, account),
        ...close(work, KIND, id, 'kept', message),
        recordOf(work, 'client_account.deleted', id, used),
      ],
      reply: null,
    };
  });

/**
 * Deletes an account with everything that belonged to it, also what was completed, approved or signed.
 * @throws ApiError 404; 409 for another version, or a synced account
 */
export const erase = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const account = await readDeletable(work, id, expectedVersion);
    const used = await usageOf(work, KIND, id);
    return {
      writes: [
        ...deletion(work, account),
        ...close(work, KIND, id, [], 'The client account is used'),
        recordOf(work, 'client_account.erased', id, used),
      ],
      reply: null,
    };
  });
