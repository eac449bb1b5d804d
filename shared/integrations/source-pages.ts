import type { Caller } from '../base/caller.ts';
import { MAX_SOURCE_ROWS } from '../domain/integrations/known-rows.ts';
import type { Plan } from '../domain/integrations/mappings.ts';
import {
  type FailedRow,
  isFailed,
  personRow,
  type SyncedRow,
  syncedRowOf,
} from '../domain/integrations/synced-row.ts';
import { MAX_RUN_ERRORS, type RunCounts, type RunError } from '../schemas/integrations/run.ts';
import type { StoredSource } from '../table/entities/integrations.ts';
import { type HeldRun, notePage } from './rows/runs.ts';
import { markOf, numberOfItem, type RowsBefore, writeRows } from './rows/synced-rows.ts';
import type { Lookups } from './rows/targets.ts';
import type { Page, Vendor, VendorSession } from './vendor.ts';

/** A page of a source. Each item is a row, or an error when no row can be made from it. */
export interface SourcePage {
  rows: (SyncedRow | FailedRow)[];
  next: string | null;
  hasGaps: boolean;
}

const INCOMPLETE = 'The vendor has answered for this item only in part.';

/**
 * Fails the rows that the vendor gave only in part, because an absent value is not an empty one. When the vendor does
 * not say which rows these are, all rows of the page fail.
 */
const withGaps = <Row>(
  { rows, next, gaps }: Page<Row>,
  toRow: (row: Row) => SyncedRow | FailedRow,
): SourcePage => {
  const concerned = new Set(gaps.map(({ item_id }) => item_id));
  return {
    rows: rows.map((each) => {
      const row = toRow(each);
      const { item_id, external_id } = row;
      if (gaps.length === 0 || !(concerned.has(null) || concerned.has(item_id))) return row;
      return {
        external_id,
        item_id,
        error: { item_id, field: null, code: 'incomplete', message: INCOMPLETE },
      };
    }),
    next,
    hasGaps: gaps.length > 0,
  };
};

/**
 * The pages of a source from a cursor on.
 * @param plan how its fields are filled; null for the users of the vendor's account
 * @throws VendorError
 */
export const pagesOf = async function* (
  { vendor, session, held }: { vendor: Vendor; session: VendorSession; held: { source: StoredSource } },
  plan: Plan | null,
  cursor: string | null,
): AsyncGenerator<SourcePage> {
  const paging = { cursor: cursor ?? undefined };
  if (plan === null) {
    for await (const page of session.people(paging)) {
      // A person who has no access any more has left the source.
      const present = page.rows.filter(({ status }) => status !== 'inactive');
      yield withGaps({ ...page, rows: present }, personRow);
    }
    return;
  }
  const { board_id, level, group_ids } = held.source;
  const query = { board_id: board_id!, level, group_ids, column_ids: plan.column_ids };
  for await (const page of session.items(query, paging)) {
    yield withGaps(page, (item) => syncedRowOf(item, plan, (value, type) => vendor.fieldValue(value, type)));
  }
};

/** A worker's turn: what it has while it holds a run. */
export interface SyncTurn {
  caller: Caller;
  held: HeldRun;
  vendor: Vendor;
  session: VendorSession;
  /** The rows that the source brought before, and those that were on its pages. Updated with every page. */
  rows: RowsBefore;
  lookups: Lookups;
  /** How many calls of the session the run has counted. */
  notedCalls: number;
}

/** Counts what happens to the rows of a page. */
class PageTally {
  readonly counts: RunCounts;
  readonly errors: RunError[];
  readonly changes: SyncedRow[] = [];
  /** The items of the page by the marks of their rows. */
  readonly items = new Map<string, number>();
  /** Rows that were neither stored nor seen before. */
  unknown = 0;

  constructor({ run }: HeldRun) {
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

/** The mark of a row. A row that has lost its identity is found by its item, if it had an identity before. */
const markOfRow = (
  { rows: { known } }: SyncTurn,
  { external_id }: SyncedRow | FailedRow,
  item: number,
): string | undefined => (external_id === null ? known.markOfItem(item) : markOf(external_id));

/** Counts a row, and adds it to the changes when it must be written. */
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
    // An interrupted worker may have written this row without noting its page: then the row counts as written.
    tally.counts[before.outcome ?? 'unchanged'] += 1;
  }
};

/** Writes the new and changed rows of a page, and notes the page. @throws TooManyRows before anything is written */
export const takePage = async (turn: SyncTurn, { rows, next, hasGaps }: SourcePage): Promise<void> => {
  const { caller, held, session, lookups } = turn;
  const { known } = turn.rows;
  const tally = new PageTally(held);
  for (const row of rows) takeRow(turn, tally, row);
  if (known.size + tally.unknown > MAX_SOURCE_ROWS) throw new TooManyRows();
  for (const outcome of await writeRows(caller, held, tally.changes, lookups)) {
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
    calls: held.run.calls + calls - turn.notedCalls,
    cursor: next,
    is_read: next === null,
    has_gaps: held.run.has_gaps || hasGaps,
  };
  await notePage(caller, held, progress, tally.items);
  turn.notedCalls = calls;
  for (const [mark, item] of tally.items) known.see(mark, item);
};
