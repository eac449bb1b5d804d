import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { cutTo } from '../../base/text.ts';
import { timeAfter } from '../../base/time.ts';
import { audit } from '../audit.ts';
import { change, type Work } from '../change.ts';
import { hasValues } from '../conditions.ts';
import type { DueRows } from '../entities/kinds.ts';
import type { DeadLetter, OutboxRow } from '../entities/machinery.ts';
import { type Key, keys } from '../keys.ts';
import { getRow, queryRows, readRow, type Row, withoutKeys } from '../rows.ts';
import * as write from '../writes.ts';
import type { Write } from '../writes.ts';
import { dueAt, dueRows } from './due.ts';

/** How often failing work is tried. All attempts together take more than two hours. */
export const MAX_ATTEMPTS = 6;

/** How long work waits after its first failure, in milliseconds. Each further wait is three times as long. */
const FIRST_WAIT_MS = 60_000;
const LONGER = 3;

/** Characters of a reason. */
const MAX_REASON_LENGTH = 1_000;

/** The text of an error, with the first of the errors that it collects. */
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

/**
 * The dead letters of one organization, or of all of them. Only those of one are strongly consistent.
 * @param caller of the organization
 */
export const list = async function* (caller?: Caller): AsyncGenerator<DeadLetter> {
  if (caller) {
    for await (const row of queryRows(caller, { partition: keys.deadLetter.partition(caller) }))
      yield withoutKeys(row);
  } else {
    for await (const page of dueRows('DEAD_LETTER', new Date())) yield* page.map((row) => withoutKeys(row));
  }
};

/** The letter is the one that was read: the work has not failed again since then. */
const isUnchanged = ({ failed_at }: DeadLetter) => hasValues({ failed_at });

const read = async (caller: Caller, id: string): Promise<DeadLetter> => {
  const letter = await getRow(caller, keys.deadLetter(caller, id));
  if (!letter) throw errors.notFound('dead letter');
  return letter;
};

/** Makes a deadline due again. No write when the date has changed, has ended, or is due anyway. */
const deadlineWrites = async (work: Work, letter: DeadLetter): Promise<Write[]> => {
  // The work of a deadline is its row, as it was stored.
  const { pk, sk } = letter.work as unknown as Key;
  const row = await getRow<DueRows['DEADLINE']>(work, { pk, sk });
  if (!row || row.by_due_at !== undefined) return [];
  const isAsRead = hasValues({ version: row.version, by_due_at: undefined });
  return [write.update({ pk, sk }, { set: dueAt('DEADLINE', letter.id, work.now) }, isAsRead)];
};

/** Puts an event or task back into the outbox, as it was. No write when it is there: its queue will get it anyway. */
const outboxWrites = async (work: Work, letter: DeadLetter): Promise<Write[]> => {
  const key = keys.outbox(work, letter.id);
  if (await getRow(work, key)) return [];
  // The work of an event or task is its row: all of it, or what its queue had of it.
  const { attempts: _, ...row } = readRow<OutboxRow>(letter.work);
  return [write.create({ ...row, ...key, ...dueAt('OUTBOX', letter.id, work.now) })];
};

/** The outcome for a dead letter: its work is done again, or nothing was left to do. */
type Redriven = Pick<DeadLetter, 'id' | 'org_id' | 'what'> & { state: 'redriven' | 'obsolete' };

/**
 * Puts the work of a dead letter back where it was, and deletes the letter in the same transaction, so that it is put
 * back once. An event gets the next number of its organization's sequence, because clients that follow the sequence
 * have read later numbers already. To keep the order of several events, redrive them in the order of their ids. Work
 * that fails again at every attempt becomes a dead letter again. The message of a task also lies in the dead-letter
 * queue of its queue, until it expires there. If somebody sends it from there too, the task comes twice, and workers
 * ignore the second one.
 * @throws ApiError 404
 */
export const redrive = (caller: Caller, id: string): Promise<Redriven> =>
  change(caller, async (work) => {
    const letter = await read(caller, id);
    const putBack = letter.what === 'deadline' ? deadlineWrites : outboxWrites;
    const writes = await putBack(work, letter);
    return {
      writes: [
        write.remove(keys.deadLetter(caller, id), isUnchanged(letter)),
        ...writes,
        audit(work, 'dead_letter.redriven', id),
      ],
      reply: {
        id,
        org_id: letter.org_id,
        what: letter.what,
        state: writes.length > 0 ? 'redriven' : 'obsolete',
      },
    };
  });

/** Deletes a dead letter, whose work is never done. @returns the letter. @throws ApiError 404 */
export const drop = (caller: Caller, id: string): Promise<DeadLetter> =>
  change(caller, async (work) => {
    const letter = await read(caller, id);
    return {
      writes: [
        write.remove(keys.deadLetter(caller, id), isUnchanged(letter)),
        audit(work, 'dead_letter.dropped', id),
      ],
      reply: letter,
    };
  });
