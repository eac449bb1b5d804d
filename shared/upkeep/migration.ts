import { setTimeout as sleep } from 'node:timers/promises';
import { systemClient } from '../table/client.ts';
import type { Migration } from '../table/entities/machinery.ts';
import { formOf, isOutdated, UPGRADES } from '../table/forms.ts';
import { keys, kindOf } from '../table/keys.ts';
import { getSystemRows } from '../table/rows.ts';
import { type ScannedPage, scanPage } from '../table/scan.ts';
import { writeRow } from '../table/single-write.ts';
import { upgradeRow } from '../table/upgrade.ts';
import { walkRowsOf } from '../table/walk.ts';
import * as write from '../table/writes.ts';

export interface MigrationOptions {
  /** Only the rows of this organization that queries reach: not those by a hash, such as sessions and links. */
  org?: string | undefined;
  /** Counts, and writes nothing. */
  dryRun: boolean;
  /** Rows that are read in a second. */
  rate: number;
  /** Waits, in milliseconds. */
  pause?: (milliseconds: number) => Promise<unknown>;
}

/** Rows of one page at most. */
const MAX_PAGE = 1_000;

/** The sort key of a migration of all organizations. */
const ALL = 'ALL';

/** What rows are counted as whose key is of no kind that this release knows. */
export const UNKNOWN = 'unknown';

const newMigration = (): Migration => ({
  forms: JSON.stringify(Object.entries(UPGRADES).map(([kind, upgrades]) => [kind, upgrades.length + 1])),
  next: undefined,
  read: {},
  outdated: 0,
});

/** The pages of the whole table behind a place. */
const scanned = async function* (after: Migration['next'], size: number): AsyncGenerator<ScannedPage> {
  let next: Migration['next'] = after && { pk: after.pk, sk: after.sk };
  do {
    const page = await scanPage(next, size);
    yield page;
    ({ next } = page);
  } while (next);
};

/** A page of rows, and the place behind it. */
interface Page {
  rows: ScannedPage['rows'];
  next: Migration['next'];
}

/** The pages of an organization behind a place, by queries of its partitions. */
const walked = async function* (
  org_id: string,
  after: Migration['next'],
  size: number,
): AsyncGenerator<Page> {
  const caller = { org_id, user_id: 'operator', name: 'operator' };
  const { template = '' } = after ?? {};
  let rows: Page['rows'] = [];
  for await (const { row, template: from } of walkRowsOf(caller, after && { ...after, template })) {
    rows.push(row);
    if (rows.length < size) continue;
    yield { rows, next: { pk: row.pk, sk: row.sk, template: from } };
    rows = [];
  }
  yield { rows, next: undefined };
};

/** Adds a page. */
const withPage = (migration: Migration, { rows, next }: Page): Migration => {
  const read = { ...migration.read };
  for (const row of rows) {
    const name = `${kindOf(row) ?? UNKNOWN} ${formOf(row)}`;
    read[name] = (read[name] ?? 0) + 1;
  }
  return { ...migration, next, read, outdated: migration.outdated + rows.filter(isOutdated).length };
};

/** Whether a migration of all organizations was interrupted. One that ends leaves no row. */
export const isMigrationOpen = async (): Promise<boolean> => {
  const [stored] = await getSystemRows([keys.migration(ALL)]);
  return stored !== undefined;
};

/**
 * Stores all rows in the form of this release. Rows are upgraded when they are read, so nothing has to wait for this: it
 * must have run before a release that filters by an attribute which an upgrade has added, or that drops a former one. A
 * row that somebody changes at the same time keeps that change. A run that was interrupted goes on where it was, and two
 * at the same time do no harm. While an older release is still running, its writes make rows old again.
 */
export const migrate = async ({ org, dryRun, rate, pause = sleep }: MigrationOptions): Promise<Migration> => {
  const key = keys.migration(org ?? ALL);
  const begun = newMigration();
  const [stored] = dryRun ? [] : await getSystemRows([key]);
  let migration: Migration = stored?.forms === begun.forms ? stored : begun;
  const size = Math.min(rate, MAX_PAGE);
  const pages = org === undefined ? scanned(migration.next, size) : walked(org, migration.next, size);
  let started = performance.now();
  for await (const page of pages) {
    if (!dryRun) for (const row of page.rows) await upgradeRow(systemClient(), row);
    migration = withPage(migration, page);
    if (!migration.next) break;
    if (!dryRun) await writeRow('system', write.put({ ...key, ...migration }));
    await pause(Math.max(0, (size / rate) * 1_000 - (performance.now() - started)));
    started = performance.now();
  }
  if (!dryRun) await writeRow('system', write.drop(key));
  return migration;
};
