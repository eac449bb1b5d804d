import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import {
  type Counting,
  inspectedAt,
  monthIn,
  type Numbers,
  type NumbersCell,
  numbersOfAction,
  numbersOfAnswers,
  numbersOfFinding,
  numbersOfInspection,
  plus,
} from '../../domain/numbers/counting.ts';
import { changePart, type Work } from '../../table/change.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../../table/entities/inspections.ts';
import type { Counted, StoredNumbers } from '../../table/entities/numbers.ts';
import type { Partition } from '../../table/key-templates.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { getRows, queryRows, type Row, type RowsAt } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { readRepeats } from '../findings/repeats.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';
import { listedUnder } from '../rows/listed.ts';
import { readEvaluation } from '../scores.ts';

/*
 * Numbers follow what they count: a worker that hears of a change reads what is true now, what was counted before, and
 * writes both differences in one transaction. So an event may come twice, late, or in another order than it happened.
 * What was counted is read before what is true, and the transaction fails if it was counted again meanwhile: the last
 * one who counts has seen the last state.
 */

/** Something to count. The id is that of the inspection itself, or of a finding or action of it. */
export interface Item {
  what: Counting;
  inspection_id: string;
  id: string;
}

export const bodyOf = (numbers: Numbers): Uint8Array => gzipSync(JSON.stringify(numbers));

/** The numbers in a row; none without a row. */
export const numbersIn = (row: Pick<StoredNumbers, 'body'> | undefined): Numbers =>
  // `bodyOf` has written it.
  row ? (JSON.parse(gunzipSync(row.body).toString()) as Numbers) : {};

const CELL = ['month', 'location_id', 'client_account_id', 'template_family_id'] as const;

/** The key of the numbers that something adds to. */
export const cellKey = (
  caller: Caller,
  what: Counting,
  { month, location_id, client_account_id, template_family_id }: NumbersCell,
): Key<StoredNumbers> =>
  what === 'ANSWERS'
    ? keys.answerNumbers(caller, template_family_id, month, location_id, client_account_id)
    : keys.numbers(caller, what, month, location_id, client_account_id, template_family_id);

/** The attributes by which indexes find numbers. Nobody looks for those without a location or client account. */
export const cellIndex = (
  caller: Caller,
  what: Counting,
  { location_id, client_account_id }: NumbersCell,
) => ({
  ...(location_id !== null && { by_location: keys.numbersWith(caller, 'LOCATION', what, location_id) }),
  ...(client_account_id !== null && {
    by_client: keys.numbersWith(caller, 'CLIENT', what, client_account_id),
  }),
});

/** What a row of what was counted is about. */
export const itemAt = (inspection_id: string, { sk }: Pick<Key, 'sk'>): Item => {
  const [, what, id] = sk.split('#') as ['OF', Counting, string];
  return { what, inspection_id, id };
};

export const countedKey = (caller: Caller, { what, inspection_id, id }: Item): Key<Counted> =>
  keys.counted(caller, inspection_id, what, id);

/** All that was counted of an inspection. */
export const countedOf = (caller: Caller, inspectionId: string): AsyncGenerator<Row<Counted>> => {
  // All rows of the partition are of this sort.
  const partition = keys.counted.partition(caller, inspectionId) as Partition<Counted>;
  return queryRows(caller, { partition });
};

/** What something is counted as, without the version of its row. */
export type Counts = Omit<Counted, 'body' | 'version'> & { numbers: Numbers };

export const countsIn = ({ body, ...row }: Row<Counted>): Counts => ({
  ...pick(row, [...CELL, 'timezone']),
  ...(row.is_repeat !== undefined && { is_repeat: row.is_repeat }),
  ...(row.is_completed !== undefined && { is_completed: row.is_completed }),
  ...(row.revision !== undefined && { revision: row.revision }),
  numbers: numbersIn({ body }),
});

/** An item as it was counted, and the rows by which it counts now; undefined for what was deleted. */
export interface ReadItem {
  item: Item;
  former: Row<Counted> | undefined;
  inspection: StoredInspection | undefined;
  part: StoredFinding | StoredAction | undefined;
}

