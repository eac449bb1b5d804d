import type { Caller } from '../../base/caller.ts';
import { certificateEvent, certificateRecords } from '../../inspections/certificates/records.ts';
import { editWrites } from '../../inspections/edit.ts';
import { actionEvent, actionRecords } from '../../inspections/rows/corrective-action-records.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { issueRecords } from '../../inspections/rows/issue-records.ts';
import { listedUnder, movedTo } from '../../inspections/rows/listed.ts';
import { findingEvent, findingRecords, foundIn } from '../../inspections/rows/rows-below.ts';
import { placeIssue } from '../../issues/issues.ts';
import { allLinks, placeLink } from '../../issues/public-links.ts';
import { assetToLocation } from '../../places/assets/assets.ts';
import { assetRecords } from '../../places/assets/records.ts';
import { checksOf } from '../../places/locations/locations.ts';
import { locationEvent, locationRecords } from '../../places/locations/records.ts';
import { locationsAbove } from '../../places/locations/tree.ts';
import { listedPlaces } from '../../schedules/many-places.ts';
import { namesLocation, replaceLocation } from '../../schedules/relocations.ts';
import type { MergeItem } from '../../schemas/location.ts';
import type { Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { ListedUnder, NamesThen } from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { getRow, getRows, queryRows, withoutKeys, withRows } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';

/*
 * What names a location that is merged into another one. A dry run lists it; the worker changes what it lists, one after
 * the other. What was changed names the other location, so it is not found again.
 */

/** A merged location, and the one that has its place now; null when that one was deleted. */
export interface Merge {
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

const certificateWrites = async (work: Work, certificateId: string, { id, to }: Merge): Promise<Write[]> => {
  const row = await certificateRecords.find(work, certificateId);
  if (row?.location_id !== id) return [];
  const before = withoutKeys(row);
  const after = nextVersion(work, before, { location_id: to });
  return [
    ...resource.replace(certificateRecords, work, before, after),
    certificateEvent(work, 'updated', after),
  ];
};

/** Something that names a merged location. */
export interface Belonging {
  item: MergeItem;
  /** The writes by which it names the other one, as it is by then; none when nothing is left to change. */
  change: (work: Work) => Promise<Write[] | undefined>;
}

/** The rows that the index of locations finds and that are there. It may lag by a moment. */
const rowsAt = async function* <Row extends object>(
  caller: Caller,
  partition: string,
  keyOf: (found: Key) => Key<Row>,
  isThere: (row: Row) => boolean,
) {
  const found = queryRows(caller, { partition, index: 'by_location' });
  for await (const [, [row]] of withRows(caller, found, (each) => [keyOf(each)] as const)) {
    if (row && isThere(row)) yield row;
  }
};

const isAt =
  (id: string) =>
  ({ location_id }: { location_id: string | null }): boolean =>
    location_id === id;

const placesIn = async function* (
  caller: Caller,
  merged: Merge,
  clientId: string | null,
): AsyncGenerator<Belonging> {
  const only = ['id', 'name', 'parent_id'] as const;
  for await (const row of queryRows(caller, { partition: keys.locationsByName(caller, clientId), only })) {
    if (row.parent_id !== merged.id) continue;
    const { id, name } = row;
    yield { item: { kind: 'location', id, name }, change: (work) => childWrites(work, id, merged) };
  }
};

const assetsAt = async function* (caller: Caller, { id: at, to }: Merge): AsyncGenerator<Belonging> {
  const partition = keys.assetsWith(caller, 'LOCATION', at);
  const keyOf = ({ sk }: Key) => assetRecords.key(caller, sk);
  for await (const { id, name } of rowsAt(caller, partition, keyOf, isAt(at))) {
    yield { item: { kind: 'asset', id, name }, change: (work) => assetToLocation(work, id, at, to) };
  }
};

const inspectionsAt = async function* (caller: Caller, merged: Merge): AsyncGenerator<Belonging> {
  const partition = keys.inspectionsWith(caller, 'LOCATION', merged.id);
  const keyOf = ({ sk }: Key) => inspectionRecords.key(caller, sk);
  for await (const { id, name } of rowsAt(caller, partition, keyOf, isAt(merged.id))) {
    yield { item: { kind: 'inspection', id, name }, change: (work) => inspectionWrites(work, id, merged) };
  }
};

const certificatesAt = async function* (caller: Caller, merged: Merge): AsyncGenerator<Belonging> {
  const partition = keys.certificatesWith(caller, 'LOCATION', merged.id);
  const keyOf = ({ sk }: Key) => certificateRecords.key(caller, sk);
  for await (const { id, title: name } of rowsAt(caller, partition, keyOf, isAt(merged.id))) {
    yield { item: { kind: 'certificate', id, name }, change: (work) => certificateWrites(work, id, merged) };
  }
};

const issuesAt = async function* (caller: Caller, { id: at, to }: Merge): AsyncGenerator<Belonging> {
  const partition = keys.issuesWith(caller, 'LOCATION', at);
  const keyOf = ({ sk }: Key) => issueRecords.key(caller, sk);
  for await (const { id, title: name } of rowsAt(caller, partition, keyOf, isAt(at))) {
    const change = (work: Work) => placeIssue(work, id, { location_id: to }, isAt(at));
    yield { item: { kind: 'issue', id, name }, change };
  }
};

/** The key of a finding or action that the index of its kind finds. */
const partKey = <Part extends 'FINDING' | 'ACTION'>(caller: Caller, kind: Part, { pk, sk }: Key) =>
  keys.child(caller, pk.slice(pk.lastIndexOf('#') + 1), kind, sk.slice(`${kind}#`.length));

/** Findings and actions. Those without a location of their own follow their inspection. */
const partsAt = async function* (caller: Caller, merged: Merge): AsyncGenerator<Belonging> {
  const partition = (kind: 'FINDING' | 'ACTION') => keys.childrenWith(caller, kind, 'LOCATION', merged.id);
  const isThere = ({ listed_under }: { listed_under: ListedUnder }) => isAt(merged.id)(listed_under);
  const findingKey = (found: Key) => partKey(caller, 'FINDING', found);
  for await (const row of rowsAt(caller, partition('FINDING'), findingKey, isThere)) {
    const { id, inspection_id, label: name } = row;
    const change = (work: Work) => partWrites(work, 'FINDING', inspection_id, id, merged);
    yield { item: { kind: 'finding', id, name }, change };
  }
  const actionKey = (found: Key) => partKey(caller, 'ACTION', found);
  for await (const row of rowsAt(caller, partition('ACTION'), actionKey, isThere)) {
    const { id, inspection_id, title: name } = row;
    const change = (work: Work) => partWrites(work, 'ACTION', inspection_id, id, merged);
    yield { item: { kind: 'corrective_action', id, name }, change };
  }
};

const schedulesOf = async function* (caller: Caller, { id: at, to }: Merge): AsyncGenerator<Belonging> {
  for await (const row of queryRows(caller, { partition: keys.all(caller, 'SCHEDULE') })) {
    const names = row.places?.list || row.places?.within === at || row.location_ids.includes(at);
    if (!names || !namesLocation(row, await listedPlaces(caller, row), at)) continue;
    const { id, title } = row;
    yield {
      item: { kind: 'schedule', id, name: title },
      change: (work) => replaceLocation(work, id, at, to),
    };
  }
};

const linksAt = async function* (caller: Caller, { id: at, to }: Merge): AsyncGenerator<Belonging> {
  const isMeant = isAt(at);
  for await (const link of allLinks(caller)) {
    if (!isMeant(link)) continue;
    yield {
      item: { kind: 'public_link', id: link.id, name: link.label },
      change: (work) => placeLink(work, link, { location_id: to }, isMeant),
    };
  }
};

/**
 * All that names a merged location. Indexes may lag by a moment.
 * @param clientId the client account of what is directly below it
 */
export const belongingsOf = async function* (
  caller: Caller,
  merged: Merge,
  clientId: string | null,
): AsyncGenerator<Belonging> {
  yield* assetsAt(caller, merged);
  yield* placesIn(caller, merged, clientId);
  yield* inspectionsAt(caller, merged);
  yield* certificatesAt(caller, merged);
  yield* issuesAt(caller, merged);
  yield* partsAt(caller, merged);
  yield* schedulesOf(caller, merged);
  yield* linksAt(caller, merged);
};
