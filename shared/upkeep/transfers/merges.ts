import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { MAX_LEVELS } from '../../domain/tree.ts';
import { editWrites } from '../../inspections/edit.ts';
import { actionEvent, actionRecords } from '../../inspections/rows/corrective-action-records.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { listedUnder, movedTo } from '../../inspections/rows/listed.ts';
import { findingEvent, findingRecords, foundIn } from '../../inspections/rows/rows-below.ts';
import { placeIssue } from '../../issues/issues.ts';
import { allLinks, placeLink } from '../../issues/public-links.ts';
import { leaveLocation } from '../../places/assets/assets.ts';
import { checksOf, levelsBelow, shown } from '../../places/locations/locations.ts';
import {
  expectLocal,
  expectUnmerged,
  locationEvent,
  locationRecords,
  standingFor,
  toLocation,
} from '../../places/locations/records.ts';
import { locationsAbove } from '../../places/locations/tree.ts';
import { listedPlaces } from '../../schedules/many-places.ts';
import { namesLocation, replaceLocation } from '../../schedules/relocations.ts';
import type { Location } from '../../schemas/location.ts';
import { change, changePart, NOTHING, type Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { NamesThen } from '../../table/entities/inspections.ts';
import type { StoredLocation } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import { close, usageOf } from '../../table/usage.ts';
import type { Write } from '../../table/writes.ts';
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
 * Merges a location into another one. The reply is the other one; doing it again changes nothing.
 * @throws ApiError 404; 400 for a location that does not exist, or of another client account; 409 for one that is below
 *   it, a synced one, one that was merged into another one, or while a transfer runs
 */
export const merge = (caller: Caller, id: string, into: string): Promise<Location> =>
  change<Location>(caller, async (work) => {
    const former = withoutKeys(await locationRecords.get(work, id));
    const [target] = await resolve(work, [reference(work, 'into', 'LOCATION', into)]);
    if (former.merged_into === into) return { writes: [], reply: await shown(work, target) };
    expectUnmerged(former);
    expectLocal(former);
    await expectNoneRunning(work);
    if (target.client_account_id !== former.client_account_id) throw errors.otherClientAccount('into');
    const chain = [target, ...(await locationsAbove(work, target))];
    if (chain.some((each) => each.id === id)) throw errors.locationCycle();
    await expectRoom(work, former, chain.length);
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

/* What the worker does */

/** A merged location, and the one that has its place now; null when that one was deleted. */
interface Merge {
  id: string;
  to: string | null;
}

const childWrites = async (work: Work, childId: string, { id, to }: Merge): Promise<Write[]> => {
  const [row, target] = await getRows(work, [
    locationRecords.key(work, childId),
    to === null ? undefined : locationRecords.key(work, to),
  ]);
  if (row?.parent_id !== id) return [];
  const chain = target ? [target, ...(await locationsAbove(work, target))] : [];
  // Meanwhile the other location may have gone to another client account, or have come to be below this one.
  const fits =
    target?.client_account_id === row.client_account_id && chain.every((each) => each.id !== childId);
  const above = fits ? chain : [];
  const before = withoutKeys(row);
  const after = nextVersion(work, before, {
    parent_id: above[0]?.id ?? null,
    lineage: above.map((each) => each.id),
  });
  return [
    ...resource.replace(locationRecords, work, before, after),
    locationEvent(work, 'updated', after),
    ...checksOf(work, above),
  ];
};

/** What an inspection keeps of the names of its location, under the id of the other one as well. */
const namesAt = (names: NamesThen, { id, to }: Merge): NamesThen => {
  const then = names.locations[id];
  if (!then || to === null || names.locations[to]) return names;
  return { ...names, locations: { ...names.locations, [to]: then } };
};

const inspectionWrites = async (work: Work, inspectionId: string, merged: Merge): Promise<Write[]> => {
  const row = await inspectionRecords.find(work, inspectionId);
  if (row?.location_id !== merged.id) return [];
  const before = withoutKeys(row);
  const fields = {
    location_id: merged.to,
    ...(before.names_then && { names_then: namesAt(before.names_then, merged) }),
  };
  return editWrites(work, before, { fields }).writes;
};

/** A finding or action that has a location of its own: that of an instance of a repeat section. */
const partWrites = async (
  work: Work,
  kind: 'FINDING' | 'ACTION',
  inspectionId: string,
  partId: string,
  { id, to }: Merge,
): Promise<Write[]> => {
  const inspection = await inspectionRecords.find(work, inspectionId);
  if (!inspection) return [];
  if (kind === 'FINDING') {
    const row = await getRow(work, keys.child(work, inspectionId, 'FINDING', partId));
    if (row?.location_id !== id) return [];
    const before = withoutKeys(row);
    const moved = movedTo(work, before, { location_id: to });
    const after = {
      ...moved,
      found_in: foundIn(inspection, moved),
      listed_under: listedUnder(inspection, moved),
    };
    return [
      ...resource.update(findingRecords, work, before, after),
      findingEvent(work, 'updated', after, inspection),
    ];
  }
  const row = await getRow(work, keys.child(work, inspectionId, 'ACTION', partId));
  if (row?.location_id !== id) return [];
  const before = withoutKeys(row);
  const { field_id } = before.listed_under;
  const moved = movedTo(work, before, { location_id: to });
  const after = { ...moved, listed_under: listedUnder(inspection, { ...moved, field_id }) };
  return [
    ...resource.update(actionRecords, work, before, after),
    actionEvent(work, 'updated', after, inspection),
  ];
};

/** The changes of all that names a merged location. Indexes may lag by a moment. */
const changesFor = async function* (caller: Caller, merged: Merge, clientId: string | null) {
  const { id, to } = merged;
  const only = ['id', 'parent_id'] as const;
  const places = queryRows(caller, { partition: keys.locationsByName(caller, clientId), only });
  for await (const { id: child, parent_id } of places) {
    if (parent_id === id) yield (work: Work) => childWrites(work, child, merged);
  }
  const at = { index: 'by_location' } as const;
  const inspections = queryRows(caller, { ...at, partition: keys.inspectionsWith(caller, 'LOCATION', id) });
  for await (const { sk } of inspections) yield (work: Work) => inspectionWrites(work, sk, merged);
  const issues = queryRows(caller, { ...at, partition: keys.issuesWith(caller, 'LOCATION', id) });
  for await (const { sk } of issues) {
    yield (work: Work) => placeIssue(work, sk, { location_id: to }, ({ location_id }) => location_id === id);
  }
  for (const kind of ['FINDING', 'ACTION'] as const) {
    const prefix = `${kind}#`;
    const partition = keys.childrenWith(caller, kind, 'LOCATION', id);
    for await (const { pk, sk } of queryRows(caller, { ...at, partition, prefix })) {
      const inspectionId = pk.slice(pk.lastIndexOf('#') + 1);
      yield (work: Work) => partWrites(work, kind, inspectionId, sk.slice(prefix.length), merged);
    }
  }
  for await (const row of queryRows(caller, { partition: keys.all(caller, 'SCHEDULE') })) {
    const names = row.places?.list || row.places?.within === id || row.location_ids.includes(id);
    if (!names || !namesLocation(row, await listedPlaces(caller, row), id)) continue;
    yield (work: Work) => replaceLocation(work, row.id, id, to);
  }
  for await (const link of allLinks(caller)) {
    if (link.location_id !== id) continue;
    const isMeant = ({ location_id }: typeof link) => location_id === id;
    yield (work: Work) => placeLink(work, link, { location_id: to }, isMeant);
  }
};

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
  const merged = { id, to: target?.id ?? null };
  await leaveLocation(caller, id, merged.to);
  let changed = 0;
  for await (const decide of changesFor(caller, merged, target?.client_account_id ?? null)) {
    const isDone = await changePart<boolean>(caller, async (work) => {
      const writes = (await decide(work)) ?? [];
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