const partKey = (caller: Caller, { what, inspection_id, id }: Item) =>
  what === 'FINDING' || what === 'ACTION' ? keys.child(caller, inspection_id, what, id) : undefined;

/** Calls: one for 100 rows that say what was counted, then one for 100 rows that count. */
export const readItems = async (caller: Caller, items: readonly Item[]): Promise<ReadItem[]> => {
  const former = await getRows(
    caller,
    items.map((item) => countedKey(caller, item)),
  );
  const rows: RowsAt<(Key<StoredInspection> | Key<StoredFinding | StoredAction> | undefined)[]> =
    await getRows(
      caller,
      items.flatMap((item) => [inspectionRecords.key(caller, item.inspection_id), partKey(caller, item)]),
    );
  return items.map((item, position) => ({
    item,
    former: former[position],
    // Each pair of rows is in the order of its keys.
    inspection: rows[2 * position] as Row<StoredInspection> | undefined,
    part: rows[2 * position + 1] as Row<StoredFinding> | Row<StoredAction> | undefined,
  }));
};

/** The client account, location and template family of what is counted; undefined for what is not there any more. */
const placeOf = ({ item, inspection, part }: ReadItem): Omit<NumbersCell, 'month'> | undefined => {
  if (!inspection) return undefined;
  if (item.what === 'INSPECTION' || item.what === 'ANSWERS')
    return pick(inspection, ['client_account_id', 'location_id', 'template_family_id']);
  if (!part) return undefined;
  const { client_account_id, location_id, template_family_id } = listedUnder(inspection, {
    location_id: part.location_id ?? null,
    field_id: null,
  });
  return { client_account_id, location_id, template_family_id };
};

/**
 * How something is counted: after a change, or to check what was counted. A check lets everything keep the time zone in
 * which it was counted, as it does until its next change, and counts all answers again.
 */
type Purpose = 'change' | 'check';

/** The time zone in which something was counted, if it keeps it. At another location it never does. */
const zoneKept = (
  { item, former }: ReadItem,
  location_id: string | null,
  purpose: Purpose,
): string | undefined =>
  former?.location_id === location_id &&
  (purpose === 'check' || item.what !== 'INSPECTION' || former.is_completed)
    ? former.timezone
    : undefined;

/** The time zones of these locations, or else that of the organization. One call for 99 locations. */
export const readZones = async (
  caller: Caller,
  locationIds: readonly (string | null)[],
): Promise<(locationId: string | null) => string> => {
  if (locationIds.length === 0) return () => 'UTC';
  const ids = [...new Set(locationIds)].filter((id) => id !== null);
  const [organization, ...locations] = await getRows(caller, [
    keys.organization(caller),
    ...ids.map((id) => keys.one(caller, 'LOCATION', id)),
  ]);
  const zones = new Map(ids.map((id, position) => [id, locations[position]?.timezone]));
  return (id) => (id !== null && zones.get(id)) || organization?.timezone || 'UTC';
};

/** Which of these findings repeat earlier ones. Those that were counted before stay as they were then. */
const readRepeating = async (
  caller: Caller,
  items: readonly ReadItem[],
): Promise<(id: string) => boolean> => {
  const fresh = items.filter(({ item, former, part }) => item.what === 'FINDING' && part && !former);
  const repeating = new Set<string>();
  for (const some of Map.groupBy(fresh, ({ item }) => item.inspection_id).values()) {
    const { inspection } = some[0]!;
    if (!inspection) continue;
    // They are findings.
    const findings = some.map(({ part }) => part as StoredFinding);
    const repeatOf = await readRepeats(caller, inspection, findings);
    for (const finding of findings) if (repeatOf(finding)) repeating.add(finding.id);
  }
  return (id) => repeating.has(id);
};

/**
 * What the answers of an inspection are counted as. While a correction is open, that is what they were before it.
 * Calls: those of `readEvaluation`, unless nobody has changed an answer since.
 */
const answersNow = async (
  caller: Caller,
  { former, inspection }: ReadItem,
  purpose: Purpose,
): Promise<Pick<Counts, 'numbers' | 'revision'> | undefined> => {
  if (inspection?.status !== 'completed') return undefined;
  const { answers_revision: revision, active_correction_id } = inspection;
  const isSame = former?.revision === revision && purpose === 'change';
  if (former && (isSame || active_correction_id !== null))
    return { numbers: numbersIn(former), revision: former.revision! };
  const { evaluation } = await readEvaluation(caller, inspection);
  return { numbers: numbersOfAnswers(evaluation), revision };
};

