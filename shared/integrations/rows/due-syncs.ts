import { ApiError } from '../../base/api-error.ts';
import { type Caller, serviceOf } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { nextSyncAt } from '../../domain/integrations/schedule.ts';
import { change } from '../../table/change.ts';
import type { SourceState } from '../../table/entities/integrations.ts';
import { keys } from '../../table/keys.ts';
import { dueRowsInTurns } from '../../table/outbox/due.ts';
import { Sweep } from '../../table/outbox/sweep.ts';
import { isOutage } from '../../table/retry.ts';
import { getRows } from '../../table/rows.ts';
import { changeState, isDirectory, sourceRecords, withoutDue } from './records.ts';
import { finish, MAX_RUN_MS, NOT_COMPLETED, start, unended } from './runs.ts';

/** Errors for which a source that is due is not synced now. It is checked again later. */
const LATER: ReadonlySet<string> = new Set([
  errors.syncRunning.code,
  errors.sourcePaused.code,
  errors.connectionRefused.code,
  errors.connectionDeleted.code,
  errors.notFound.code,
]);

const isLater = (error: unknown): boolean => error instanceof ApiError && LATER.has(error.code);

/** Whether as many syncs of the organization run as may. The source stays due until one has ended. */
const isToWait = (error: unknown): boolean =>
  error instanceof ApiError && error.code === errors.tooManyWaiting.code;

/** Moves a source on to the next time of its schedule. A paused source is not due any more. */
const postpone = (caller: Caller, id: string): Promise<void> =>
  change(caller, async (work) => {
    const [source, row] = await getRows(work, [sourceRecords.key(work, id), keys.sourceState(work, id)]);
    // A source and its state are deleted together.
    if (!source || !row) return { writes: [], reply: undefined };
    const state = withoutDue(row);
    const now = Date.parse(work.now);
    const next_sync_at = source.is_paused ? null : nextSyncAt(source.schedule_minutes, now, now);
    return { writes: [changeState(work, state, { next_sync_at })], reply: undefined };
  });

/**
 * Ends a run that its workers have left: its last one crashed, and it has taken longer than a run may. No sync of its
 * source could start any more.
 * @returns whether it has ended the run
 */
const endLost = async (caller: Caller, sourceId: string, runId: string, now: Date): Promise<boolean> => {
  const lost = await unended(caller, sourceId, runId, now.toISOString());
  if (!lost || now.getTime() <= Date.parse(lost.run.created_at) + MAX_RUN_MS) return false;
  await finish(caller, lost, { status: 'failed', error: NOT_COMPLETED });
  return true;
};

const startDue = async ({ org_id, source_id, run_id }: SourceState, now: Date): Promise<void> => {
  const caller = serviceOf(org_id);
  if (run_id !== null && (await endLost(caller, source_id, run_id, now))) return;
  try {
    const [source] = await getRows(caller, [sourceRecords.key(caller, source_id)]);
    const isOfDirectory = source !== undefined && isDirectory(source);
    await start(caller, source_id, isOfDirectory, { trigger: 'schedule', allow_mass_deactivation: false });
  } catch (error) {
    if (isToWait(error)) return;
    if (!isLater(error)) throw error;
    await postpone(caller, source_id);
  }
};

/**
 * Starts the syncs of all sources that are due, and ends runs that were lost. No organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why organizations have to wait for the next sweep
 */
export const startDueSyncs = async (now: Date, time: number): Promise<unknown[]> => {
  const failures: unknown[] = [];
  const sweep = new Sweep<SourceState>(
    time,
    () => 'sync',
    async (states) => {
      for (const state of states) {
        try {
          await startDue(state, now);
        } catch (error) {
          if (isOutage(error)) throw error;
          failures.push(error);
        }
      }
    },
  );
  for await (const states of dueRowsInTurns('SYNC', now)) {
    await sweep.serve(states);
    if (sweep.isOver) break;
  }
  return [...failures, ...sweep.delays.map(({ error }) => error)];
};
