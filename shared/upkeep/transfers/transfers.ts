import { ApiError } from '../../base/api-error.ts';
import { type Caller, serviceOf } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { treeOf, within } from '../../domain/tree.ts';
import { expectStanding, locationEvent, locationRecords } from '../../places/locations/records.ts';
import type {
  LocationTransfer,
  RequestedTransfer,
  TransferCounts,
  TransferItem,
  TransferQuery,
  TransferRequest,
} from '../../schemas/location-transfer.ts';
import { change, type Decision, NOTHING, type Work, workOf } from '../../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredLocation, StoredTransfer } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listRows } from '../../table/listing.ts';
import { dueRowsInTurns } from '../../table/outbox/due.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { Sweep } from '../../table/outbox/sweep.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import type { TransferTask } from '../../table/tasks.ts';
import { findReserved } from '../../table/unique.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { type Belonging, type Changed, namingOf, type Route, workAt } from './belongings.ts';
import { rowOf, RUNNING, THE_ONE, toTransfer, transferJob, transferRecords } from './records.ts';

/*
 * A location goes to another client account with all that is below it, one location after the other from the top on.
 * Then what is open there follows. Each step is a transaction that counts itself in the row of the transfer, and shows
 * that it was made, so the work goes on after a crash where it was.
 *
 * A location goes only after the one that contains it, and no location is created in or moved into one that has another
 * client account. So what comes to be below the location meanwhile goes as well, and nothing is left behind.
 */

const NO_COUNTS: TransferCounts = {
  locations: 0,
  inspections: 0,
  corrective_actions: 0,
  issues: 0,
  schedules: 0,
  public_links: 0,
};

/** A location as a transfer looks at it. */
type Placed = Pick<StoredLocation, 'id' | 'name' | 'parent_id' | 'source'>;

/** The locations of a client account, or those without one, by their ids. One call for each megabyte, some 1,500. */
const locationsOf = async (caller: Caller, clientId: string | null): Promise<ReadonlyMap<string, Placed>> => {
  const partition = keys.locationsByName(caller, clientId);
  const only = ['id', 'name', 'parent_id', 'client_account_id', 'source'] as const;
  const rows = await Array.fromAsync(queryRows(caller, { partition, only }));
  return treeOf(rows.filter(({ client_account_id }) => client_account_id === clientId));
};

/** @throws ApiError 409 when the source of one of these locations says which client account it has */
const expectNoneSynced = async (caller: Caller, locations: readonly Placed[]): Promise<void> => {
  const synced = locations.filter(({ source }) => source === 'synced');
  const rows = await getRows(
    caller,
    synced.map(({ id }) => locationRecords.key(caller, id)),
  );
  const field = 'client_account_id';
  if (rows.some((row) => row?.synced_fields?.includes(field)))
    throw errors.fieldsSynced(locationRecords.noun, [field]);
};

const countsOf = (items: readonly TransferItem[]): TransferCounts => {
  const changed = items.filter(({ outcome }) => outcome !== 'stays');
  const count = (kind: TransferItem['kind']) => changed.filter((item) => item.kind === kind).length;
  return {
    locations: count('location'),
    inspections: count('inspection'),
    corrective_actions: count('corrective_action'),
    issues: count('issue'),
    schedules: count('schedule'),
    public_links: count('public_link'),
  };
};

/** What a transfer would do now. */
const planOf = async (
  caller: Caller,
  locations: readonly Placed[],
  route: Route,
): Promise<TransferItem[]> => {
  const items = locations.map(({ id, name }): TransferItem => ({
    kind: 'location',
    id,
    name,
    outcome: 'moves',
  }));
  const ids = new Set(locations.map(({ id }) => id));
  for await (const belonging of workAt(caller, ids, route)) items.push(...belonging.items);
  for await (const belonging of namingOf(caller, ids, route)) items.push(...belonging.items);
  return items;
};

const task = (work: Work, { id }: Pick<StoredTransfer, 'id'>): Write =>
  enqueue(work, 'cleanup', { transfer_id: id });

/** @throws ApiError 409 while another transfer of the organization runs */
export const expectNoneRunning = async (caller: Caller): Promise<void> => {
  const running = await findReserved(caller, RUNNING, THE_ONE);
  if (running) throw errors.transferRunning(running);
};

