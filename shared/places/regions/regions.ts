import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { above, fits, MAX_LEVELS, type Tree, treeOf, within } from '../../domain/tree.ts';
import { wordFilter } from '../../domain/words.ts';
import { checkPeople } from '../../organizations/members/people-of-places.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present } from '../../schemas/projection.ts';
import {
  type NewRegion,
  Region,
  type RegionChanges,
  RegionEventData,
  type RegionQuery,
} from '../../schemas/region.ts';
import { change, type Work } from '../../table/change.ts';
import { collection, edit, expectVersion, newResource } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredRegion } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import type { Listing } from '../../table/listing.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { queryRows, withoutKeys } from '../../table/rows.ts';
import { findReserved } from '../../table/unique.ts';
import { close } from '../../table/usage.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

const KIND = 'REGION';
const EXTERNAL_REF = 'external_ref of regions';

export const regionRecords = collection(KIND, 'region', {
  uses: { as: 'regions', fields: { parent_id: KIND, calendar_id: 'HOLIDAYS' } },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
});

/** What is read of all regions. */
const STANDING = ['id', 'name', 'parent_id', 'calendar_id', 'people'] as const;

/** All regions of the organization. One call for some 3,000 of them. */
const readTree = async (caller: Caller): Promise<Tree<Pick<StoredRegion, (typeof STANDING)[number]>>> => {
  const partition = keys.all(caller, KIND);
  return treeOf(await Array.fromAsync(queryRows(caller, { partition, only: STANDING })));
};

type RegionTree = Awaited<ReturnType<typeof readTree>>;

/** A region and all that are below it. One call for some 3,000 regions of the organization. */
export const regionsWithin = async (caller: Caller, id: string): Promise<string[]> => [
  ...within(await readTree(caller), id).keys(),
];

/** The calendar of holidays of a region, or of the nearest one above it that has one. Calls as `regionsWithin`. */
export const calendarOfRegion = async (caller: Caller, id: string): Promise<string | null> => {
  const tree = await readTree(caller);
  const region = tree.get(id);
  const own = region && [region, ...above(tree, region)].find(({ calendar_id }) => calendar_id !== null);
  return own?.calendar_id ?? null;
};

/** The people of a region and of those above it, the nearest first. Calls as `regionsWithin`. */
export const peopleOfRegion = async (caller: Caller, id: string): Promise<Region['people'][]> => {
  const tree = await readTree(caller);
  const region = tree.get(id);
  return region ? [region, ...above(tree, region)].map(({ people }) => people) : [];
};

const toRegion = (stored: StoredRegion, tree: RegionTree): Region => {
  const path = above(tree, stored)
    .map(({ id, name }) => ({ id, name }))
    .toReversed();
  return present(Region, stored, { path });
};

const event = (work: Work, what: Happening<'region'>, region: StoredRegion): Write =>
  emit(work, `region.${what}`, present(RegionEventData, region));

/**
 * Checks that a region may stand where its `parent_id` says, and that no region above it moves at the same time.
 * @throws ApiError 400 for a parent that does not exist; 409 for one below it, or too many levels
 */
const checkPosition = (work: Work, { id, parent_id }: StoredRegion, tree: RegionTree): Write[] => {
  if (parent_id === null) return [];
  const parent = tree.get(parent_id);
  if (!parent) throw errors.referenceNotFound('parent_id');
  const fit = fits(tree, id, parent);
  if (fit === 'circle') throw errors.regionCycle();
  if (fit === 'too deep') throw errors.regionTooDeep(MAX_LEVELS);
  return [parent, ...above(tree, parent)].map((each) =>
    write.check(regionRecords.key(work, each.id), undefined, hasValues({ parent_id: each.parent_id })),
  );
};

/** @throws ApiError 400 for a calendar that does not exist */
const expectCalendar = async (caller: Caller, { calendar_id }: StoredRegion): Promise<void> => {
  await resolve(caller, [reference(caller, 'calendar_id', 'HOLIDAYS', calendar_id)]);
};

/**
 * @throws ApiError 400 for a parent, calendar or person that does not exist; 409 for an external_ref in use, or too many
 *   levels
 */
export const create = (caller: Caller, fields: NewRegion): Promise<Region> =>
  change(caller, async (work) => {
    const region: StoredRegion = newResource(work, fields);
    await expectCalendar(work, region);
    await checkPeople(work, fields.people);
    const tree = await readTree(work);
    return {
      writes: [
        ...resource.create(regionRecords, work, region),
        ...checkPosition(work, region, tree),
        event(work, 'created', region),
      ],
      reply: toRegion(region, tree),
    };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Region> => {
  const region = await regionRecords.get(caller, id);
  return toRegion(region, await readTree(caller));
};

/** In creation order. Calls as `regionsWithin`, and as many again for the rows. */
export const list = async (caller: Caller, query: RegionQuery): Promise<Listing<Region>> => {
  const { q, parent_id, external_ref } = query;
  const tree = await readTree(caller);
  const id = external_ref && ((await findReserved(caller, EXTERNAL_REF, external_ref)) ?? 'none');
  return regionRecords.list(
    caller,
    query,
    {
      where: { ...(parent_id && { parent_id: [parent_id] }), ...(id && { id: [id] }) },
      keep: wordFilter(q),
    },
    (region) => toRegion(region, tree),
  );
};

/**
 * @throws ApiError 404; 400 for a parent, calendar or person that does not exist; 409 for another version, an external_ref
 *   in use, a parent below it, or too many levels
 */
export const update = async (
  caller: Caller,
  id: string,
  changes: RegionChanges,
  expectedVersion?: number,
): Promise<Region> => {
  let tree: RegionTree;
  const decide = async (current: StoredRegion, work: Work) => {
    const next = merge(current, changes);
    if (next.calendar_id !== current.calendar_id) await expectCalendar(work, next);
    if (changes.people && !isDeepStrictEqual(next.people, current.people))
      await checkPeople(work, changes.people);
    tree = await readTree(work);
    const writes = next.parent_id === current.parent_id ? [] : checkPosition(work, next, tree);
    // What does not exist is told before another version.
    expectVersion(regionRecords.noun, current, expectedVersion);
    return { next, writes };
  };
  const region = await edit(regionRecords, caller, id, undefined, decide, (next, work) =>
    event(work, 'updated', next),
  );
  return toRegion(region, tree!);
};

/** @throws ApiError 404; 409 for another version, or while locations, schedules or other regions name it */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const region = withoutKeys(await regionRecords.get(work, id));
    expectVersion(regionRecords.noun, region, expectedVersion);
    const message = 'The region has locations or other regions, or is used by schedules';
    return {
      writes: [
        ...resource.remove(regionRecords, work, region),
        event(work, 'deleted', region),
        ...close(work, KIND, id, ['locations', 'regions', 'schedules'], message),
      ],
      reply: null,
    };
  });
