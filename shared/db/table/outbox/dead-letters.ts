import type { Caller } from '../../../base/caller.ts';
import { cutTo } from '../../../base/text.ts';
import { timeAfter } from '../../../base/time.ts';
import { change, type Work } from '../change.ts';
import { hasValues } from '../conditions.ts';
import type { DeadLetter, DueRows } from '../entities.ts';
import { type Key, keys } from '../keys.ts';
import { getRow, type Row } from '../rows.ts';
import * as write from '../writes.ts';
import type { Write } from '../writes.ts';
import { dueAt } from './due.ts';

/** How often work is tried that fails for a reason which lasts: over two hours in all. */
export const MAX_ATTEMPTS = 6;

/** How long work waits after its first failure, in milliseconds. Each further wait is three times as long. */
const FIRST_WAIT_MS = 60_000;
const LONGER = 3;

/** Characters of a reason. */
const MAX_REASON_LENGTH = 1_000;

/** What an error says, with the first of the errors that it collects. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return cutTo(String(error), MAX_REASON_LENGTH);
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error.cause];
  const more = first === undefined ? '' : `: ${reasonOf(first)}`;
  return cutTo(`${error.name}: ${error.message}${more}`, MAX_REASON_LENGTH);
};

/** Stores work among the dead letters of its organization. The last reason of the same work replaces an earlier one. */
export const deadLetter = (
  work: Work,
  letter: Pick<DeadLetter, 'id' | 'what' | 'reason' | 'attempts' | 'work'>,
): Write => {
  const { now } = work;
  return write.put({
    ...keys.deadLetter(work, letter.id),
    ...letter,
    org_id: work.org_id,
    failed_at: now,
    ...dueAt('DEAD_LETTER', letter.id, now),
  });
};

/** Rows of work that is tried until it succeeds or has failed too often. */
type Pending = 'OUTBOX' | 'DEADLINE';

/** How one kind of work ends. */
interface Ending<Row> {
  id: string;
  what: DeadLetter['what'];
  /** Takes the row out of the work to do. It must fail if the row has changed. */
  end: (row: Row) => Write;
}

/**
 * Counts a failure of work that would fail again at once. The work waits, longer each time; after the last attempt it
 * goes to the dead letters with its reason, in one transaction.
 * @returns whether it is now a dead letter
 */
export const countFailure = <K extends Pending>(
  caller: Caller,
  kind: K,
  key: Key<DueRows[K]>,
  reason: string,
  { id, what, end }: Ending<Row<DueRows[K]>>,
): Promise<boolean> =>
  change(caller, async (work) => {
    const row = await getRow(work, key);
    if (!row) return { writes: [], reply: false };
    const attempts = (row.attempts ?? 0) + 1;
    if (attempts >= MAX_ATTEMPTS) {
      const letter = deadLetter(work, { id, what, reason, attempts, work: { ...row } });
      return { writes: [end(row), letter], reply: true };
    }
    const wait = FIRST_WAIT_MS * LONGER ** (attempts - 1);
    const later = dueAt(kind, id, timeAfter(work.now, wait));
    const unchanged = hasValues({ attempts: row.attempts, by_due_at: row.by_due_at });
    const waiting = { ...row, attempts, ...later };
    return { writes: [write.replace<object>(waiting, unchanged)], reply: false };
  });
