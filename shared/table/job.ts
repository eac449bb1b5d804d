import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import { type Decision, NOTHING, type Work } from './change.ts';
import { type Condition, hasValues } from './conditions.ts';
import type { Key } from './keys.ts';
import { type Row, withoutKeys } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/*
 * A job is a row on which a worker works in several transactions, such as a sync or a mail. A task asks a worker to take
 * it. The same task may come again, late, or to two workers at once, and a worker may crash or be slow at any point.
 *
 *               take                  save, renew
 *   waiting -------------> taken ---------------------> taken
 *      ^                    | |
 *      |   release,         | |   end
 *      +-- hand on, or -----+ +---------> ended, for good
 *          end of its lease
 *
 * Taking a job changes its guard, and a worker writes only while the guard is the one that it knows. So of all workers
 * that have taken a job only the last one writes, and nobody changes a job that has ended. A lease keeps others from
 * taking it as long as its worker may live. Without a lease several workers may do it at once, and the first one ends it.
 * Handing on leaves the rest to a new task; earlier tasks have nothing to do then.
 *
 * Each function decides a change, such as `change(caller, (work) => syncJob.save(work, run, changes))`. The reply is the
 * job as the change leaves it, and `also` is written in the same transaction.
 */

/** Another worker goes on with a job, or it has ended. */
export class Overtaken extends Error {
  override name = 'Overtaken';
}

/** What is special about one kind of job. */
export interface JobKind<Stored extends object> {
  key: (caller: Caller, job: Stored) => Key<Stored>;
  /** Its whole row. Without this, a change writes only what it changes. */
  row?: (caller: Caller, job: Stored) => Row<Stored>;
  hasEnded?: (job: Stored) => boolean;
  /** The attributes that show whether somebody else has changed the job. */
  guard: readonly (keyof Stored & string)[];
  /** What taking it changes beside its lease. */
  begun?: (job: Stored, now: string) => Partial<Stored>;
  /** What every change moves. */
  moved?: (job: Stored) => Partial<Stored>;
  /** How long a worker has it, in milliseconds. `leased_until` says until when, in epoch milliseconds; 0 for nobody. */
  lease?: Stored extends { leased_until: number } ? number : never;
  /** The task for the rest of a job that is handed on; `handed_on` counts how often it was. @param delay in seconds */
  task?: (work: Work, job: Stored & { handed_on: number }, delay: number) => Write;
  /**
   * The error of a worker that has lost the job, or that cannot take it because another one has it. Without this, such a
   * job is not taken, and a change of a job that was lost is decided again.
   */
  lost?: (job: Stored) => Error;
}

/** A kind of job, by the changes that its workers make. */
export const job = <Stored extends object>(kind: JobKind<Stored>) => {
  const { guard, lease, hasEnded = () => false } = kind;

  /** Nobody else has changed it. */
  const isKnown = (known: Stored): Condition =>
    hasValues(Object.fromEntries(guard.map((attribute) => [attribute, known[attribute]])));
  const lost = (known: Stored) => () => kind.lost?.(known) ?? ('stale' as const);

  const leasedUntil = (known: Stored): number => ('leased_until' in known ? Number(known.leased_until) : 0);
  const handedOn = (known: Stored): number => ('handed_on' in known ? Number(known.handed_on) : 0);
  const withLease = (changes: Partial<Stored>, leased_until: number): Partial<Stored> =>
    lease === undefined ? changes : { ...changes, leased_until };
  const leased = ({ now }: Work, changes: Partial<Stored>) =>
    withLease(changes, Date.parse(now) + (lease ?? 0));

  /** Whether a worker has it. @param now ISO 8601 */
  const isHeld = (known: Stored, now: string): boolean => leasedUntil(known) > Date.parse(now);

  const begun = (work: Work, known: Stored): Partial<Stored> =>
    leased(work, kind.begun?.(known, work.now) ?? {});

  /** Changes it in its worker's turn. */
  const save = (
    caller: Caller,
    known: Stored,
    changes: Partial<Stored>,
    ...also: Write[]
  ): Decision<Stored> => {
    const set = { ...changes, ...kind.moved?.(known) };
    const next = { ...known, ...set };
    const saved = kind.row
      ? write.replace<object>(kind.row(caller, next), isKnown(known), lost(known))
      : write.update(kind.key(caller, known), { set }, isKnown(known), lost(known));
    return { writes: [saved, ...also], reply: next };
  };

  /** Lets another worker take it. */
  const release = (caller: Caller, known: Stored, changes: Partial<Stored> = {}, ...also: Write[]) =>
    save(caller, known, withLease(changes, 0), ...also);

  return {
    hasEnded,
    isHeld,
    isKnown,
    save,
    release,

    /**
     * Takes it for this worker. Nothing when it has ended or was handed on to a later task.
     * @param asked how often the job had been handed on when the task was given; any task where left out
     * @throws Error `lost` while another worker has it
     */
    take: (work: Work, row: Stored | undefined, asked = Infinity): Decision<Stored | undefined> => {
      if (!row || hasEnded(row) || asked < handedOn(row)) return NOTHING;
      // Nothing is left out of a job that has no keys any more.
      const known = withoutKeys(row as Row<Stored>);
      if (isHeld(known, work.now)) {
        if (kind.lost) throw kind.lost(known);
        return NOTHING;
      }
      const changes = begun(work, known);
      const isTaken = isDeepStrictEqual({ ...known, ...changes }, known);
      return isTaken ? { writes: [], reply: known } : save(work, known, changes);
    },

    /** Takes a job that has no row yet. */
    takeNew: (work: Work, known: Stored, ...also: Write[]): Decision<Stored> => {
      const next = { ...known, ...begun(work, known) };
      return { writes: [write.create<object>({ ...next, ...kind.key(work, next) }), ...also], reply: next };
    },

    /** Changes it and extends its lease. */
    renew: (work: Work, known: Stored, changes: Partial<Stored>, ...also: Write[]): Decision<Stored> =>
      save(work, known, leased(work, changes), ...also),

    /** Lets go of it, and gives the rest to a new task. @param delay of the task, in seconds */
    handOn: (work: Work, known: Stored, delay = 0): Decision<Stored> => {
      const next = { ...({} as Partial<Stored>), handed_on: handedOn(known) + 1 };
      return release(work, known, next, kind.task!(work, { ...known, ...next }, delay));
    },

    /** Ends it. */
    end: (caller: Caller, known: Stored, outcome: Partial<Stored>, ...also: Write[]): Decision<Stored> =>
      release(caller, known, outcome, ...also),

    /** Its worker still has it, in a change of something else. */
    check: (caller: Caller, known: Stored): Write =>
      write.check(kind.key(caller, known), lost(known), isKnown(known)),

    /**
     * The job as it stands, to be ended. Undefined when it has ended.
     * @param untakenAt ISO 8601: only if no worker has it then; also while one has it where left out
     */
    unended: (row: Row<Stored> | undefined, untakenAt?: string): Stored | undefined => {
      if (!row || hasEnded(row) || (untakenAt !== undefined && isHeld(row, untakenAt))) return undefined;
      return withoutKeys(row);
    },
  };
};
