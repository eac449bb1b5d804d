import type { Caller } from '../../../base/caller.ts';
import { type Kind, keys } from '../../table/keys.ts';
import { queryRows, type Row, withRows } from '../../table/rows.ts';
import { keyOf } from '../../table/writes.ts';
import type { Reported } from './differences.ts';
import {
  type Followers,
  followers,
  type Look,
  lookAtAll,
  lookAtFollower,
  lookAtInspection,
  settled,
} from './looks.ts';
import { tallied } from './tallies.ts';

/** What a check has found. */
export interface Checked {
  /** How many of each were looked at. */
  checked: { inspections: number; resources: number; followers: number; counters: number };
  found: number;
  mended: number;
  /** Counters that moved whenever they were counted. */
  unsettled: number;
  /** The first of what was found. */
  differences: Reported[];
}

const MOST_REPORTED = 1_000;

/** Looks at a time: each holds an inspection with all below it. */
const AT_ONCE = 4;

const batches = async function* <Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

/**
 * Finds every difference between the rows of an organization and what follows from them: counters, membership
 * lists, due rows, reserved values and the like. It may run beside any traffic: what is on its way is not taken
 * for a difference, and nothing is mended but on the condition that it stands as it was read. It holds an
 * inspection or a few in memory, and as many counters as one pass counts.
 * @param repair whether to mend what differs, by the rows that it follows
 */
export const checkOrganization = async (
  caller: Caller,
  { repair }: { repair: boolean },
): Promise<Checked> => {
  const report: Checked = {
    checked: { inspections: 0, resources: 0, followers: 0, counters: 0 },
    found: 0,
    mended: 0,
    unsettled: 0,
    differences: [],
  };
  const { checked } = report;
  const take = async (differences: AsyncIterable<Reported>): Promise<void> => {
    for await (const difference of differences) {
      report.found += 1;
      report.mended += Number(difference.mended);
      if (report.differences.length < MOST_REPORTED) report.differences.push(difference);
    }
  };
  const settle = (look: () => Promise<Look[]>) => take(settled(caller, look, repair));

  const inspections = queryRows(caller, { partition: keys.all(caller, 'INSPECTION') });
  for await (const batch of batches(inspections, AT_ONCE)) {
    await Promise.all(batch.map(({ sk }) => settle(() => lookAtInspection(caller, sk))));
    checked.inspections += batch.length;
  }
  for (const kind of ['LOCATION', 'CLIENT'] satisfies Kind[]) {
    const rows = queryRows(caller, { partition: keys.all(caller, kind) });
    for await (const batch of batches(rows, 100)) {
      await settle(() => lookAtAll(caller, batch.map(keyOf)));
      checked.resources += batch.length;
    }
  }
  for await (const each of followers(caller))
    checked.followers += await settleFollowers(caller, each, settle);
  await take(
    tallied(
      caller,
      repair,
      (count) => (checked.counters += count),
      (count) => (report.unsettled += count),
    ),
  );
  return report;
};

/** Looks at the followers that seem wrong once more; the reply is how many there are in all. */
const settleFollowers = async (
  caller: Caller,
  those: Followers,
  settle: (look: () => Promise<Look[]>) => Promise<void>,
): Promise<number> => {
  const { partition, prefix, sourceOf, judge } = those;
  const rows = queryRows<Row>(caller, { partition, prefix });
  let count = 0;
  for await (const [row, [source]] of withRows(caller, rows, (each) => [sourceOf(each)])) {
    count += 1;
    if (judge(row, source)) await settle(() => lookAtFollower(caller, keyOf(row), those));
  }
  return count;
};
