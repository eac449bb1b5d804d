import type { Caller } from '../../base/caller.ts';
import { hasLabels, wanted } from '../../domain/labels.ts';
import { wordFilter } from '../../domain/words.ts';
import type { Asset, AssetQuery } from '../../schemas/assets/asset.ts';
import { candidateRows, idByExternalRef, type IdsOf, mergedIds } from '../../table/candidates.ts';
import { keys } from '../../table/keys.ts';
import { kept, type Listing, listing, readCursor } from '../../table/listing.ts';
import { positionBy, rowsByWord } from '../../table/words.ts';
import { MAX_MERGED, placesOf } from '../locations/places.ts';
import { EXTERNAL_REF, KIND, parentLabel, toAsset } from './records.ts';

/** Whether an asset passes all given filters. */
const filterOf = (
  query: AssetQuery,
  places: ReadonlySet<string> | undefined,
): ((asset: Asset) => boolean) => {
  const { q, kind_id, location_id, parent_id, status, external_ref, updated_since } = query;
  const equalities = Object.entries({ kind_id, location_id, parent_id, external_ref }).filter(
    ([, value]) => value !== undefined,
  );
  const labels = wanted(query);
  const hasWords = wordFilter(q);
  return (asset) =>
    equalities.every(([field, value]) => asset[field as keyof Asset] === value) &&
    (!places || (asset.location_id !== null && places.has(asset.location_id))) &&
    (!status || status.includes(asset.status)) &&
    hasWords(asset) &&
    hasLabels(asset, labels) &&
    (!updated_since || asset.updated_at >= updated_since);
};

/** Ids that include all assets of a filtered list, from the most selective list or index for the filters. */
const candidatesOf =
  (caller: Caller, query: AssetQuery, places: ReadonlySet<string> | undefined) =>
  (idsOf: IdsOf): AsyncGenerator<string> | undefined => {
    const { external_ref, parent_id, location_id, kind_id, status } = query;
    if (external_ref) return idByExternalRef(caller, EXTERNAL_REF, external_ref);
    const at = (id: string) => idsOf(keys.assetsWith(caller, 'LOCATION', id), 'by_location');
    if (location_id) return at(location_id);
    if (places && places.size <= MAX_MERGED) return mergedIds([...places].map(at));
    const [labels] = [...(parent_id ? [[parentLabel(parent_id)]] : []), ...wanted(query)];
    if (labels) {
      const ranges = labels.map((label) => keys.assetWith.range(caller, label));
      return mergedIds(ranges.map(({ partition, prefix }) => idsOf(partition, undefined, prefix)));
    }
    if (kind_id) return idsOf(keys.assetsWith(caller, 'KIND', kind_id), 'by_family');
    if (!status) return undefined;
    return mergedIds(
      [...new Set(status)].map((each) => idsOf(keys.assetsWith(caller, 'STATUS', each), 'by_status')),
    );
  };

/** Whether the words of assets find what a query asks for, rather than a list or an index. */
const isByWord = ({
  location_id,
  within,
  region_id,
  parent_id,
  external_ref,
  ...others
}: AssetQuery): boolean =>
  !location_id && !within && !region_id && !parent_id && !external_ref && wanted(others).length === 0;

/** Newest first, or in the order of the words that were found. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: AssetQuery): Promise<Listing<Asset>> => {
  const after = readCursor(caller, KIND, query);
  const { within, region_id } = query;
  const places = await placesOf(caller, { within, region_id });
  const isWanted = filterOf(query, places);
  const q = isByWord(query) ? query.q : undefined;
  const rows =
    q === undefined
      ? candidateRows(caller, KIND, query, after, candidatesOf(caller, query, places))
      : rowsByWord(caller, KIND, q, after, query.limit);
  return listing(caller, KIND, query, kept(rows, isWanted), positionBy(q), toAsset);
};
