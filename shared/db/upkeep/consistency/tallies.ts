import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../base/caller.ts';
import { InspectionStatus } from '../../../schemas/inspections/inspection.ts';
import { change } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRow, getRows, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { keyOf } from '../../table/writes.ts';
import { apart, named, type Reported } from './differences.ts';
import { countedRows, followingOf } from './following.ts';
import { LOOKS } from './looks.ts';

/** Counters of one kind, each a row of one partition. */
interface Counters {
  partition: string;
  names: readonly string[];
}

/** So many counters are counted in one pass over all that they count: what memory holds. */
const MOST_COUNTERS = 50_000;

const countersOf = (caller: Caller): Counters[] => [
  { partition: keys.counter(caller, 'INSPECTION', '').pk, names: InspectionStatus.options },
  ...(['FAMILY', 'CLIENT', 'LOCATION'] as const).map((kind) => ({
    partition: keys.usages(caller, kind),
    names: ['inspections', 'locations'],
  })),
  { partition: keys.all(caller, 'DOCUMENT'), names: ['used_by_count'] },
];

/** Some of these: all, or those between two sort keys. */
interface Slice extends Counters {
  after?: string;
  upTo?: string;
}

type Numbers = Readonly<Record<string, number>>;

/** A counter as it stands, and what it comes to by what it counts. */
interface Counter extends Counters {
  key: Key;
  isThere: boolean;
  /** Whether it moved while it was being counted, so that the two cannot be compared. */
  isMoving: boolean;
  stored: Numbers;
  found: Record<string, number>;
}

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const numbersOf = (row: Row | undefined, names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, Number(row?.[name] ?? 0)]));

const newCounter = ({ partition, names }: Counters, key: Key, row: Row | undefined): Counter => ({
  partition,
  names,
  key: keyOf(key),
  isThere: row !== undefined,
  isMoving: false,
  stored: numbersOf(row, names),
  found: numbersOf(undefined, names),
});

/** All counters as they stand, as many at a time as memory holds, with where these are. */
const windows = async function* (
  caller: Caller,
): AsyncGenerator<{ slices: Slice[]; counters: Map<string, Counter> }> {
  let [slices, counters]: [Slice[], Map<string, Counter>] = [[], new Map()];
  for (const kind of countersOf(caller)) {
    let slice: Slice = kind;
    for await (const row of queryRows<Row>(caller, { partition: kind.partition })) {
      counters.set(nameOf(row), newCounter(kind, row, row));
      if (counters.size < MOST_COUNTERS) continue;
      yield { slices: [...slices, { ...slice, upTo: row.sk }], counters };
      [slices, counters] = [[], new Map()];
      slice = { ...kind, after: row.sk };
    }
    slices.push(slice);
  }
  yield { slices, counters };
};

const isWithin = ({ pk, sk }: Key, { partition, after, upTo }: Slice): boolean =>
  pk === partition && (after === undefined || sk > after) && (upTo === undefined || sk <= upTo);

/**
 * Counts, and finds those of the counters that do not agree with it.
 * @param counters as they stand; what else belongs to `slices` and is not there counts as zero
 */
const look = async (
  caller: Caller,
  counters: Map<string, Counter>,
  slices: readonly Slice[] = [],
): Promise<Counter[]> => {
  const partitions = new Set([...slices, ...counters.values()].map(({ partition }) => partition));
  for await (const row of countedRows(caller, partitions.has(keys.all(caller, 'DOCUMENT')))) {
    for (const { key, add } of followingOf(caller, row).counts) {
      const slice = slices.find((each) => isWithin(key, each));
      const counter = counters.get(nameOf(key)) ?? (slice && newCounter(slice, key, undefined));
      if (!counter) continue;
      counters.set(nameOf(key), counter);
      for (const name of counter.names) counter.found[name]! += add[name] ?? 0;
    }
  }
  const apart = counters
    .values()
    .filter(({ stored, found }) => !isDeepStrictEqual(stored, found))
    .toArray();
  const rows = await getRows<Row>(
    caller,
    apart.map(({ key }) => key),
  );
  return apart.flatMap((counter, position) => {
    const row = rows[position];
    const stored = numbersOf(row, counter.names);
    if (isDeepStrictEqual(stored, counter.found)) return [];
    const isMoving = !isDeepStrictEqual(stored, counter.stored);
    return [{ ...counter, stored, isMoving, isThere: row !== undefined }];
  });
};

/** The same counters, to be counted anew. */
const anew = async (caller: Caller, counters: readonly Counter[]): Promise<Map<string, Counter>> => {
  const rows = await getRows<Row>(
    caller,
    counters.map(({ key }) => key),
  );
  return new Map(
    counters.map((counter, position) => [
      nameOf(counter.key),
      newCounter(counter, counter.key, rows[position]),
    ]),
  );
};

/** By how much a counter has to move. Traffic moves both what it counts and the counter, and not this. */
const driftOf = ({ names, stored, found }: Counter): Numbers =>
  Object.fromEntries(names.map((name) => [name, found[name]! - stored[name]!]));

/** Whether a counter was put right; it was not where it has moved since it was counted. */
const mend = (caller: Caller, counter: Counter): Promise<boolean> =>
  change(caller, async () => {
    const { key, names, stored } = counter;
    const row = await getRow<Row>(caller, key);
    if (!isDeepStrictEqual(numbersOf(row, names), stored)) return { writes: [], reply: false };
    const standing = hasValues(Object.fromEntries(names.map((name) => [name, row?.[name]])));
    return { writes: [write.update(key, { add: driftOf(counter) }, standing)], reply: true };
  });

/**
 * The counters that differ from what they count. What differs is counted again: a difference stands when two
 * counts have found the same, and the counter did not move during either.
 * @param onChecked is told of as many as have been counted
 * @param onUnsettled is told of those that did not stand still for it
 */
export const tallied = async function* (
  caller: Caller,
  repair: boolean,
  onChecked: (count: number) => void,
  onUnsettled: (count: number) => void,
): AsyncGenerator<Reported> {
  for await (const { slices, counters } of windows(caller)) {
    let suspects = await look(caller, counters, slices);
    onChecked(counters.size);
    for (let looks = 1; suspects.length > 0 && looks < LOOKS.most; looks += 1) {
      await sleep(LOOKS.pause);
      const before = new Map(suspects.map((counter) => [nameOf(counter.key), counter]));
      const open: Counter[] = [];
      for (const counter of await look(caller, await anew(caller, suspects))) {
        const known = before.get(nameOf(counter.key))!;
        const stands =
          !counter.isMoving && !known.isMoving && isDeepStrictEqual(driftOf(counter), driftOf(known));
        // There is no counting the uses of a document that is gone.
        const isMendable = counter.isThere || counter.partition !== keys.all(caller, 'DOCUMENT');
        const mended = stands && repair && isMendable && (await mend(caller, counter));
        if (!stands || (repair && isMendable && !mended)) open.push(counter);
        else yield { ...named(counter.key), ...apart(counter.stored, counter.found)!, mended };
      }
      suspects = open;
    }
    onUnsettled(suspects.length);
  }
};