/** What one item counts as, apart from where. */
const ownCounts = async (
  caller: Caller,
  read: ReadItem,
  isRepeating: (id: string) => boolean,
  purpose: Purpose,
): Promise<Omit<Counts, keyof NumbersCell | 'timezone'> | undefined> => {
  const { item, former, inspection, part } = read;
  if (item.what === 'ANSWERS') return answersNow(caller, read, purpose);
  if (item.what === 'INSPECTION')
    return (
      inspection && {
        numbers: numbersOfInspection(inspection),
        is_completed: inspection.completed_at !== null,
      }
    );
  if (!inspection || !part) return undefined;
  if (item.what === 'ACTION') return { numbers: numbersOfAction(part as StoredAction) };
  const is_repeat = former?.is_repeat ?? isRepeating(item.id);
  return { numbers: numbersOfFinding(part as StoredFinding, is_repeat), is_repeat };
};

/** What each of these counts as now; undefined for what does not count any more. */
export const countsNow = async (
  caller: Caller,
  items: readonly ReadItem[],
  purpose: Purpose = 'change',
): Promise<(Counts | undefined)[]> => {
  const places = items.map(placeOf);
  const unknown = items.flatMap((read, position) => {
    const place = places[position];
    return place && zoneKept(read, place.location_id, purpose) === undefined ? [place.location_id] : [];
  });
  const [zoneOf, isRepeating] = await Promise.all([readZones(caller, unknown), readRepeating(caller, items)]);
  return Promise.all(
    items.map(async (read, position) => {
      const place = places[position];
      const own = await ownCounts(caller, read, isRepeating, purpose);
      if (!place || !own) return undefined;
      const timezone = zoneKept(read, place.location_id, purpose) ?? zoneOf(place.location_id);
      const at = read.part?.created_at ?? inspectedAt(read.inspection!);
      return { month: monthIn(timezone, at), ...place, timezone, ...own };
    }),
  );
};

/** What a cell gets. */
interface CellChange {
  key: Key<StoredNumbers>;
  index: object;
  add: Numbers;
}

/** Adds what changes to the cells that it changes. */
class CellChanges {
  readonly #caller: Caller;
  readonly #changes = new Map<string, CellChange>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  add(what: Counting, counts: Counts | undefined, factor: 1 | -1): void {
    if (!counts) return;
    const key = cellKey(this.#caller, what, counts);
    const change = this.#changes.get(nameOfKey(key)) ?? {
      key,
      index: cellIndex(this.#caller, what, counts),
      add: {},
    };
    this.#changes.set(nameOfKey(key), { ...change, add: plus(change.add, counts.numbers, factor) });
  }