/**
 * Begins the transfer of a location now, or lets it begin later; or says what it would do.
 * @throws ApiError 404; 400 for a client account that does not exist; 409 for a location of this client account, one
 *   whose client account is synced, or while another transfer runs
 */
export const request = async (
  caller: Caller,
  locationId: string,
  { dry_run, ...wanted }: TransferRequest,
): Promise<RequestedTransfer> => {
  const { client_account_id } = wanted;
  const root = await locationRecords.get(caller, locationId);
  await expectStanding(caller, root);
  const from = root.client_account_id;
  await resolve(caller, [reference(caller, 'client_account_id', 'CLIENT', client_account_id)]);
  if (from === client_account_id) throw errors.locationOfClient();
  const tree = await locationsOf(caller, from);
  const going = Array.from(within(tree, locationId).keys(), (id) => tree.get(id)!);
  await expectNoneSynced(caller, going);
  const { effective_at: at } = wanted;
  const begun = (work: Work): StoredTransfer => {
    const isLater = at !== null && at > work.now;
    return newResource(work, {
      org_id: caller.org_id,
      location_id: locationId,
      from_client_account_id: from,
      ...wanted,
      effective_at: isLater ? at : work.now,
      status: isLater ? ('scheduled' as const) : ('running' as const),
      counts: NO_COUNTS,
      error: null,
      ended_at: null,
      requested_by: caller.user_id,
    });
  };
  if (dry_run) {
    const items = await planOf(caller, going, { ...wanted, from_client_account_id: from });
    const plan = toTransfer(begun(workOf(caller)));
    return { ...plan, id: null, status: 'planned', counts: countsOf(items), items };
  }
  return change(caller, async (work) => {
    const transfer = begun(work);
    const isNow = transfer.status === 'running';
    if (isNow) await expectNoneRunning(work);
    return {
      writes: [
        write.create<object>(rowOf(work, transfer)),
        ...resource.follow(transferRecords, work, undefined, transfer),
        write.check(
          locationRecords.key(work, locationId),
          () => errors.notFound(locationRecords.noun),
          hasValues({ client_account_id: from }),
        ),
        ...(isNow ? [task(work, transfer)] : []),
      ],
      reply: toTransfer(transfer),
    };
  });
};

/** The change of a transfer, with what follows from it. */
const save = (
  work: Work,
  before: StoredTransfer,
  changes: Partial<StoredTransfer>,
  ...also: Write[]
): Decision<StoredTransfer> => {
  const next = { ...before, ...changes };
  return transferJob.save(
    work,
    before,
    { ...changes, updated_at: work.now },
    ...resource.follow(transferRecords, work, before, next),
    ...also,
  );
};

/**
 * Cancels a transfer that has not begun. Cancelling it again changes nothing.
 * @throws ApiError 404; 409 once it has begun, or for another version
 */
