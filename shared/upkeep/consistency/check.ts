import { batchesOf } from '../../base/batches.ts';
import type { Caller } from '../../base/caller.ts';
import { checkNumbers } from '../../inspections/numbers/check.ts';
import { sourceRecords } from '../../integrations/rows/records.ts';
import { hasValues } from '../../table/conditions.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getRows, MAX_BATCH_KEYS, queryRows, withRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { keyOf } from '../../table/writes.ts';
import { checkCounters } from './counters.ts';
import { checkFollower, type Followers, followers } from './followers.ts';
import { KINDS } from './following.ts';
import { checkForms } from './forms.ts';
import { checkInspection } from './inspection.ts';
import {
  checkRows,
  confirmedDifferences,
  differingValues,
  isAsRead,
  idOf,
  RECHECK,
  type Reported,
  type RowCheck,
} from './row-checks.ts';

const activeRows = async (caller: Caller, sourceId: string): Promise<number> => {
  let total = 0;
  const range = { ...keys.parts(caller, 'SOURCE', sourceId, 'ROW'), only: ['is_active' as const] };
  for await (const { is_active } of queryRows(caller, range)) total += Number(is_active);
  return total;
};

/**
 * Checks that a source counts all its active rows. A sync counts them when it ends. Later the source may have fewer
 * rows, because a client account was deleted with its locations. It has more only while a sync runs, or after a sync
 * that did not succeed.
 */
export const checkSource = async (caller: Caller, id: string): Promise<RowCheck[]> => {
  const stateKey = keys.sourceState(caller, id);
  const [source, state] = await getRows(caller, [sourceRecords.key(caller, id), stateKey]);
  if (!source || !state || state.run_id !== null || state.last_run?.status !== 'succeeded') return [];
  const { rows_count, version } = state;
  const found = await activeRows(caller, id);
  if (found <= rows_count) return [];
  return [
    {
      key: sourceRecords.key(caller, id),
      condition: isAsRead(caller, source),
      isVersioned: true,
      differences: [
        {
          what: 'synced rows of a source',
          id: idOf(stateKey),
          stored: { rows_count },
          found: { rows_count: found },
          writes: [
            write.update(
              stateKey,
              { set: { rows_count: found }, add: { version: 1 } },
              hasValues({ version }),
            ),
          ],
        },
      ],
    },
  ];
};

/** Checks that a bulk export counts its items. One call for each thousand of them. */
export const checkBulkExport = async (caller: Caller, id: string): Promise<RowCheck[]> => {
  const row = await getRow(caller, keys.one(caller, 'BULK_EXPORT', id));
  if (!row) return [];
  const counted = { done: 0, failed: 0 };
  for await (const { status } of queryRows(caller, keys.parts(caller, 'BULK_EXPORT', id, 'ITEM'))) {
    counted.done += Number(status === 'ready');
    counted.failed += Number(status === 'failed');
  }
  const wrong = differingValues(row, counted);
  const { turn, done, failed } = row;
  return [
    {
      key: keyOf(row),
      condition: hasValues({ turn, done, failed }),
      isVersioned: false,
      differences: wrong ? [{ what: 'bulk export', id, ...wrong, set: wrong.found }] : [],
    },
  ];
};

/** Checks that a bulk change counts its rows. One call for each megabyte of them. */
export const checkBulkChange = async (caller: Caller, id: string): Promise<RowCheck[]> => {
  const row = await getRow(caller, keys.one(caller, 'BULK_CHANGE', id));
  if (!row) return [];
  const counted = { planned: 0, changed: 0, unchanged: 0, refused: 0, outdated: 0 };
  for await (const { outcome } of queryRows(caller, keys.parts(caller, 'BULK_CHANGE', id, 'CHANGED')))
    counted[outcome] += 1;
  const wrong = differingValues(row, counted);
  const { turn, status, next, updated_at } = row;
  return [
    {
      key: keyOf(row),
      condition: hasValues({ turn, status, next, updated_at }),
      isVersioned: false,
      differences: wrong ? [{ what: 'bulk change', id, ...wrong, set: wrong.found }] : [],
    },
  ];
};

/** The result of a check. */
export interface ConsistencyReport {
  /** Number of rows of each sort that were checked. */
  checked: { inspections: number; resources: number; followers: number; counters: number; rows: number };
  found: number;
  mended: number;
  /** Number of counters that could not be checked, because they changed each time they were counted. */
  unsettled: number;
  /** The first differences, `MAX_REPORTED` at most. */
  differences: Reported[];
}

/** A check that is running. Each step adds to the report. */
interface RunningCheck {
  caller: Caller;
  repair: boolean;
  report: ConsistencyReport;
}

/** Differences that are reported one by one. */
const MAX_REPORTED = 1_000;

/** Inspections that are checked in parallel. Memory holds each with all rows below it. */
const MAX_PARALLEL = 4;

const addDifference = ({ report }: RunningCheck, difference: Reported): void => {
  report.found += 1;
  report.mended += Number(difference.mended);
  if (report.differences.length < MAX_REPORTED) report.differences.push(difference);
};

