import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { audit } from '../audit.ts';
import { change, type Work } from '../change.ts';
import { hasValues } from '../conditions.ts';
import type { DeadLetter, DueRows, OutboxRow } from '../entities.ts';
import { type Key, keys } from '../keys.ts';
import { getRow, queryRows, withoutKeys } from '../rows.ts';
import * as write from '../writes.ts';
import type { Write } from '../writes.ts';
import { dueAt, dueRows } from './due.ts';

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

/** Makes a deadline due again. None when the date was changed or is no longer waited for, or its turn comes anyway. */
const deadlineWrites = async (work: Work, letter: DeadLetter): Promise<Write[]> => {
  // The work of a deadline is its row, as it was stored.
  const { pk, sk } = letter.work as unknown as Key;
  const row = await getRow<DueRows['DEADLINE']>(work, { pk, sk });
  if (!row || row.by_due_at !== undefined) return [];
  const isAsRead = hasValues({ version: row.version, by_due_at: undefined });
  return [write.update({ pk, sk }, { set: dueAt('DEADLINE', letter.id, work.now) }, isAsRead)];
};

/** Puts an event or task back into the outbox, as it was. None when it is there: its queue is to get it anyway. */
const outboxWrites = async (work: Work, letter: DeadLetter): Promise<Write[]> => {
  const key = keys.outbox(work, letter.id);
  if (await getRow(work, key)) return [];
  // The work of an event or task is its row: all of it, or what its queue had of it.
  const { attempts: _, ...row } = letter.work as unknown as OutboxRow;
  return [write.create({ ...row, ...key, ...dueAt('OUTBOX', letter.id, work.now) })];
};

/** What became of a dead letter: its work is done again, or nothing was left to do. */
type Redriven = Pick<DeadLetter, 'id' | 'org_id' | 'what'> & { state: 'redriven' | 'obsolete' };

/**
 * Puts the work of a dead letter back where it was, and deletes the letter in the same transaction, so that it is put
 * back once. An event gets the next number of its organization's sequence: clients that follow the sequence have read
 * what came after it, so it may not get a number before. To keep the order of several events, redrive them in the order
 * of their ids. Work that fails again at every attempt becomes a dead letter again. The message of a task also lies in
 * the dead-letter queue of its queue, until it expires there: whoever sends it from there too has the task done twice,
 * which every worker ignores.
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
