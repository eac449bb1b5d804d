import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { checkValues, fittingValues, type GivenValues } from '../../domain/assets/values.ts';
import { MAX_LEVELS } from '../../domain/tree.ts';
import type { AssetKind } from '../../schemas/assets/asset-kind.ts';
import {
  type Asset,
  AssetActivity,
  type AssetChanges,
  type AssetValue,
  type NewAsset,
} from '../../schemas/assets/asset.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import { keys } from '../../table/keys.ts';
import { mergeLabelled } from '../../table/labels.ts';
import { listHistory, type Listing, type ListQuery } from '../../table/listing.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { queryRows, withoutKeys } from '../../table/rows.ts';
import { nextNumber } from '../../table/single-write.ts';
import { close } from '../../table/usage.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { assetKindRecords } from './kinds.ts';
import {
  assetActivity,
  assetEvent,
  assetRecords,
  KIND,
  type NewAssetActivity,
  parentLabel,
  schedulesOfAsset,
  toAsset,
} from './records.ts';

/** @throws ApiError 422 for values that the kind does not take, and for required ones that are missing */
const checkedValues = (kind: AssetKind | undefined, values: GivenValues): AssetValue[] => {
  const { checked, problems } = checkValues(kind, values);
  if (problems.length > 0) throw errors.validationFailed(problems);
  return checked;
};

/**
 * The checks that none of the assets above one moves at the same time. Without them, two moves could form a circle. One
 * call for each level.
 * @throws ApiError 409 when the asset would be below itself, or in too many others
 */
const checksAbove = async (work: Work, id: string, parent: Asset | undefined): Promise<Write[]> => {
  const checks: Write[] = [];
  for (let above = parent; above;) {
    if (above.id === id) throw errors.assetCycle();
    const { parent_id } = above;
    checks.push(write.check(assetRecords.key(work, above.id), undefined, hasValues({ parent_id })));
    if (checks.length === MAX_LEVELS) throw errors.assetTooDeep(MAX_LEVELS);
    above = parent_id === null ? undefined : await assetRecords.find(work, parent_id);
  }
  return checks;
};

/** Assets whose contents are read at the same time. */
const READ_TOGETHER = 25;

/** The ids of the assets directly in one. One call. */
const idsIn = async (caller: Caller, id: string): Promise<string[]> => {
  const { partition, prefix } = keys.assetWith.range(caller, parentLabel(id));
  return Array.fromAsync(queryRows(caller, { partition, prefix }), ({ sk }) => sk.slice(prefix.length));
};

/**
 * Checks that an asset does not have more levels of assets in it than its new place leaves. Reads no further than the
 * level that does not fit: a call for each asset above that level.
 * @param levels how many levels may be below it
 * @throws ApiError 409
 */
const expectRoomBelow = async (caller: Caller, id: string, levels: number): Promise<void> => {
  let level = [id];
  for (let left = levels; level.length > 0; left -= 1) {
    if (left < 0) throw errors.assetTooDeep(MAX_LEVELS);
    const below: string[] = [];
    for (let from = 0; from < level.length; from += READ_TOGETHER) {
      const some = level.slice(from, from + READ_TOGETHER);
      below.push(...(await Promise.all(some.map((each) => idsIn(caller, each)))).flat());
    }
    level = below;
  }
};

/**
 * @throws ApiError 400 for a kind, location, parent or document that does not exist; 409 for an external_ref in use, or
 *   too many assets above it; 422 for values that the kind does not take
 */