/** Checks rows, and reports the differences that a second check finds as well. */
const confirm = async (check: RunningCheck, readRows: () => Promise<RowCheck[]>): Promise<void> => {
  for await (const difference of confirmedDifferences(check.caller, readRows, check.repair)) {
    addDifference(check, difference);
  }
};

const checkInspections = async (check: RunningCheck): Promise<void> => {
  const { caller, report } = check;
  const inspections = queryRows(caller, { partition: keys.all(caller, 'INSPECTION') });
  for await (const batch of batchesOf(inspections, MAX_PARALLEL)) {
    await Promise.all(batch.map(({ sk }) => confirm(check, () => checkInspection(caller, sk))));
    report.checked.inspections += batch.length;
  }
};

/** Checks the rows that follow from resources other than inspections. */
const checkResources = async (check: RunningCheck): Promise<void> => {
  const { caller, report } = check;
  for (const { kind, facts } of KINDS) {
    const { followers: rowsBehind, unique, uses, index } = facts;
    if (kind === 'INSPECTION' || !(rowsBehind ?? unique ?? uses ?? index)) continue;
    const rows = queryRows(caller, { partition: keys.all(caller, kind) });
    for await (const batch of batchesOf(rows, MAX_BATCH_KEYS)) {
      await confirm(check, () => checkRows(caller, batch.map(keyOf)));
      report.checked.resources += batch.length;
    }
  }
};

const checkBulkExports = async (check: RunningCheck): Promise<void> => {
  const { caller, report } = check;
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'BULK_EXPORT') })) {
    await confirm(check, () => checkBulkExport(caller, sk));
    report.checked.resources += 1;
  }
};

const checkBulkChanges = async (check: RunningCheck): Promise<void> => {
  const { caller, report } = check;
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'BULK_CHANGE') })) {
    await confirm(check, () => checkBulkChange(caller, sk));
    report.checked.resources += 1;
  }
};

const checkSources = async (check: RunningCheck): Promise<void> => {
  const { caller, report } = check;
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'SOURCE') })) {
    await confirm(check, () => checkSource(caller, sk));
    report.checked.resources += 1;
  }
};

/** Checks that rows follow from their sources. A row that seems wrong is checked again by itself. */
const checkFollowers = async (check: RunningCheck, group: Followers): Promise<void> => {
  const { caller, report } = check;
  const { partition, prefix, sourceOf, findError } = group;
  const following = async function* () {
    for await (const row of queryRows<Record<string, unknown>>(caller, { partition, prefix })) {
      const source = sourceOf(row);
      if (source) yield { row, source };
    }
  };
  for await (const [{ row }, [source]] of withRows(caller, following(), (each) => [each.source])) {
    report.checked.followers += 1;
    if (findError(row, source)) await confirm(check, () => checkFollower(caller, keyOf(row), group));
  }
};

const checkAllCounters = async (check: RunningCheck): Promise<void> => {
  const { caller, repair, report } = check;
  for await (const { checked, unsettled, differences } of checkCounters(caller, repair)) {
    report.checked.counters += checked;
    report.unsettled += unsettled;
    for (const difference of differences) addDifference(check, difference);
  }
};

/** Checks the numbers by place and month. */
const checkAllNumbers = async ({ report, ...check }: RunningCheck): Promise<void> => {
  const { checked, differences } = await checkNumbers(check.caller, check.repair, RECHECK.pauseMs);
  report.checked.counters += checked;
  for (const difference of differences) addDifference({ report, ...check }, difference);
};

/** Checks that this release understands each row. */
const checkAllForms = async (check: RunningCheck): Promise<void> => {
  for await (const fault of checkForms(check.caller)) {
    check.report.checked.rows += 1;
    if (fault) addDifference(check, { ...fault, mended: false });
  }
};

/**
 * Finds differences between the rows of an organization and the rows that follow from them: counters, membership lists,
 * due rows, reserved values and so on; and rows that this release does not understand. It can run during normal traffic: it does not report changes in progress, and it
 * repairs a row only if no row has changed since it was read. Memory holds a few inspections, and the counters of one
 * pass.
 * @param repair whether to repair differences, by the rows that the wrong ones follow from
 */
export const checkOrganization = async (
  caller: Caller,
  { repair }: { repair: boolean },
): Promise<ConsistencyReport> => {
  const report: ConsistencyReport = {
    checked: { inspections: 0, resources: 0, followers: 0, counters: 0, rows: 0 },
    found: 0,
    mended: 0,
    unsettled: 0,
    differences: [],
  };
  const check: RunningCheck = { caller, repair, report };
  await checkInspections(check);
  await checkResources(check);
  await checkBulkExports(check);
  await checkBulkChanges(check);
  await checkSources(check);
  for await (const group of followers(caller)) await checkFollowers(check, group);
  await checkAllCounters(check);
  await checkAllNumbers(check);
  await checkAllForms(check);
  return report;
};
