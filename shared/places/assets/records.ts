import { v7 as uuidv7 } from 'uuid';
import { type Caller, viaKey } from '../../base/caller.ts';
import { labelsOf } from '../../domain/labels.ts';
import { Asset, type AssetActivity } from '../../schemas/assets/asset.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection } from '../../table/collection.ts';
import type { StoredSchedule } from '../../table/entities/schedules.ts';
import { type Key, keys, shardOf } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { queryRows, type Row, withRows } from '../../table/rows.ts';
import { foundByWords } from '../../table/words.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

export const KIND = 'ASSET';
export const EXTERNAL_REF = 'external_ref of assets';

/** What lists find the assets in another one by. */
export const parentLabel = (id: string): string => `parent ${id}`;

/** Assets, and what follows from each: the rows by which lists find it. */
export const assetRecords = collection(KIND, 'asset', {
  index: (caller, { status, location_id, kind_id }) => ({
    by_status: keys.assetsWith(caller, 'STATUS', status),
    ...(location_id && { by_location: keys.assetsWith(caller, 'LOCATION', location_id) }),
    ...(kind_id && { by_family: keys.assetsWith(caller, 'KIND', kind_id) }),
  }),
  uses: { as: 'assets', fields: { kind_id: 'ASSET_KIND', location_id: 'LOCATION', parent_id: KIND } },
  documents: { in: ({ media }) => media, field: 'media' },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      what: 'asset by label',
      row: keys.assetWith,
      at: (asset) =>
        [...labelsOf(asset), ...(asset.parent_id ? [parentLabel(asset.parent_id)] : [])].map((label) => [
          label,
          asset.id,
        ]),
    },
    foundByWords(KIND, 'asset by word'),
  ],
});

/** Whether an asset is inspected. */
export const isInUse = ({ status }: Pick<Asset, 'status'>): boolean => status !== 'decommissioned';

/** The schedules that name an asset, in creation order. Two calls for each hundred that have the shard of its id. */
export const schedulesOfAsset = async function* (
  caller: Caller,
  id: string,
): AsyncGenerator<Row<StoredSchedule>> {
  const { partition, prefix } = keys.scheduleByAsset.range(caller, shardOf(id));
  const keysOf = ({ sk }: Key): [Key<StoredSchedule>] => [
    keys.one(caller, 'SCHEDULE', sk.slice(prefix.length)),
  ];
  for await (const [, [row]] of withRows(caller, queryRows(caller, { partition, prefix }), keysOf)) {
    if (row?.asset_ids.includes(id)) yield row;
  }
};

/** An asset as it is sent to clients. */
export const toAsset = (stored: Asset): Presented<Asset> => present(Asset, stored);

/** The event of a change of an asset. */
export const assetEvent = (work: Work, what: Happening<'asset'>, asset: Asset): Write =>
  emit(work, `asset.${what}`, toAsset(asset));

/** An entry of an asset's history, without who made it and when. */
export type NewAssetActivity = Pick<AssetActivity, 'kind'> &
  Partial<Pick<AssetActivity, 'from' | 'to' | 'note'>>;

/** Adds an entry to an asset's history, in the transaction of the change that it describes. */
export const assetActivity = (
  work: Work,
  assetId: string,
  { kind, from = null, to = null, note = '' }: NewAssetActivity,
): Write => {
  const id = uuidv7();
  return write.create({
    ...keys.assetActivity(work, assetId, id),
    id,
    kind,
    actor_id: work.user_id || null,
    ...viaKey(work),
    from,
    to,
    note,
    at: work.now,
    updated_at: work.now,
  });
};

/** Where something is: as it says itself, otherwise where its asset is. One call, or none. */
export const atAsset = async <Where extends string | null | undefined>(
  caller: Caller,
  { asset_id, location_id }: { asset_id?: string | null | undefined; location_id: Where },
): Promise<{ location_id: Where | string | null }> =>
  asset_id && !location_id
    ? { location_id: (await assetRecords.find(caller, asset_id))?.location_id ?? location_id }
    : { location_id };
