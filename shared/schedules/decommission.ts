import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { ofAsset } from '../domain/labels.ts';
import { editWrites, takeStep } from '../inspections/edit.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import { assetActivity, assetEvent, assetRecords, toAsset } from '../places/assets/records.ts';
import type { Asset, Decommissioning, DecommissionedAsset } from '../schemas/assets/asset.ts';
import { change, changePart, NOTHING } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { getRows, queryRows, withoutKeys, withRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { endSchedules } from './places.ts';

/*
 * The end of an asset. From its own transaction on no inspection of it is created; schedules that name it lose it, and
 * inspections that nobody has started are archived, one after the other. Each shows whether it is done, so the work can be
 * interrupted and repeated.
 */

/** Archives an inspection of a decommissioned asset unless somebody has started it. The reply is whether it did. */
const archive = (caller: Caller, id: string, assetId: string): Promise<boolean> =>
  changePart<boolean>(caller, async (work) => {
    const assetKey = assetRecords.key(work, assetId);
    const [row, asset] = await getRows(work, [inspectionRecords.key(work, id), assetKey]);
    const isMeant = row?.asset_id === assetId && row.status === 'scheduled';
    if (!isMeant || asset?.status !== 'decommissioned') return { ...NOTHING, reply: false };
    const before = withoutKeys(row);
    const step = takeStep(work, 'archive', before, { archive_reason: 'asset_decommissioned' });
    return {
      writes: [
        ...editWrites(work, before, step).writes,
        write.check(assetKey, undefined, hasValues({ status: asset.status })),
      ],
      reply: true,
    };
  });

/** Archives the inspections of a decommissioned asset that nobody has started. @returns the ids of those that it archived */
const endInspections = async (caller: Caller, assetId: string): Promise<string[]> => {
  const { partition, prefix } = keys.inspectionWith.range(caller, ofAsset(assetId));
  const found = queryRows(caller, { partition, prefix });
  const keysOf = ({ sk }: { sk: string }) =>
    [inspectionRecords.key(caller, sk.slice(prefix.length))] as const;
  const ended: string[] = [];
  for await (const [, [row]] of withRows(caller, found, keysOf)) {
    if (row?.status === 'scheduled' && (await archive(caller, row.id, assetId))) ended.push(row.id);
  }
  return ended;
};

/** Ends what was to be done about a decommissioned asset. @returns the ids of what it has ended */
export const endAll = async (
  caller: Caller,
  assetId: string,
): Promise<Pick<DecommissionedAsset, 'ended_schedule_ids' | 'ended_inspection_ids'>> => ({
  ended_schedule_ids: await endSchedules(caller, assetId),
  ended_inspection_ids: await endInspections(caller, assetId),
});

/** The decommissioned asset. Another decommissioning changes nothing. @throws ApiError 404; 409 for another version */
const endAsset = (
  caller: Caller,
  id: string,
  { reason }: Decommissioning,
  expectedVersion: number | undefined,
): Promise<Asset> =>
  changePart<Asset>(caller, async (work) => {
    const current = withoutKeys(await assetRecords.get(work, id));
    expectVersion(assetRecords.noun, current, expectedVersion);
    const { status: from } = current;
    if (from === 'decommissioned') return { writes: [], reply: toAsset(current) };
    const to = 'decommissioned';
    const asset = nextVersion(work, current, { status: to, decommissioned_at: work.now });
    return {
      writes: [
        ...resource.replace(assetRecords, work, current, asset),
        assetActivity(work, id, { kind: 'status_changed', from, to, note: reason }),
        assetEvent(work, 'decommissioned', asset),
        enqueue(work, 'cleanup', { decommissioned_asset_id: id }),
      ],
      reply: toAsset(asset),
    };
  });

/**
 * Decommissions an asset, and ends what was to be done about it.
 * @throws ApiError 404; 409 for another version
 */
export const decommission = async (
  caller: Caller,
  id: string,
  request: Decommissioning,
  expectedVersion?: number,
): Promise<DecommissionedAsset> => {
  const asset = await endAsset(caller, id, request, expectedVersion);
  const reply = { ...asset, ...(await endAll(caller, id)) };
  // The last transaction stores the reply for a repeated request.
  const standing = (work: Caller) =>
    write.check(assetRecords.key(work, id), () => errors.notFound(assetRecords.noun));
  return change(caller, (work) => ({ writes: [standing(work)], reply }));
};