export const create = (caller: Caller, { values, ...fields }: NewAsset): Promise<Asset> => {
  let number: number | undefined;
  return change(caller, async (work) => {
    const [kind, , parent] = await resolve(work, [
      reference(work, 'kind_id', 'ASSET_KIND', fields.kind_id),
      reference(work, 'location_id', 'LOCATION', fields.location_id),
      reference(work, 'parent_id', KIND, fields.parent_id),
    ]);
    const checked = checkedValues(kind, values);
    number ??= await nextNumber(work, keys.sequence(work, KIND));
    const asset: Asset = newResource(work, { number, ...fields, values: checked, decommissioned_at: null });
    return {
      writes: [
        ...resource.create(assetRecords, work, asset),
        ...(await checksAbove(work, asset.id, parent)),
        assetActivity(work, asset.id, { kind: 'created', to: asset.location_id }),
        assetEvent(work, 'created', asset),
      ],
      reply: toAsset(asset),
    };
  });
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Asset> =>
  toAsset(await assetRecords.get(caller, id));

/** Fields whose changes have entries of their own in the history, or none. */
const RECORDED: ReadonlySet<string> = new Set(['location_id', 'status', 'decommissioned_at']);

/** The entries of a change in the history of an asset. */
const activitiesOf = (before: Asset, after: Asset): NewAssetActivity[] => {
  const edited = (Object.keys(after) as (keyof Asset)[]).filter(
    (name) => !RECORDED.has(name) && !isDeepStrictEqual(before[name], after[name]),
  );
  return [
    ...(before.location_id === after.location_id
      ? []
      : [{ kind: 'moved' as const, from: before.location_id, to: after.location_id }]),
    ...(before.status === after.status
      ? []
      : [{ kind: 'status_changed' as const, from: before.status, to: after.status }]),
    ...(edited.length > 0 ? [{ kind: 'edited' as const, to: edited.toSorted().join(', ') }] : []),
  ];
};

/** The writes of a change of an asset, with its history and its event. */
const changeWrites = (work: Work, before: Asset, after: Asset): Write[] => {
  const isMoved = before.location_id !== after.location_id || before.parent_id !== after.parent_id;
  return [
    ...resource.replace(assetRecords, work, before, after),
    ...activitiesOf(before, { ...after, version: before.version, updated_at: before.updated_at }).map(
      (each) => assetActivity(work, after.id, each),
    ),
    assetEvent(work, isMoved ? 'moved' : 'updated', after),
  ];
};

/** The values after a change of them, or of the kind. @throws ApiError 422 for values that the kind does not take */
const valuesAfter = async (
  work: Work,
  current: Asset,
  next: Asset,
  given: GivenValues | undefined,
): Promise<AssetValue[]> => {
  const isOfOtherKind = next.kind_id !== current.kind_id;
  if (!given && !isOfOtherKind) return current.values;
  const kind = next.kind_id ? await assetKindRecords.find(work, next.kind_id) : undefined;
  return checkedValues(kind, given ?? fittingValues(kind, current.values));
};

/** @throws ApiError 404; 409 for another version; else as `create` */
export const update = (
  caller: Caller,
  id: string,
  { values, ...changes }: AssetChanges,
  expectedVersion?: number,
): Promise<Asset> =>
  change(caller, async (work) => {
    const current = withoutKeys(await assetRecords.get(work, id));
    const [, , parent] = await resolve(work, [
      reference(work, 'kind_id', 'ASSET_KIND', changes.kind_id),
      reference(work, 'location_id', 'LOCATION', changes.location_id),
      reference(work, 'parent_id', KIND, changes.parent_id),
      ...(changes.media ?? []).map(({ document_id }) => reference(work, 'media', 'DOCUMENT', document_id)),
    ]);
    expectVersion(assetRecords.noun, current, expectedVersion);
    const merged = mergeLabelled(current, changes);
    const next = {
      ...merged,
      values: await valuesAfter(work, current, merged, values),
      decommissioned_at: merged.status === 'decommissioned' ? merged.decommissioned_at : null,
    };
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: toAsset(current) };
    const updated = nextVersion(work, current, next);
    const isMoved = next.parent_id !== current.parent_id;
    const above = isMoved ? await checksAbove(work, id, parent) : [];
    if (above.length > 0) await expectRoomBelow(work, id, MAX_LEVELS - 1 - above.length);
    return {
      writes: [...changeWrites(work, current, updated), ...above],
      reply: toAsset(updated),
    };
  });

/**
 * Deletes an asset; a worker deletes its history. A schedule that begins to name it at the same moment does not inspect it.
 * @throws ApiError 404; 409 for another version, or while it is used
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const asset = withoutKeys(await assetRecords.get(work, id));
    expectVersion(assetRecords.noun, asset, expectedVersion);
    const schedules = await Array.fromAsync(
      schedulesOfAsset(work, id),
      (schedule) => `“${schedule.title}” (${schedule.id})`,
    );
    if (schedules.length > 0) throw errors.assetScheduled(schedules);
    const message =
      'The asset has others in it, or is used by inspections or issues. Decommission it instead';
    return {
      writes: [
        ...resource.remove(assetRecords, work, asset),
        assetEvent(work, 'deleted', asset),
        ...close(work, KIND, id, ['assets', 'inspections', 'issues'], message),
        enqueue(work, 'cleanup', { asset_id: id }),
      ],
      reply: null,
    };
  });

/** The asset's history, oldest first. @throws ApiError 404 */
export const listActivity = (caller: Caller, id: string, query: ListQuery): Promise<Listing<AssetActivity>> =>
  listHistory(
    caller,
    AssetActivity,
    `ASSET_ACTIVITY ${id}`,
    keys.parts(caller, KIND, id, 'ASSET_ACTIVITY'),
    query,
    () => assetRecords.get(caller, id),
  );

/** Rows that are deleted in one transaction. */
const MAX_BATCH = 50;

/** Deletes some of the history of a deleted asset. The reply is whether there may be more. */
export const deleteSomeOfAsset = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const rows: Write[] = [];
    const partition = keys.below(caller, KIND, id);
    for await (const { pk, sk } of queryRows(caller, { partition, pageSize: MAX_BATCH })) {
      if (rows.push(write.drop({ pk, sk })) === MAX_BATCH) break;
    }
    return { writes: rows, reply: rows.length === MAX_BATCH };
  });

/** The writes by which an asset goes from one location to another one, or to none; none when it is elsewhere by then. */
export const assetToLocation = async (
  work: Work,
  id: string,
  from: string,
  to: string | null,
): Promise<Write[]> => {
  const row = await assetRecords.find(work, id);
  if (row?.location_id !== from) return [];
  const current = withoutKeys(row);
  return changeWrites(work, current, nextVersion(work, current, { location_id: to }));
};

/** Takes all assets away from a location that is about to be deleted. */
export const leaveLocation = async (caller: Caller, locationId: string): Promise<void> => {
  const partition = keys.assetsWith(caller, 'LOCATION', locationId);
  for await (const { sk: id } of queryRows(caller, { partition, index: 'by_location' })) {
    await change(caller, async (work) => ({
      writes: await assetToLocation(work, id, locationId, null),
      reply: undefined,
    }));
  }
};
