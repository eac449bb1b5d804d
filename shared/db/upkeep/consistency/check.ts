import type { Caller } from '../../../base/caller.ts';
import { keys } from '../../table/keys.ts';
import { MAX_BATCH_KEYS, queryRows, withRows } from '../../table/rows.ts';
import { keyOf } from '../../table/writes.ts';
import { checkBulkExport } from './bulk-exports.ts';
import { confirmedDifferences } from './confirm.ts';
import { checkCounters } from './counters.ts';
import type { Reported } from './differences.ts';
import { checkFollower, type Followers, followers } from './followers.ts';
import { checkInspection } from './inspection.ts';
import { KINDS } from './resources.ts';
import { checkRows, type RowCheck } from './row-checks.ts';
import { checkSource } from './sources.ts';

/** The result of a check. */
export interface Checked {
  /** Number of rows of each sort that were checked. */
  checked: { inspections: number; resources: number; followers: number; counters: number };
  found: number;
  mended: number;
  /** Number of counters that could not be checked, because they changed each time they were counted. */
  unsettled: number;
  /** The first differences, `MAX_REPORTED` at most. */
  differences: Reported[];
}

/** A check that is running. Each step adds to the report. */
interface Run {
  caller: Caller;
  repair: boolean;
  report: Checked;
}

/** Differences that are reported one by one. */
const MAX_REPORTED = 1_000;

/** Inspections that are checked in parallel. Memory holds each with all rows below it. */
const MAX_PARALLEL = 4;

const batches = async function* <Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

const addDifference = ({ report }: Run, difference: Reported): void => {
  report.found += 1;
  report.mended += Number(difference.mended);
  if (report.differences.length < MAX_REPORTED) report.differences.push(difference);
};

/** Checks rows, and reports the differences that a second check finds as well. */
const confirm = async (run: Run, check: () => Promise<RowCheck[]>): Promise<void> => {
  for await (const difference of confirmedDifferences(run.caller, check, run.repair)) {
    addDifference(run, difference);
  }
};

const checkInspections = async (run: Run): Promise<void> => {
  const { caller, report } = run;
  const inspections = queryRows(caller, { partition: keys.all(caller, 'INSPECTION') });
  for await (const batch of batches(inspections, MAX_PARALLEL)) {
    await Promise.all(batch.map(({ sk }) => confirm(run, () => checkInspection(caller, sk))));
    report.checked.inspections += batch.length;
  }
};

/** Checks the rows that follow from resources other than inspections. */
const checkResources = async (run: Run): Promise<void> => {
  const { caller, report } = run;
  for (const { kind, facts } of KINDS) {
    const { followers: rowsBehind, unique, uses, index } = facts;
    if (kind === 'INSPECTION' || !(rowsBehind ?? unique ?? uses ?? index)) continue;
    const rows = queryRows(caller, { partition: keys.all(caller, kind) });
    for await (const batch of batches(rows, MAX_BATCH_KEYS)) {
      await confirm(run, () => checkRows(caller, batch.map(keyOf)));
      report.checked.resources += batch.length;
    }
  }
};

const checkBulkExports = async (run: Run): Promise<void> => {
  const { caller, report } = run;
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'BULK_EXPORT') })) {
    await confirm(run, () => checkBulkExport(caller, sk));
    report.checked.resources += 1;
  }
};

const checkSources = async (run: Run): Promise<void> => {
  const { caller, report } = run;
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'SOURCE') })) {
    await confirm(run, () => checkSource(caller, sk));
    report.checked.resources += 1;
  }
};

/** Checks that rows follow from their sources. Those that seem wrong are checked again one by one. */
const checkFollowers = async (run: Run, group: Followers): Promise<void> => {
  const { caller, report } = run;
  const { partition, prefix, sourceOf, findError } = group;
  const following = async function* () {
    for await (const row of queryRows<Record<string, unknown>>(caller, { partition, prefix })) {
      const source = sourceOf(row);
      if (source) yield { row, source };
    }
  };
  for await (const [{ row }, [source]] of withRows(caller, following(), (each) => [each.source])) {
    report.checked.followers += 1;
    if (findError(row, source)) await confirm(run, () => checkFollower(caller, keyOf(row), group));
  }
};

const checkAllCounters = async (run: Run): Promise<void> => {
  const { caller, repair, report } = run;
  for await (const { checked, unsettled, differences } of checkCounters(caller, repair)) {
    report.checked.counters += checked;
    report.unsettled += unsettled;
    for (const difference of differences) addDifference(run, difference);
  }
};

/**
 * Finds differences between the rows of an organization and the rows that follow from them: counters, membership
 * lists, due rows, reserved values and so on. It can run during normal traffic: a change in progress is not taken for a
 * difference, and a repair is conditional on rows that have not changed since they were read. Memory holds a few
 * inspections, and the counters of one pass.
 * @param repair whether to repair differences, by the rows that the wrong ones follow from
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
  const run: Run = { caller, repair, report };
  await checkInspections(run);
  await checkResources(run);
  await checkBulkExports(run);
  await checkSources(run);
  for await (const group of followers(caller)) await checkFollowers(run, group);
  await checkAllCounters(run);
  return report;
};
