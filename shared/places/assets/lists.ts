import type { Caller } from '../../base/caller.ts';
import { hasWords, searchedWords, wordsOf } from '../../domain/assets/words.ts';
import { hasLabels, wanted } from '../../domain/labels.ts';
import type { Asset, AssetQuery } from '../../schemas/assets/asset.ts';
import { candidateRows, idByExternalRef, type IdsOf, mergedIds } from '../../table/candidates.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { queryRows, type Row, withRows } from '../../table/rows.ts';
import { MAX_MERGED, placesOf } from '../locations/places.ts';
import { assetRecords, EXTERNAL_REF, KIND, parentLabel, toAsset } from './records.ts';

/** Ends a word in the sort keys of `assetByWord`. */
const SEPARATOR = '\u0001';

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
  const words = q && searchedWords(q);
  return (asset) =>
    equalities.every(([field, value]) => asset[field as keyof Asset] === value) &&
    (!places || (asset.location_id !== null && places.has(asset.location_id))) &&
    (!status || status.includes(asset.status)) &&
    (!words || hasWords(wordsOf(asset), words)) &&
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
  q,
  location_id,
  within,
  region_id,
  parent_id,
  external_ref,
  ...others
}: AssetQuery): boolean =>
  q !== undefined &&
  !location_id &&
  !within &&
  !region_id &&
  !parent_id &&
  !external_ref &&
  wanted(others).length === 0;

/** An asset, and where it stands in its list. */
interface Placed {
  position: string;
  row: Row<Asset>;
}

/** The assets that have a word with a beginning, in the order of the words. Each comes with the first such word of its own. */
const rowsByWord = async function* (
  caller: Caller,
  beginning: string,
  after: string | undefined,
  limit: number | undefined,
): AsyncGenerator<Placed> {
  const found = queryRows(caller, {
    partition: keys.assetByWord.partition(caller),
    prefix: beginning,
    after,
    pageSize: limit && limit + 1,
  });
  const keysOf = ({ sk }: { sk: string }) =>
    [assetRecords.key(caller, sk.slice(sk.indexOf(SEPARATOR) + 1))] as const;
  for await (const [{ sk }, [row]] of withRows(caller, found, keysOf, limit && limit + 1)) {
    if (!row) continue;
    const first = wordsOf(row).find((word) => word.startsWith(beginning));
    if (sk === `${first}${SEPARATOR}${row.id}`) yield { position: sk, row };
  }
};

const rowsById = async function* (
  caller: Caller,
  query: AssetQuery,
  places: ReadonlySet<string> | undefined,
  after: string | undefined,
): AsyncGenerator<Placed> {
  for await (const row of candidateRows(caller, KIND, query, after, candidatesOf(caller, query, places))) {
    yield { position: row.id, row };
  }
};

/** Newest first, or in the order of the words that were found. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: AssetQuery): Promise<Listing<Asset>> => {
  const after = readCursor(caller, KIND, query);
  const { within, region_id } = query;
  const places = await placesOf(caller, { within, region_id });
  const [word] = searchedWords(query.q ?? '');
  if (query.q !== undefined && word === undefined) return { page: [] };
  const rows =
    word !== undefined && isByWord(query)
      ? rowsByWord(caller, word, after, query.limit)
      : rowsById(caller, query, places, after);
  const isWanted = filterOf(query, places);
  const found = (async function* () {
    for await (const placed of rows) if (isWanted(placed.row)) yield placed;
  })();
  return listing(
    caller,
    KIND,
    query,
    found,
    ({ position }) => position,
    ({ row }) => toAsset(row),
  );
};
