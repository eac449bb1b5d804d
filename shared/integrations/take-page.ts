import type { Caller } from '../base/caller.ts';
import { type KnownRow, markOf, type RowChange, writeRows } from '../db/integrations/rows.ts';
import { notePage, type SyncWork } from '../db/integrations/runs.ts';
import type { Lookups } from '../db/integrations/targets/target.ts';
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
  /** The rows that came from the source before, by their marks. It follows what is written. */
  known: Map<string, KnownRow>;
  /** The marks of the rows on the pages that were read. */
  seen: Set<string>;
  lookups: Lookups;
  /** How many calls of the session the run has counted. */
  notedCalls: number;
}

/** Collects what a page does. */
class PageTally {
  readonly counts: RunCounts;
  readonly errors: RunError[];
  readonly marks: string[] = [];
  readonly changes: RowChange[] = [];
  /** The items of the page by their marks. */
  readonly items = new Map<string, string>();

  constructor({ run }: SyncWork) {
    this.counts = { ...run.counts };
    this.errors = [...run.errors];
  }

  fail(error: RunError): void {
    this.counts.failed += 1;
    if (this.errors.length < MAX_RUN_ERRORS) this.errors.push(error);
  }
}

/** The mark of a row that cannot be told by its identity, because this is what its item lacks now. */
const markOfItem = ({ known }: SyncTurn, itemId: string): string | undefined => {
  for (const [mark, { item_id }] of known) if (item_id === itemId) return mark;
  return undefined;
};

const markOfRow = (turn: SyncTurn, { external_id, item_id }: SyncedRow | FailedRow): string | undefined =>
  external_id === null ? markOfItem(turn, item_id) : markOf(external_id);

/** Counts a row, and takes it up where it has to be written. */
const takeRow = (turn: SyncTurn, tally: PageTally, row: SyncedRow | FailedRow): void => {
  const { known, seen, work } = turn;
  const mark = markOfRow(turn, row);
  const before = mark === undefined ? undefined : known.get(mark);
  if (mark !== undefined && (seen.has(mark) || tally.items.has(mark))) {
    const other = tally.items.get(mark) ?? before?.item_id;
    // An item that moves while the board is read comes twice.
    if (other === row.item_id) return;
    tally.counts.read += 1;
    const message = 'Another item has the same value in the identity column.';
    tally.fail({ item_id: row.item_id, field: null, code: 'duplicate', message });
    return;
  }
  tally.counts.read += 1;
  if (mark !== undefined) {
    tally.items.set(mark, row.item_id);
    tally.marks.push(mark);
  }
  if (isFailed(row)) {
    tally.fail(row.error);
  } else if (!before?.is_active || before.hash !== row.hash) {
    tally.changes.push({ row, known: before });
  } else if (before.run_id === work.run.id && before.outcome !== 'deactivated') {
    // A page that an interrupted worker has written, but not noted.
    tally.counts[before.outcome] += 1;
  } else {
    tally.counts.unchanged += 1;
  }
};

/** Writes what is new or has changed on a page, and notes the page. */
export const takePage = async (turn: SyncTurn, { rows, next, hasGaps }: SourcePage): Promise<void> => {
  const { caller, work, session, known, seen, lookups } = turn;
  const tally = new PageTally(work);
  for (const row of rows) takeRow(turn, tally, row);
  for (const outcome of await writeRows(caller, work, tally.changes, lookups)) {
    if ('error' in outcome) {
      tally.fail(outcome.error);
      continue;
    }
    const { known: written } = outcome;
    known.set(markOf(written.external_id), written);
    if (written.outcome !== 'deactivated') tally.counts[written.outcome] += 1;
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
  await notePage(caller, work, progress, Buffer.from(tally.marks.join(''), 'hex'));
  turn.notedCalls = calls;
  for (const mark of tally.marks) seen.add(mark);
};
