import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import { fold } from '../../base/text.ts';
import { ofAsset } from '../../domain/labels.ts';
import { MAX_MERGED, type PlaceFilters, placesOf } from '../../places/locations/places.ts';
import type { Named } from '../../schemas/surroundings.ts';
import { idByExternalRef, mergedIds } from '../../table/candidates.ts';
import type { ChildReference, StoredInspection } from '../../table/entities/inspections.ts';
import type { Children } from '../../table/entities/kinds.ts';
import { firstIdAt, lastIdBefore } from '../../table/id-times.ts';
import type { Range } from '../../table/key-templates.ts';
import { type Key, keys } from '../../table/keys.ts';
import type { ListQuery } from '../../table/listing.ts';
import { getRow, queryRows, readRows, type Row, withRows } from '../../table/rows.ts';
import { inspectionRecords } from './inspection-records.ts';
import { fieldLabel } from './listed.ts';
import { withCurrentNames } from './names-then.ts';
import { placeKeys, PresentNames } from './present-names.ts';

/*
 * Lists of the findings or of the corrective actions of all inspections, newest first. Pointers come from the most
 * selective list or index for the filters; an index may lag, so the rows are read strongly consistent, and all filters
 * are applied to them.
 */

export type PartKind = 'FINDING' | 'ACTION';