  /** The writes of the cells whose numbers change, on the condition that nobody has changed them. One call for 100. */
  async writes(): Promise<Write[]> {
    const changes = [...this.#changes.values()].filter(({ add }) => Object.keys(add).length > 0);
    const cells = await getRows(
      this.#caller,
      changes.map(({ key }) => key),
    );
    return changes.map(({ key, index, add }, position): Write => {
      const cell = cells[position];
      const numbers = plus(numbersIn(cell), add);
      if (cell && Object.keys(numbers).length === 0) return write.remove(key, cell.version);
      const row = { ...key, ...index, body: bodyOf(numbers), version: (cell?.version ?? 0) + 1 };
      return cell ? write.replace<object>(row, cell.version) : write.create<object>(row);
    });
  }
}

/** The writes by which items are counted as they are now; none where nothing has changed. */
const countWrites = async (work: Work, items: readonly Item[]): Promise<Write[]> => {
  const read = await readItems(work, items);
  const now = await countsNow(work, read);
  const cells = new CellChanges(work);
  const writes = read.flatMap(({ item, former }, position): Write[] => {
    const next = now[position];
    const before = former && countsIn(former);
    if (isDeepStrictEqual(before, next)) return [];
    cells.add(item.what, before, -1);
    cells.add(item.what, next, 1);
    const key = countedKey(work, item);
    if (!next) return [write.remove(key, former!.version)];
    const { numbers, ...counts } = next;
    const row = { ...key, ...counts, body: bodyOf(numbers), version: (former?.version ?? 0) + 1 };
    return [former ? write.replace(row, former.version) : write.create(row)];
  });
  return writes.length > 0 ? [...writes, ...(await cells.writes())] : [];
};

/** Items of one transaction: each has a row, a former cell and a new one. */
const MAX_ITEMS = 30;

/** Answers of inspections in one transaction. A template has thousands of fields, and a transaction at most 4 MB. */
const MAX_ANSWERS = 5;

/** Counts items as they are now, in as many transactions as it takes. Each of them may be repeated. */
const countItems = async (caller: Caller, items: readonly Item[]): Promise<void> => {
  const unique = [...new Map(items.map((item) => [nameOfKey(countedKey(caller, item)), item])).values()];
  const [answers, others] = [true, false].map((isAnswers) =>
    unique.filter(({ what }) => (what === 'ANSWERS') === isAnswers),
  ) as [Item[], Item[]];
  for (const [some, most] of [
    [others, MAX_ITEMS],
    [answers, MAX_ANSWERS],
  ] as const)
    for (let start = 0; start < some.length; start += most) {
      const part = some.slice(start, start + most);
      await changePart(caller, async (work) => ({
        writes: await countWrites(work, part),
        reply: undefined,
      }));
    }
};

/** The findings and actions of an inspection that were counted, or are there. Two calls more for those that are there. */
const partsOf = async (caller: Caller, inspectionId: string, isWhole: boolean): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const { sk } of countedOf(caller, inspectionId)) {
    const item = itemAt(inspectionId, { sk });
    if (item.what === 'FINDING' || item.what === 'ACTION') items.push(item);
  }
  if (!isWhole) return items;
  for (const what of ['FINDING', 'ACTION'] as const)
    for await (const { id } of queryRows(caller, keys.parts(caller, 'INSPECTION', inspectionId, what)))
      items.push({ what, inspection_id: inspectionId, id });
  return items;
};

/** What is to be counted of inspections. */
interface Touched {
  /** The ids of inspections that have changed themselves. */
  inspections: ReadonlySet<string>;
  items: readonly Item[];
}

const inspectionItem = (id: string): Item => ({ what: 'INSPECTION', inspection_id: id, id });

const answersItem = (id: string): Item => ({ what: 'ANSWERS', inspection_id: id, id });

const PLACE = ['location_id', 'client_account_id'] as const;

/**
 * Counts what has changed. Of an inspection that was moved or deleted, its findings and actions are counted before it,
 * so that a count which was interrupted finds it once more.
 */
export const countTouched = async (caller: Caller, { inspections, items }: Touched): Promise<void> => {
  const ids = [...inspections];
  const read = await readItems(
    caller,
    ids.flatMap((id) => [inspectionItem(id), answersItem(id)]),
  );
  const moved = read.filter(
    ({ item, former, inspection }) =>
      item.what === 'INSPECTION' &&
      former &&
      (!inspection || PLACE.some((name) => former[name] !== inspection[name])),
  );
  const children: Item[] = [];
  for (const { item } of moved) children.push(...(await partsOf(caller, item.inspection_id, false)));
  await countItems(caller, [...items, ...children]);
  const answers = read.filter(
    ({ item, former, inspection }) =>
      item.what === 'ANSWERS' && (former !== undefined || inspection?.status === 'completed'),
  );
  await countItems(caller, [...answers.map(({ item }) => item), ...ids.map(inspectionItem)]);
};

/** All items of an inspection: those that were counted, and those that are there. */
export const itemsOf = async (caller: Caller, inspectionId: string): Promise<Item[]> => [
  ...(await partsOf(caller, inspectionId, true)),
  answersItem(inspectionId),
  inspectionItem(inspectionId),
];

/** Counts an inspection as it is now, with all that belongs to it. */
export const countWhole = async (caller: Caller, inspectionId: string): Promise<void> => {
  await countItems(caller, await itemsOf(caller, inspectionId));
};
