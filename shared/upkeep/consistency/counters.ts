import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import { change } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { getRow, getRows, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { countedRows, followingOf, USED_KINDS } from './following.ts';
import { differingValues, idOf, plainKey, RECHECK, type Reported } from './row-checks.ts';

/** Counters of one kind. Each is a row of one partition. */
interface CounterKind {
  partition: string;
  /** What `org check` calls such a counter. */
  what: string;
  /** The attributes that count. */
  names: readonly string[];
}

/** Counters that are counted in one pass over all rows that they count. Memory holds all of them. */
const MAX_COUNTERS = 50_000;

/** How often a counter is counted while it changes each time. */
const MAX_COUNTS = 6;

const counterKinds = (caller: Caller): CounterKind[] => [
  {
    partition: keys.counter.partition(caller, 'INSPECTION'),
    what: 'counter',
    names: InspectionStatus.options,
  },
  ...USED_KINDS.map((kind) => ({
    partition: keys.usage.partition(caller, kind),
    what: 'usage',
    names: ['assets', 'certificates', 'inspections', 'issues', 'kept', 'locations', 'regions', 'schedules'],
  })),
  { partition: keys.all(caller, 'DOCUMENT'), what: 'document', names: ['used_by_count'] },
  { partition: keys.storedBytes.partition(caller), what: 'bytes stored', names: ['bytes'] },
  { partition: keys.sequence.partition(caller), what: 'webhooks', names: ['webhooks', 'active_webhooks'] },
];

/** All counters of a kind, or those after a sort key and up to another one. */
interface CounterRange extends CounterKind {
  after?: string;
  upTo?: string;
}

type Numbers = Readonly<Record<string, number>>;

/** A counter as it is stored, and as the rows that it counts add up. */
interface Counter extends CounterKind {
  key: Key<Record<string, unknown>>;
  isStored: boolean;
  /** Whether it changed while it was counted. Then the two numbers cannot be compared. */
  isChanging: boolean;
  stored: Numbers;
  found: Record<string, number>;
}

const numbersOf = (row: Row | undefined, names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, Number(row?.[name] ?? 0)]));

const newCounter = ({ partition, what, names }: CounterKind, key: Key, row: Row | undefined): Counter => ({
  partition,
  what,
  names,
  key: plainKey(key),
  isStored: row !== undefined,
  isChanging: false,
  stored: numbersOf(row, names),
  found: numbersOf(undefined, names),
});

/** Stored counters by the names of their keys, and the ranges of keys that they fill completely. */
interface CounterWindow {
  ranges: CounterRange[];
  counters: Map<string, Counter>;
}

/** All stored counters, as many at a time as memory holds. */
const windowsOf = async function* (caller: Caller): AsyncGenerator<CounterWindow> {
  let window: CounterWindow = { ranges: [], counters: new Map() };
  for (const kind of counterKinds(caller)) {
    let range: CounterRange = kind;
    for await (const row of queryRows<Record<string, unknown>>(caller, { partition: kind.partition })) {
      window.counters.set(nameOfKey(row), newCounter(kind, row, row));
      if (window.counters.size < MAX_COUNTERS) continue;
      yield { ...window, ranges: [...window.ranges, { ...range, upTo: row.sk }] };
      window = { ranges: [], counters: new Map() };
      range = { ...kind, after: row.sk };
    }
    window.ranges.push(range);
  }
  yield window;
};

const isWithin = ({ pk, sk }: Key, { partition, after, upTo }: CounterRange): boolean =>
  pk === partition && (after === undefined || sk > after) && (upTo === undefined || sk <= upTo);

/** Counts the rows of counters. A counter within the ranges that is not stored is added to the map. */
const count = async (caller: Caller, { ranges, counters }: CounterWindow): Promise<void> => {
  const partitions = new Set([...ranges, ...counters.values()].map(({ partition }) => partition));
  const isWhole = [keys.all(caller, 'DOCUMENT'), keys.storedBytes.partition(caller)].some((each) =>
    partitions.has(each),
  );
  for await (const row of countedRows(caller, isWhole)) {
    for (const { key, add } of followingOf(caller, row).counts) {
      const range = ranges.find((each) => isWithin(key, each));
      const counter = counters.get(nameOfKey(key)) ?? (range && newCounter(range, key, undefined));
      if (!counter) continue;
      counters.set(nameOfKey(key), counter);
      for (const name of counter.names) counter.found[name]! += add[name] ?? 0;
    }
  }
};