export const cancel = (caller: Caller, id: string, expectedVersion?: number): Promise<LocationTransfer> =>
  change<LocationTransfer>(caller, async (work) => {
    const transfer = withoutKeys(await transferRecords.get(work, id));
    expectVersion(transferRecords.noun, transfer, expectedVersion);
    if (transfer.status === 'cancelled') return { writes: [], reply: toTransfer(transfer) };
    if (transfer.status !== 'scheduled') throw errors.transferBegun(transfer.status);
    const { writes, reply } = save(work, transfer, { status: 'cancelled', ended_at: work.now });
    return { writes, reply: toTransfer(reply) };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<LocationTransfer> =>
  toTransfer(await transferRecords.get(caller, id));

/** In the order in which they were requested. @throws ApiError 422 for a cursor of another list */
export const list = (caller: Caller, query: TransferQuery): Promise<Listing<LocationTransfer>> =>
  listRows(
    caller,
    transferRecords.noun,
    query,
    {
      partition: keys.all(caller, 'TRANSFER'),
      where: {
        location_id: query.location_id === undefined ? undefined : [query.location_id],
        status: query.status,
      },
    },
    toTransfer,
  );

/* What workers do */

/** A step of a transfer, decided on its row as it is by then. Nothing once it has ended. */
export const step = (
  caller: Caller,
  id: string,
  decide: (work: Work, transfer: StoredTransfer) => Promise<Changed>,
): Promise<void> =>
  change<undefined>(caller, async (work) => {
    const row = await transferRecords.find(work, id);
    if (row?.status !== 'running') return NOTHING;
    const transfer = withoutKeys(row);
    const changed = await decide(work, transfer);
    if (!changed) return NOTHING;
    const counts = { ...transfer.counts };
    for (const name of Object.keys(counts) as (keyof TransferCounts)[])
      counts[name] += changed.counts[name] ?? 0;
    return { writes: [...save(work, transfer, { counts }).writes, ...changed.writes], reply: undefined };
  });

const end = (caller: Caller, id: string, error: string | null): Promise<void> =>
  change<undefined>(caller, async (work) => {
    const row = await transferRecords.find(work, id);
    if (row?.status !== 'running') return NOTHING;
    const status = error === null ? 'completed' : 'failed';
    const { writes } = save(work, withoutKeys(row), { status, error, ended_at: work.now });
    return { writes, reply: undefined };
  });

/**
 * The locations that a transfer has still to take, each after the one that contains it. All but the first stand in one
 * that was taken already, or that comes before them.
 */
const locationsBehind = async (
  caller: Caller,
  { location_id, from_client_account_id: from, client_account_id: to }: StoredTransfer,
): Promise<string[]> => {
  const tree = await locationsOf(caller, from);
  if (tree.has(location_id)) return [...within(tree, location_id).keys()];
  const tops = [...tree.values()].filter(({ parent_id }) => parent_id !== null && !tree.has(parent_id));
  const parents = await getRows(
    caller,
    tops.map(({ parent_id }) => locationRecords.key(caller, parent_id!)),
  );
  // What stands in a merged location goes to another one anyway.
  const behind = tops.filter((_, position) => {
    const parent = parents[position];
    return !parent || (parent.client_account_id === to && !parent.merged_into);
  });
  return behind.flatMap(({ id }) => [...within(tree, id).keys()]);
};

/** Takes a location to the other client account; to the top, where nothing of that client account contains it. */
export const take =
  (id: string) =>
  async (work: Work, transfer: StoredTransfer): Promise<Changed> => {
    const { location_id, from_client_account_id: from, client_account_id } = transfer;
    const row = await locationRecords.find(work, id);
    if (!row || row.client_account_id !== from) return undefined;
    const before = withoutKeys(row);
    const isRoot = id === location_id;
    const parent =
      isRoot || before.parent_id === null ? undefined : await locationRecords.find(work, before.parent_id);
    // It was moved to another place of its client account meanwhile, so it does not go.
    if (!isRoot && (before.parent_id === null || (parent && parent.client_account_id !== client_account_id)))
      return undefined;
    const after = nextVersion(work, before, {
      client_account_id,
      parent_id: parent ? parent.id : null,
      lineage: parent ? [parent.id, ...parent.lineage] : [],
    });
    return {
      writes: [
        ...resource.replace(locationRecords, work, before, after),
        locationEvent(work, 'updated', after),
        ...(parent
          ? [write.check(locationRecords.key(work, parent.id), undefined, hasValues({ client_account_id }))]
          : []),
      ],
      counts: { locations: 1 },
    };
  };

/** Takes a location out of one that goes to a client account which was deleted. */
const free =
  (id: string) =>
  async (work: Work, { client_account_id: to }: StoredTransfer): Promise<Changed> => {
    const row = await locationRecords.find(work, id);
    if (!row || row.parent_id === null || row.client_account_id === to) return undefined;
    const parent = await locationRecords.find(work, row.parent_id);
    if (parent && parent.client_account_id !== to) return undefined;
    const before = withoutKeys(row);
    const after = nextVersion(work, before, { parent_id: null, lineage: [] });
    return {
      writes: [
        ...resource.replace(locationRecords, work, before, after),
        locationEvent(work, 'updated', after),
      ],
      counts: {},
    };
  };

/** Steps before the deadline of a worker is checked again. */
const MAX_BATCH = 50;

/** How long a task waits for the indexes by which what belongs to locations is found, in seconds. */
const INDEX_LAG = 5;

/** Takes some of the locations. @returns the task for the rest; undefined once another task is to do it */
const takeSome = async (caller: Caller, transfer: StoredTransfer): Promise<TransferTask | undefined> => {
  const { id } = transfer;
  const behind = await locationsBehind(caller, transfer);
  for (const location of behind.slice(0, MAX_BATCH)) await step(caller, id, take(location));
  if (behind.length > 0) return { transfer_id: id };
  await change(caller, (work) => ({
    writes: [enqueue(work, 'cleanup', { transfer_id: id, after: '' }, INDEX_LAG)],
    reply: undefined,
  }));
  return undefined;
};

/** Lets what is open at some of the locations follow. @returns the task for the rest; undefined after the last one */
const followSome = async (
  caller: Caller,
  transfer: StoredTransfer,
  after: string,
): Promise<TransferTask | undefined> => {
  const { id, location_id, client_account_id } = transfer;
  const taken = [...within(await locationsOf(caller, client_account_id), location_id).keys()].toSorted();
  const ahead = taken.filter((each) => each > after);
  const some = ahead.slice(0, MAX_BATCH);
  const isLast = some.length === ahead.length;
  const follow = async (belongings: AsyncIterable<Belonging>): Promise<void> => {
    for await (const { change: changed } of belongings) if (changed) await step(caller, id, changed);
  };
  await follow(workAt(caller, some, transfer));
  if (!isLast) return { transfer_id: id, after: some.at(-1)! };
  await follow(namingOf(caller, new Set(taken), transfer));
  return undefined;
};

/** Whether a client account or a location was deleted meanwhile, which the change of something names. */
const isGone = (error: unknown): error is ApiError<string> =>
  error instanceof ApiError &&
  (error.code === errors.referenceNotFound.code || error.code === errors.ownerDeleted.code);

/**
 * Does a part of a transfer. @returns the task for the rest; undefined when nothing is left
 */
export const goOn = async (caller: Caller, task: TransferTask): Promise<TransferTask | undefined> => {
  const { transfer_id: id, after } = task;
  const row = await transferRecords.find(caller, id);
  if (row?.status !== 'running') return undefined;
  try {
    if (after === undefined) return await takeSome(caller, row);
    const rest = await followSome(caller, row, after);
    if (rest) return rest;
    await end(caller, id, null);
  } catch (error) {
    if (!isGone(error)) throw error;
    for (const location of await locationsBehind(caller, row)) await step(caller, id, free(location));
    await end(caller, id, error.detail);
  }
  return undefined;
};

/** Begins a transfer that is due. It stays due while another one of the organization runs. */
const beginDue = ({ org_id, id }: StoredTransfer): Promise<void> =>
  change<undefined>(serviceOf(org_id), async (work) => {
    const row = await transferRecords.find(work, id);
    if (row?.status !== 'scheduled' || (await findReserved(work, RUNNING, THE_ONE))) return NOTHING;
    const transfer = withoutKeys(row);
    const { location_id, client_account_id } = transfer;
    const [location, client] = await getRows(work, [
      locationRecords.key(work, location_id),
      client_account_id === null ? undefined : keys.one(work, 'CLIENT', client_account_id),
    ]);
    if (!location || location.merged_into || (client_account_id !== null && !client)) {
      const isThere = location && !location.merged_into;
      const error = isThere ? 'The client account was deleted.' : 'The location was deleted.';
      const { writes } = save(work, transfer, { status: 'failed', error, ended_at: work.now });
      return { writes, reply: undefined };
    }
    const from_client_account_id = location.client_account_id;
    const begun = { status: 'running' as const, from_client_account_id };
    return { writes: save(work, transfer, begun, task(work, transfer)).writes, reply: undefined };
  });

/**
 * Begins the transfers of all organizations that are due. No organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why organizations have to wait for the next sweep
 */
export const beginDueTransfers = async (now: Date, time: number): Promise<unknown[]> => {
  const sweep = new Sweep<StoredTransfer>(
    time,
    () => 'transfer',
    async (transfers) => {
      for (const transfer of transfers) await beginDue(transfer);
    },
  );
  for await (const transfers of dueRowsInTurns('TRANSFER', now)) {
    await sweep.serve(transfers);
    if (sweep.isOver) break;
  }
  return sweep.delays.map(({ error }) => error);
};
