import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { MAX_LEVELS } from '../../domain/tree.ts';
import { checksOf, levelsBelow, shown } from '../../places/locations/locations.ts';
import {
  expectLocal,
  expectUnmerged,
  locationEvent,
  locationRecords,
  toLocation,
} from '../../places/locations/records.ts';
import { locationsAbove } from '../../places/locations/tree.ts';
import type { LocationMerge, MergeCounts, MergedLocation, MergeItem } from '../../schemas/location.ts';
import { change, changePart, NOTHING, type Work, workOf } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { StoredLocation } from '../../table/entities/organization.ts';
import { standingFor } from '../../table/former-locations.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { withoutKeys } from '../../table/rows.ts';
import { close, usageOf } from '../../table/usage.ts';
import { belongingsOf, type Merge } from './merged.ts';
import { expectNoneRunning } from './transfers.ts';

/*
 * A location that is merged into another one stays as a row which leads there, is in no list, and which nothing new can
 * name. So what names it is a set that only shrinks. A worker gives all of it the other location, one after the other;
 * what was changed is not found again, so the work can be interrupted and repeated. Until then the row stands in the other
 * location: that one is not deleted before, and does not come to be below what is still to move there.
 */

/** The last location that contains another one's children has them all within the levels that there may be. */
const expectRoom = async (caller: Caller, former: StoredLocation, above: number): Promise<void> => {
  const levels = await levelsBelow(caller, former);
  if (above + 1 + levels > MAX_LEVELS) throw errors.locationTooDeep(MAX_LEVELS);
};

/** How long the task waits for the indexes by which what names a location is found, in seconds. */
const INDEX_LAG = 5;

/**
 * The two locations of a merge, and the other one with those above it; no chain where they are merged already.
 * @throws ApiError as `merge`
 */
const placesOf = async (work: Work, id: string, into: string) => {
  const row = await locationRecords.get(work, id);
  const former = withoutKeys(row);
  const [target] = await resolve(work, [reference(work, 'into', 'LOCATION', into)]);
  if (former.merged_into && (await standingFor(work, row))?.id === into) return { former, target };
  expectUnmerged(former);
  expectLocal(former);
  await expectNoneRunning(work);
  if (target.client_account_id !== former.client_account_id) throw errors.otherClientAccount('into');
  const chain = [target, ...(await locationsAbove(work, target))];
  if (chain.some((each) => each.id === id)) throw errors.locationCycle();
  await expectRoom(work, former, chain.length);
  return { former, target, chain };
};

/** How many of each kind there are. */
const countsOf = (items: readonly MergeItem[]): MergeCounts => {
  const count = (kind: MergeItem['kind']) => items.filter((item) => item.kind === kind).length;
  return {
    locations: count('location'),
    inspections: count('inspection'),
    findings: count('finding'),
    corrective_actions: count('corrective_action'),
    issues: count('issue'),
    assets: count('asset'),
    certificates: count('certificate'),
    schedules: count('schedule'),
    public_links: count('public_link'),
  };
};

/** What a merge would do now. @throws ApiError as `merge` */
const plan = async (work: Work, id: string, into: string): Promise<MergedLocation> => {
  const { target } = await placesOf(work, id, into);
  const belongings = belongingsOf(work, { id, to: into }, target.client_account_id);
  const items = await Array.fromAsync(belongings, ({ item }) => item);
  return { ...(await shown(work, target)), counts: countsOf(items), items };
};

/**
 * Merges a location into another one, or says what it would do. The reply is the other one; doing it again changes
 * nothing.
 * @throws ApiError 404; 400 for a location that does not exist, or of another client account; 409 for one that is below
 *   it, a synced one, one that was merged into another one, or while a transfer runs
 */
export const merge = async (
  caller: Caller,
  id: string,
  { into, dry_run }: LocationMerge,
): Promise<MergedLocation> => {
  if (dry_run) return plan(workOf(caller), id, into);
  return change<MergedLocation>(caller, async (work) => {
    const { former, target, chain } = await placesOf(work, id, into);
    if (!chain) return { writes: [], reply: await shown(work, target) };
    const merged = nextVersion(work, former, {
      merged_into: into,
      client_account_id: null,
      parent_id: into,
      region_id: null,
      lineage: [],
    });
    return {
      writes: [
        ...resource.replace(locationRecords, work, former, merged),
        ...close(work, 'LOCATION', id, [], ''),
        ...checksOf(work, chain),
        locationEvent(work, 'deleted', former),
        enqueue(work, 'cleanup', { merged_location_id: id }, INDEX_LAG),
      ],
      reply: toLocation(target, chain.slice(1).toReversed()),
    };
  });
};

/* What the worker does */

/** Ends a merge that nothing is left of. */
const endMerge = (caller: Caller, id: string): Promise<void> =>
  changePart<undefined>(caller, async (work) => {
    const row = await locationRecords.find(work, id);
    if (!row?.merged_into || row.parent_id === null) return NOTHING;
    const before = withoutKeys(row);
    const after = nextVersion(work, before, { parent_id: null });
    return { writes: resource.replace(locationRecords, work, before, after), reply: undefined };
  });

/** Changes before the deadline is checked again. */
const MAX_BATCH = 50;

/**
 * Gives some of what names a merged location the other one.
 * @returns whether there may be more
 * @throws Error when the usage of the merged location still counts some that the indexes do not show yet
 */
export const followMerge = async (caller: Caller, id: string): Promise<boolean> => {
  const former = await locationRecords.find(caller, id);
  if (!former?.merged_into || former.parent_id === null) return false;
  const target = await standingFor(caller, former);
  const merged: Merge = { id, to: target?.id ?? null };
  let changed = 0;
  for await (const belonging of belongingsOf(caller, merged, target?.client_account_id ?? null)) {
    const isDone = await changePart<boolean>(caller, async (work) => {
      const writes = (await belonging.change(work)) ?? [];
      return { writes, reply: writes.length > 0 };
    });
    changed += Number(isDone);
    if (changed === MAX_BATCH) return true;
  }
  if (changed > 0) return true;
  const { assets, inspections, issues, locations } = await usageOf(caller, 'LOCATION', id);
  if (assets + inspections + issues + locations > 0) throw new Error(`location ${id} is still used`);
  await endMerge(caller, id);
  return false;
};