/** Counts, and finds the counters that differ. These are read again, to see whether they have changed. */
const findSuspects = async (caller: Caller, window: CounterWindow): Promise<Counter[]> => {
  await count(caller, window);
  const different = window.counters
    .values()
    .filter(({ stored, found }) => !isDeepStrictEqual(stored, found))
    .toArray();
  const rows = await getRows(
    caller,
    different.map(({ key }) => key),
  );
  return different.flatMap((counter, position) => {
    const row = rows[position];
    const stored = numbersOf(row, counter.names);
    if (isDeepStrictEqual(stored, counter.found)) return [];
    const isChanging = !isDeepStrictEqual(stored, counter.stored);
    return [{ ...counter, stored, isChanging, isStored: row !== undefined }];
  });
};

/** Reads the same counters again, for another count. */
const readAgain = async (caller: Caller, counters: readonly Counter[]): Promise<CounterWindow> => {
  const rows = await getRows(
    caller,
    counters.map(({ key }) => key),
  );
  const again = counters.map(
    (counter, position) =>
      [nameOfKey(counter.key), newCounter(counter, counter.key, rows[position])] as const,
  );
  return { ranges: [], counters: new Map(again) };
};

/** The error of a counter. Traffic changes the counter and what it counts, but not the error. */
const errorOf = ({ names, stored, found }: Counter): Numbers =>
  Object.fromEntries(names.map((name) => [name, found[name]! - stored[name]!]));

/** Repairs a counter. @returns false when it has changed since it was counted */
const repairCounter = (caller: Caller, counter: Counter): Promise<boolean> =>
  change(caller, async () => {
    const { key, names, stored } = counter;
    const row = await getRow(caller, key);
    if (!isDeepStrictEqual(numbersOf(row, names), stored)) return { writes: [], reply: false };
    const isAsRead = hasValues(Object.fromEntries(names.map((name) => [name, row?.[name]])));
    return { writes: [write.update(key, { add: errorOf(counter) }, isAsRead)], reply: true };
  });

/** The result of another count: the counters that are wrong, and those that must be counted again. */
interface Recount {
  differences: Reported[];
  suspects: Counter[];
}

/** Counts again. A counter is wrong when both counts find the same error, and it did not change during either. */
const recount = async (caller: Caller, before: readonly Counter[], repair: boolean): Promise<Recount> => {
  const known = new Map(before.map((counter) => [nameOfKey(counter.key), counter]));
  const result: Recount = { differences: [], suspects: [] };
  for (const counter of await findSuspects(caller, await readAgain(caller, before))) {
    const earlier = known.get(nameOfKey(counter.key))!;
    const isWrong =
      !counter.isChanging && !earlier.isChanging && isDeepStrictEqual(errorOf(counter), errorOf(earlier));
    // The uses of a deleted document cannot be counted.
    const isRepairable = counter.isStored || counter.partition !== keys.all(caller, 'DOCUMENT');
    const mended = isWrong && repair && isRepairable && (await repairCounter(caller, counter));
    if (!isWrong || (repair && isRepairable && !mended)) {
      result.suspects.push(counter);
    } else {
      const values = differingValues(counter.stored, counter.found)!;
      result.differences.push({ what: counter.what, id: idOf(counter.key), ...values, mended });
    }
  }
  return result;
};

/** The result of the check of some counters. */
export interface CounterCheck {
  /** Number of counters that were counted. */
  checked: number;
  /** Number of counters that changed each time. */
  unsettled: number;
  differences: Reported[];
}

/** Finds the counters that are wrong. */
export const checkCounters = async function* (caller: Caller, repair: boolean): AsyncGenerator<CounterCheck> {
  for await (const window of windowsOf(caller)) {
    let suspects = await findSuspects(caller, window);
    const differences: Reported[] = [];
    for (let counts = 1; suspects.length > 0 && counts < MAX_COUNTS; counts += 1) {
      await sleep(RECHECK.pauseMs);
      const next = await recount(caller, suspects, repair);
      differences.push(...next.differences);
      suspects = next.suspects;
    }
    yield { checked: window.counters.size, unsettled: suspects.length, differences };
  }
};
