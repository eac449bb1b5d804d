import type { Caller } from '../base/caller.ts';
import { markOf, numberOfItem, type RowsBefore, writeRows } from '../db/integrations/rows.ts';
import { notePage, type SyncWork } from '../db/integrations/runs.ts';
import type { Lookups } from '../db/integrations/targets/target.ts';
import { MAX_SOURCE_ROWS } from '../domain/integrations/known-rows.ts';
import { type FailedRow, isFailed, type SyncedRow } from '../domain/integrations/synced-row.ts';
import { MAX_RUN_ERRORS, type RunCounts, type RunError } from '../schemas/integrations/run.ts';
import type { SourcePage } from './source-pages.ts';
import type { Vendor, VendorSession } from './vendor.ts';

/** What a worker knows in its turn at a run. */
export interface SyncTurn {
  caller: Caller;
  work: SyncWork;
  vendor: Vendor;
  session: VendorSession;
  /** What came from the source before, and was on the pages that were read. It follows what is written. */
  rows: RowsBefore;
  lookups: Lookups;
  /** How many calls of the session the run has counted. */
  notedCalls: number;
}

/** Collects what a page does. */
class PageTally {
  readonly counts: RunCounts;
  readonly errors: RunError[];
  readonly changes: SyncedRow[] = [];
  /** The items of the page by the marks of their rows. */
  readonly items = new Map<string, number>();
  /** Rows that were neither stored nor seen before. */
  unknown = 0;

  constructor({ run }: SyncWork) {
    this.counts = { ...run.counts };
    this.errors = [...run.errors];
  }

  fail(error: RunError): void {
    this.counts.failed += 1;
    if (this.errors.length < MAX_RUN_ERRORS) this.errors.push(error);
  }
}

/** A source has more rows than a sync can take. */
export class TooManyRows extends Error {
  override name = 'TooManyRows';
}

/** The mark of a row. One that lacks its identity now is known by its item, if it had an identity before. */
const markOfRow = (
  { rows: { known } }: SyncTurn,
  { external_id }: SyncedRow | FailedRow,
  item: number,
): string | undefined => (external_id === null ? known.markOfItem(item) : markOf(external_id));

/** Counts a row, and takes it up where it has to be written. */
const takeRow = (turn: SyncTurn, tally: PageTally, row: SyncedRow | FailedRow): void => {
  const item = numberOfItem(row.item_id);
  const mark = markOfRow(turn, row, item);
  const before = mark === undefined ? undefined : turn.rows.known.get(mark);
  const other = mark === undefined ? undefined : tally.items.get(mark);
  if (other !== undefined || before?.isSeen) {
    // An item that moves while the board is read comes twice.
    if ((other ?? before?.item) === item) return;
    tally.counts.read += 1;
    const message = 'Another item has the same value in the identity column.';
    tally.fail({ item_id: row.item_id, field: null, code: 'duplicate', message });
    return;
  }
  tally.counts.read += 1;
  if (mark !== undefined) tally.items.set(mark, item);
  if (!before?.isActive) tally.unknown += 1;
  if (isFailed(row)) {
    tally.fail(row.error);
  } else if (!before?.isActive || before.hash !== row.hash) {
    tally.changes.push(row);
  } else {
    // Rows of a page that an interrupted worker has written, but not noted, count as what it did to them.
    tally.counts[before.outcome ?? 'unchanged'] += 1;
  }
};

/** Writes what is new or has changed on a page, and notes the page. @throws TooManyRows before anything is written */
export const takePage = async (turn: SyncTurn, { rows, next, hasGaps }: SourcePage): Promise<void> => {
  const { caller, work, session, lookups } = turn;
  const { known } = turn.rows;
  const tally = new PageTally(work);
  for (const row of rows) takeRow(turn, tally, row);
  if (known.size + tally.unknown > MAX_SOURCE_ROWS) throw new TooManyRows();
  for (const outcome of await writeRows(caller, work, tally.changes, lookups)) {
    if ('error' in outcome) {
      tally.fail(outcome.error);
      continue;
    }
    const { external_id, item_id, hash, outcome: done } = outcome.written;
    known.store(markOf(external_id), hash, numberOfItem(item_id), done);
    tally.counts[done] += 1;
  }
  const calls = session.calls;
  const progress = {
    counts: tally.counts,
    errors: tally.errors,
    calls: work.run.calls + calls - turn.notedCalls,
    cursor: next,
    is_read: next === null,
    has_gaps: work.run.has_gaps || hasGaps,
  };
  await notePage(caller, work, progress, tally.items);
  turn.notedCalls = calls;
  for (const [mark, item] of tally.items) known.see(mark, item);
};
