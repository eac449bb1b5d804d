import type { AssetKind } from '../../schemas/assets/asset-kind.ts';
import type { Asset, AssetActivity } from '../../schemas/assets/asset.ts';
import type { Recorded } from './common.ts';

/** The name is reserved, folded, as a unique value. */
export type StoredAssetKind = AssetKind;

export type StoredAsset = Asset;

/** An entry of an asset's history. */
export type StoredAssetActivity = Recorded<AssetActivity> & { updated_at: string };