/** The filters that both lists have. */
export interface PartQuery extends ListQuery, PlaceFilters {
  client_account_id?: readonly string[] | undefined;
  template_family_id?: readonly string[] | undefined;
  field_id?: readonly string[] | undefined;
  asset_id?: readonly string[] | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

/** A part's own id and that of its inspection, as one text, so that pointers sort as the parts' ids do. */
type Pointers = AsyncGenerator<string>;

const pointerTo = (id: string, inspectionId: string): string => `${id} ${inspectionId}`;

/** The ids of what was created in a period, newest first from `after`. */
interface Period {
  after: string | undefined;
  from: string | undefined;
}

export const periodOf = (
  { created_after, created_before }: Pick<PartQuery, 'created_after' | 'created_before'>,
  cursor: string | undefined,
): Period => {
  const before = created_before && lastIdBefore(created_before);
  return {
    after: [cursor, before].filter((id) => id !== undefined).toSorted()[0],
    from: created_after && firstIdAt(created_after),
  };
};

/** What a source of pointers is read with. */
interface Reading extends Period {
  caller: Caller;
  kind: PartKind;
  /** The rows that are enough for a page, where no further filter drops any. */
  pageSize: number | undefined;
}

/** Parts in a partition of an index. */
const indexed = async function* (
  { caller, kind, after, from, pageSize }: Reading,
  index: 'by_status' | 'by_client' | 'by_location' | 'by_family',
  partition: string,
): Pointers {
  const prefix = `${kind}#`;
  const rows = queryRows(caller, {
    partition,
    index,
    prefix,
    after: after && `${prefix}${after}`,
    newestFirst: true,
    pageSize,
  });
  for await (const { pk, sk } of rows) {
    const id = sk.slice(prefix.length);
    if (from !== undefined && id < from) return;
    yield pointerTo(id, pk.slice(pk.lastIndexOf('#') + 1));
  }
};

/** Parts in a list of the table, whose sort keys end with their ids. */
const listed = async function* (
  { caller, after, from, pageSize }: Reading,
  { partition, prefix = '' }: { partition: Range<ChildReference>['partition']; prefix?: string },
): Pointers {
  const rows = queryRows(caller, {
    partition,
    ...(prefix && { prefix }),
    after: after && `${prefix}${after}`,
    newestFirst: true,
    pageSize,
  });
  for await (const { sk, inspection_id } of rows) {
    const id = sk.slice(prefix.length);
    if (from !== undefined && id < from) return;
    yield pointerTo(id, inspection_id);
  }
};

/** How a list finds its parts beside the filters that both have. */
export interface PartSource {
  /** Lists of the table that hold all that the filters select, more selective than any index. */
  lists?: readonly { partition: string; prefix?: string }[] | undefined;
  /** Pointers to few parts. */
  few?: AsyncIterable<ChildReference & { id: string }> | undefined;
  /** Partitions of `by_status`, if a status or degree is given. */
  standings?: readonly string[] | undefined;
}

/** The pointers of the most selective source, newest first. */
const pointersOf = (
  reading: Reading,
  query: PartQuery,
  places: ReadonlySet<string> | undefined,
  { lists, few, standings }: PartSource,
): Pointers => {
  const { caller, kind, after } = reading;
  const { client_account_id, template_family_id, field_id, asset_id } = query;
  const of = (
    by: 'CLIENT' | 'LOCATION' | 'FAMILY',
    index: Parameters<typeof indexed>[1],
    ids: Iterable<string>,
  ) =>
    mergedIds(
      Array.from(new Set(ids), (id) => indexed(reading, index, keys.childrenWith(caller, kind, by, id))),
    );
  if (few) return newest(few, after);
  if (lists) return mergedIds(lists.map((list) => listed(reading, list)));
  const labels = asset_id?.map(ofAsset) ?? field_id?.map(fieldLabel);
  if (labels) {
    const rows = kind === 'FINDING' ? keys.findingWith : keys.actionWith;
    const ranges = [...new Set(labels)].map((label) => rows.range(caller, label));
    return mergedIds(ranges.map((range) => listed(reading, range)));
  }
  if (places && places.size <= MAX_MERGED) return of('LOCATION', 'by_location', places);
  if (client_account_id) return of('CLIENT', 'by_client', client_account_id);
  if (template_family_id) return of('FAMILY', 'by_family', template_family_id);
  if (standings) return mergedIds(standings.map((partition) => indexed(reading, 'by_status', partition)));
  return listed(reading, { partition: keys.reference.partition(caller, kind) });
};

/** The part with an external_ref. @param what as its reservation names it */
export const partByExternalRef = async function* (
  caller: Caller,
  kind: PartKind,
  what: string,
  externalRef: string,
): AsyncGenerator<ChildReference & { id: string }> {
  for await (const id of idByExternalRef(caller, what, externalRef)) {
    const found = await getRow(caller, keys.reference(caller, kind, id));
    if (found) yield { id, inspection_id: found.inspection_id };
  }
};

/** All of these, newest first. */
const newest = async function* (
  few: AsyncIterable<ChildReference & { id: string }>,
  after: string | undefined,
): Pointers {
  const pointers = await Array.fromAsync(few, ({ id, inspection_id }) => pointerTo(id, inspection_id));
  for (const pointer of pointers.toSorted().toReversed()) if (!after || pointer < after) yield pointer;
};

/** A part with its inspection. */
export interface FoundPart<K extends PartKind> {
  part: Row<Children[K]>;
  inspection: Row<StoredInspection>;
}

/** The ids of what a part belongs to. */
export interface Under {
  client_account_id: string | null;
  location_id: string | null;
  template_family_id: string;
  asset_id: string | null;
}

/** What both kinds have, whatever release has stored them. */
const underOf = <K extends PartKind>({ part, inspection }: FoundPart<K>): Under => ({
  client_account_id: inspection.client_account_id,
  location_id: part.location_id ?? inspection.location_id,
  template_family_id: inspection.template_family_id,
  asset_id: inspection.asset_id,
});

/** Whether a value is among those that a filter names. Without a filter, any is, and none too. */
export const includes = (wanted: readonly string[] | undefined, value: string | null | undefined): boolean =>
  wanted === undefined || (value !== null && value !== undefined && wanted.includes(value));

/** Whether a time is in a period. Without a bound, any is, and none too. */
export const isIn = (at: string | null, from: string | undefined, before: string | undefined): boolean =>
  (from === undefined && before === undefined) ||
  (at !== null &&
    (from === undefined || Date.parse(at) >= Date.parse(from)) &&
    (before === undefined || Date.parse(at) < Date.parse(before)));

/** Whether one of these texts begins like this, or a number does. Case is ignored. */
export const beginsWith = (q: string | undefined, number: number, ...texts: (string | null)[]): boolean =>
  q === undefined ||
  String(number).startsWith(q) ||
  texts.some((text) => text !== null && fold(text).startsWith(fold(q)));

/**
 * The findings or actions that pass the filters that both have, and their own.
 * @param after the id that the page before ended with
 * @param isWanted whether it passes the filters that are its own
 * @param isPrecise whether the source holds nothing but what the filters select, so that a page need not read more
 */
export const findParts = async function* <K extends PartKind>(
  caller: Caller,
  kind: K,
  query: PartQuery,
  after: string | undefined,
  source: PartSource,
  isWanted: (found: FoundPart<K>) => boolean,
  isPrecise: boolean,
): AsyncGenerator<FoundPart<K>> {
  const places = await placesOf(caller, query);
  const { limit, client_account_id, template_family_id, asset_id } = query;
  const count = limit === undefined ? undefined : limit + 1;
  const reading = { caller, kind, ...periodOf(query, after), pageSize: isPrecise ? count : undefined };
  const pointers = pointersOf(reading, query, places, source);
  const read = withRows(
    caller,
    pointers,
    (pointer) => {
      const [id = '', inspectionId = ''] = pointer.split(' ');
      return [
        keys.child(caller, inspectionId, kind, id),
        inspectionRecords.key(caller, inspectionId),
      ] as const;
    },
    count,
  );
  for await (const [, [row, inspection]] of read) {
    if (!row || !inspection) continue;
    // The key of a child says its kind, which the compiler does not follow through a type parameter.
    const found = { part: row as Row<Children[K]>, inspection };
    const under = underOf(found);
    const { created_at, updated_at } = found.part;
    if (
      includes(client_account_id, under.client_account_id) &&
      includes(template_family_id, under.template_family_id) &&
      includes(asset_id, under.asset_id) &&
      (!places || (under.location_id !== null && places.has(under.location_id))) &&
      isIn(created_at, query.created_after, query.created_before) &&
      isIn(updated_at, query.updated_since, undefined) &&
      isWanted(found)
    )
      yield found;
  }
};

/** A row of such a list, with the ids of what it belongs to, whether that still exists or not. */
export interface ListedUnder<Shown> {
  shown: Shown;
  under: Under;
}

/** What a row of such a list says of what it belongs to. */
export interface Surroundings {
  client_account: Named | null;
  location: Named | null;
  template_family: Named | null;
  asset: Named | null;
  inspection: { id: string; number: number; name: string };
}

/** Rows of a list whose names are read together. */
const READ_TOGETHER = 50;

/** A part with what it belongs to, and another row that was read with it. */
export interface SurroundedPart<K extends PartKind, Other extends object> extends FoundPart<K> {
  under: Under;
  surroundings: Surroundings;
  other: Row<Other> | undefined;
}

/**
 * The parts with what they belong to, by its present names, and with the present names beside those that they have kept:
 * as many at a time as are read together. One call per 100 names and other rows that were not read yet, and one per 100
 * names that they have kept.
 * @param count the number of parts at most that are needed, where it is known
 * @param alsoKey another row that is read with the names of a part
 */
export const withSurroundings = async function* <K extends PartKind, Other extends object>(
  caller: Caller,
  parts: AsyncIterable<FoundPart<K>>,
  count: number | undefined,
  alsoKey: (part: Children[K]) => Key<Other> | undefined,
): AsyncGenerator<SurroundedPart<K, Other>[]> {
  const names = new PresentNames();
  const surrounded = async (batch: readonly FoundPart<K>[]): Promise<SurroundedPart<K, Other>[]> => {
    const wanted = names.unknown(batch.flatMap((found) => placeKeys(caller, underOf(found))));
    const [rowsOf, shown] = await Promise.all([
      readRows(caller, [...wanted, ...batch.map(({ part }) => alsoKey(part))]),
      withCurrentNames(
        caller,
        batch.map(({ part }) => part),
      ),
    ]);
    names.learn(wanted, rowsOf);
    return batch.map((found, position) => {
      const [other] = rowsOf([alsoKey(found.part)]);
      const under = underOf(found);
      return {
        ...found,
        part: shown[position]!,
        under,
        surroundings: {
          ...names.around(caller, under),
          inspection: pick(found.inspection, ['id', 'number', 'name']),
        },
        other,
      };
    });
  };
  let batch: FoundPart<K>[] = [];
  for await (const part of parts) {
    batch.push(part);
    if (batch.length < Math.min(count ?? READ_TOGETHER, READ_TOGETHER)) continue;
    yield await surrounded(batch);
    batch = [];
  }
  if (batch.length > 0) yield await surrounded(batch);
};
