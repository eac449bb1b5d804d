import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { progressOf } from '../../domain/mail/progress.ts';
import {
  ClientAccount,
  type ClientAccountChanges,
  ClientAccountEventData,
  type NewClientAccount,
} from '../../schemas/client-account.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present } from '../../schemas/projection.ts';
import { change, type Work } from '../table/change.ts';
import { collection, edit, expectSyncedFieldsKept, expectVersion, newResource } from '../table/collection.ts';
import type { StoredClientAccount } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { emit, enqueue } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { close, usageOf, withUsage } from '../table/usage.ts';
import type { Write } from '../table/writes.ts';
import { digestFollower, digestWrites } from './digests.ts';

const KIND = 'CLIENT';
const EXTERNAL_REF = 'external_ref of client accounts';

export const clientAccountRecords = collection(KIND, 'client account', {
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [digestFollower],
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

const event = (work: Work, what: Happening<'client_account'>, account: StoredClientAccount): Write =>
  emit(work, `client_account.${what}`, present(ClientAccountEventData, withOrigin(account)));

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
        event(work, 'created', account),
      ],
      reply: toClientAccount(account, 0),
    };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<ClientAccount> =>
  withCount(caller, await clientAccountRecords.get(caller, id));

export const key = clientAccountRecords.key;

/** In creation order. */
export const list = async (
  caller: Caller,
  {
    external_ref,
    is_active,
    ...query
  }: ListQuery & { external_ref?: string | undefined; is_active?: boolean | undefined },
): Promise<Listing<ClientAccount>> => {
  const filters = { ...query, external_ref, is_active };
  const after = readCursor(caller, KIND, filters);
  const id = external_ref && ((await findReserved(caller, EXTERNAL_REF, external_ref)) ?? 'none');
  const rows = queryRows(caller, {
    partition: keys.all(caller, KIND),
    ...(id ? { prefix: id } : { after }),
    updatedSince: query.updated_since,
    where: { is_active: is_active === undefined ? undefined : [is_active] },
  });
  return listing(
    caller,
    KIND,
    filters,
    withUsage(caller, KIND, rows, { after, limit: query.limit }),
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
        const next = merge(current, changes);
        expectSyncedFieldsKept(clientAccountRecords.noun, current, next);
        return { next, writes: digestWrites(work, current, next) };
      },
      (account, work) => event(work, 'updated', account),
    ),
  );

/**
 * Deletes an account. A worker deletes everything that belonged to it.
 * @param cascade whether its inspections and issues are deleted as well, and its schedules stop until they get another
 *   account. Otherwise these prevent the deletion
 * @throws ApiError 404; 409 for another version, a synced account, or when inspections, issues or schedules prevent the
 *   deletion
 */
export const remove = (
  caller: Caller,
  id: string,
  { cascade }: { cascade: boolean },
  expectedVersion?: number,
): Promise<null> =>
  change(caller, async (work) => {
    const account = withoutKeys(await clientAccountRecords.get(caller, id));
    expectVersion(clientAccountRecords.noun, account, expectedVersion);
    if (account.source === 'synced') throw errors.clientAccountSynced();
    return {
      writes: [
        ...resource.remove(clientAccountRecords, work, account),
        ...close(
          caller,
          KIND,
          id,
          cascade ? [] : ['inspections', 'issues', 'schedules'],
          'The client account has inspections, issues or schedules',
        ),
        event(work, 'deleted', account),
        enqueue(work, 'cleanup', { client_account_id: id }),
      ],
      reply: null,
    };
  });
