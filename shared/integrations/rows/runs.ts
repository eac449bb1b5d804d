import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { keptFrom } from '../../base/time.ts';
import { decodeSeen, encodeSeen } from '../../domain/integrations/known-rows.ts';
import { noticesOf } from '../../domain/notifications/notices.ts';
import { noticeWrites } from '../../notices/notify.ts';
import { adminsOf } from '../../organizations/members/members.ts';
import type {
  IntegrationProblem,
  RunCounts,
  RunError,
  RunStatus,
  SyncRun,
} from '../../schemas/integrations/run.ts';
import { change, type Work } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type {
  SourceState,
  StoredConnection,
  StoredRun,
  StoredSource,
} from '../../table/entities/integrations.ts';
import { job } from '../../table/job.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import { getRow, queryRows, withoutKeys } from '../../table/rows.ts';
import { leaveSlot, takeSlot } from '../../table/slots.ts';
import type { DetachTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import {
  changeState,
  connectionRecords,
  isLiveConnection,
  type LiveConnection,
  noteActivity,
  readSource,
  RUN_SECONDS,
  sourceRecords,
  toRun,
  withoutDue,
} from './records.ts';

/*
 * The states of a run, beside those of its job (`table/job.ts`):
 *
 *             take
 *   queued --------> running ----> succeeded
 *      |                |
 *      |                +--------> partial: rows failed, the vendor left something out, too many rows were missing, or
 *      |                |                   the calls of the day are used up
 *      |                +--------> cancelled: its source was paused or deleted, or its connection deleted
 *      |                |
 *      +----------------+--------> failed: the vendor refuses, the source cannot be read, or every attempt failed
 *
 * A run that its worker releases stays `running`: the next worker goes on after the last noted page.
 */

/** How long a worker holds a run, in milliseconds: as long as its function lives. Every page extends it. */
const LEASE_MS = 300_000;

/** How long a run may take, pauses included, in milliseconds. */
export const MAX_RUN_MS = 86_400_000;

/** The error of a run of which no attempt says why it has failed. */
export const NOT_COMPLETED = {
  code: 'unavailable',
  message: 'The sync could not be completed, although it was tried several times.',
};

/** How long the marks of a page are kept, in seconds. No run takes that long. */
const SEEN_SECONDS = 2 * 86_400;

export const NO_COUNTS: RunCounts = {
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  deactivated: 0,
  failed: 0,
};

/** Makes a new task for the rest of a detachment. */
export const enqueueDetach = (caller: Caller, task: DetachTask): Promise<void> =>
  change(caller, (work) => ({ writes: [enqueue(work, 'sync', task)], reply: undefined }));

const syncTask = (
  work: Work,
  { id, source_id, handed_on }: Pick<StoredRun, 'id' | 'source_id' | 'handed_on'>,
  delay = 0,
): Write => enqueue(work, 'sync', { what: 'sync', source_id, run_id: id, handed_on }, delay);

const subjectOf = ({ id, vendor, connection_id }: StoredSource, run_id: string) => ({
  vendor,
  connection_id,
  source_id: id,
  run_id,
});

/** @throws ApiError 409 unless the source can be synced now */
const expectSyncable = (
  source: StoredSource,
  state: SourceState,
  connection: StoredConnection | LiveConnection | undefined,
): void => {
  if (!connection || connection.status === 'deleted') throw errors.connectionDeleted();
  if (source.is_paused) throw errors.sourcePaused();
  if (state.run_id !== null) throw errors.syncRunning(state.run_id);
  if (connection.status === 'error') throw errors.connectionRefused();
};

/** How a new run was asked for. */
interface RunRequest {
  trigger: SyncRun['trigger'];
  allow_mass_deactivation: boolean;
}

/**
 * Starts a sync. A worker does it.
 * @param isOfDirectory as in `readSource`
 * @throws ApiError 404; 409 while another sync runs, for a paused source, and for a connection that does not work; 429
 * when as many wait or run as the organization may have
 */
export const start = (
  caller: Caller,
  sourceId: string,
  isOfDirectory: boolean,
  { trigger, allow_mass_deactivation }: RunRequest,
): Promise<SyncRun> =>
  change(caller, async (work) => {
    const { source, state } = await readSource(caller, sourceId, isOfDirectory);
    const connection = await getRow(caller, connectionRecords.key(caller, source.connection_id));
    expectSyncable(source, state, connection);
    const { now } = work;
    const id = uuidv7();
    const key = keys.syncRun(caller, sourceId, id);
    const { slot, writes } = await takeSlot(work, 'SYNC', key);
    const run: StoredRun = {
      id,
      source_id: sourceId,
      trigger,
      status: 'queued',
      started_at: null,
      finished_at: null,
      counts: NO_COUNTS,
      calls: 0,
      errors: [],
      error: null,
      requested_by: caller.user_id || null,
      created_at: now,
      updated_at: now,
      allow_mass_deactivation,
      turn: 0,
      leased_until: 0,
      handed_on: 0,
      reading: 0,
      pages: 0,
      cursor: null,
      is_read: false,
      has_gaps: false,
      ttl: keptFrom(now, RUN_SECONDS),
      slot,
    };
    return {
      writes: [
        write.create({ ...run, ...key }),
        ...writes,
        changeState(work, state, { run_id: run.id }),
        syncTask(work, run),
        noteActivity(
          work,
          'sync.started',
          subjectOf(source, run.id),
          `A sync of the source ${JSON.stringify(source.name)} was started.`,
        ),
      ],
      reply: toRun(run),
    };
  });

/** The runs of a source, newest first. @throws ApiError 404 */
export const list = (caller: Caller, sourceId: string, query: ListQuery): Promise<Listing<SyncRun>> =>
  listRows(
    caller,
    `SYNC_RUN ${sourceId}`,
    query,
    { ...keys.parts(caller, 'SOURCE', sourceId, 'RUN'), newestFirst: true },
    toRun,
    () => readSource(caller, sourceId),
  );

/** A run as its worker holds it. */
export interface HeldRun {
  run: StoredRun;
  source: StoredSource;
  connection: LiveConnection;
}

const isCode = (error: unknown, { code }: { code: string }): boolean =>
  error instanceof ApiError && error.code === code;

/** Whether an error means that another worker has taken the run. */
export const isHeld = (error: unknown): boolean => isCode(error, errors.syncHeld);

/** Whether an error means that the source was changed since the worker has read it. */
export const isChanged = (error: unknown): boolean => isCode(error, errors.sourceChanged);

const syncJob = job<StoredRun>({
  key: (caller, { source_id, id }) => keys.syncRun(caller, source_id, id),
  hasEnded: ({ status }) => status !== 'queued' && status !== 'running',
  guard: ['turn', 'status'],
  begun: ({ turn, started_at }, now) => ({
    status: 'running',
    turn: turn + 1,
    started_at: started_at ?? now,
    updated_at: now,
  }),
  lease: LEASE_MS,
  task: syncTask,
  lost: ({ id }) => errors.syncHeld(id),
});

/** The source must not have changed since the worker has read it: other mappings would give other rows. */
const checkSource = (caller: Caller, { id, version }: StoredSource): Write =>
  write.check(sourceRecords.key(caller, id), () => errors.sourceChanged(), hasValues({ version }));

/** The worker still has the run, and the source is unchanged. Each transaction that writes rows needs this once. */
export const checkHeld = (caller: Caller, { run, source }: HeldRun): Write[] => [
  syncJob.check(caller, run),
  checkSource(caller, source),
];

/**
 * Takes a run for this worker.
 * @param handedOn the task's count; any task where left out
 * @returns undefined when the run has ended, was handed on to a later task, or is cancelled because its source or
 *   connection has gone
 * @throws ApiError `sync_held` while another worker holds it
 */
export const begin = async (
  caller: Caller,
  sourceId: string,
  runId: string,
  handedOn?: number,
): Promise<HeldRun | undefined> => {
  const run = await change(caller, async (work) =>
    syncJob.take(work, await getRow(caller, keys.syncRun(caller, sourceId, runId)), handedOn),
  );
  return run && withSource(caller, run);
};

/** The run with its source as it is now. When the source may not be synced any more, cancels the run: undefined. */
const withSource = async (caller: Caller, run: StoredRun): Promise<HeldRun | undefined> => {
  const source = await getRow(caller, sourceRecords.key(caller, run.source_id));
  const connection = source && (await getRow(caller, connectionRecords.key(caller, source.connection_id)));
  if (source && !source.is_paused && isLiveConnection(connection)) {
    return { run, source: withoutKeys(source), connection };
  }
  await finish(caller, { run, source: source && withoutKeys(source) }, { status: 'cancelled' });
  return undefined;
};

/** Reads the source as it is now from the first page again. Undefined when the run is cancelled. */
export const readAgain = async (caller: Caller, { run }: HeldRun): Promise<HeldRun | undefined> => {
  const again = {
    reading: run.reading + 1,
    pages: 0,
    cursor: null,
    is_read: false,
    has_gaps: false,
    counts: NO_COUNTS,
    errors: [],
  };
  return withSource(caller, await change(caller, (work) => syncJob.renew(work, run, again)));
};

/** How far a run is after a page. */
export interface RunProgress {
  counts: RunCounts;
  errors: RunError[];
  calls: number;
  cursor: string | null;
  is_read: boolean;
  has_gaps: boolean;
}

/** Notes that all rows of a page are written. @param items the page's items (`numberOfItem`) by their rows' marks */
export const notePage = async (
  caller: Caller,
  sync: HeldRun,
  progress: RunProgress,
  items: ReadonlyMap<string, number>,
): Promise<void> => {
  const { run, source } = sync;
  sync.run = await change(caller, (work) =>
    syncJob.renew(
      work,
      run,
      { ...progress, pages: run.pages + 1, updated_at: work.now },
      checkSource(work, source),
      write.put({
        ...keys.seenPage(work, source.id, run.id, run.reading, run.pages),
        marks: encodeSeen(items),
        ttl: keptFrom(work.now, SEEN_SECONDS),
      }),
    ),
  );
};

/** The rows of the pages that the run has read: each row's mark, and its item (`numberOfItem`). */
export const seenRows = async function* (
  caller: Caller,
  { run, source }: HeldRun,
): AsyncGenerator<[mark: string, item: number]> {
  const range = keys.seenPage.range(caller, source.id, run.id, run.reading);
  for await (const { marks } of queryRows(caller, range)) yield* decodeSeen(marks);
};

/** Lets another worker take the run. @param delay of a new task for it, in seconds; no new task where left out */
export const release = async (caller: Caller, { run }: HeldRun, delay?: number): Promise<void> => {
  await change(caller, (work) =>
    delay === undefined ? syncJob.release(work, run) : syncJob.handOn(work, run, delay),
  );
};

/** How a run ends. */
export interface RunOutcome {
  status: Exclude<RunStatus, 'queued' | 'running'>;
  /** Why it did not succeed. */
  error?: Omit<IntegrationProblem, 'at'>;
  /** The source cannot be synced until somebody acts. */
  isLasting?: boolean;
  /** Only of a run that has read and written everything. */
  whole?: {
    /** Active rows of the source. */
    rows_count: number;
    warning: string | null;
  };
  /** When the source is synced next; unchanged where left out. */
  next_sync_at?: string | null;
  counts?: RunCounts;
  calls?: number;
}

const messageOf = ({ status, error }: RunOutcome): string =>
  error ? `The sync ended as ${status}: ${error.message}` : `The sync ended as ${status}.`;

/** The source's creator and all admins are told when a run has a problem, also the person who asked for it. */
const endNotices = async (
  work: Work,
  { id, name, created_by }: StoredSource,
  run: SyncRun,
  before: SyncRun | null,
): Promise<Write[]> => {
  if (run.error === null) return [];
  const user_ids = [created_by, ...(await adminsOf(work))];
  return noticeWrites(work, noticesOf('syncEnded', { source: { id, name }, run, before, user_ids }, null));
};

/** Ends a run, and tells the members when it has a problem. @throws ApiError `sync_held` */
export const finish = async (
  caller: Caller,
  { run, source }: { run: StoredRun; source: StoredSource | undefined },
  outcome: RunOutcome,
): Promise<void> => {
  await change(caller, async (work) => {
    const { now } = work;
    const { status, counts = run.counts, calls = run.calls, isLasting = false } = outcome;
    const error = outcome.error ? { ...outcome.error, at: now } : null;
    const set = { status, error, counts, calls, finished_at: now, updated_at: now, slot: null };
    const row = await getRow(caller, keys.sourceState(caller, run.source_id));
    const ended = toRun({ ...run, ...set });
    const wasRead = status === 'succeeded' || (status === 'partial' && run.is_read);
    const stateWrites =
      row && row.run_id === run.id
        ? [
            changeState(work, withoutDue(row), {
              run_id: null,
              last_run: ended,
              ...(status !== 'cancelled' && { problem: isLasting ? error : null }),
              ...(wasRead && { last_synced_at: now }),
              ...(outcome.whole && { ...outcome.whole, whole_calls: calls }),
              ...(outcome.next_sync_at !== undefined && { next_sync_at: outcome.next_sync_at }),
            }),
          ]
        : [];
    const notices = source ? await endNotices(work, source, ended, row?.last_run ?? null) : [];
    return syncJob.end(
      work,
      run,
      set,
      ...leaveSlot(work, 'SYNC', run),
      ...stateWrites,
      ...(source ? [noteActivity(work, 'sync.finished', subjectOf(source, run.id), messageOf(outcome))] : []),
      ...(status === 'cancelled'
        ? []
        : [emit(work, status === 'failed' ? 'sync.failed' : 'sync.completed', ended)]),
      ...notices,
    );
  });
};

/**
 * A run that must be ended as failed. Undefined when it has ended.
 * @param untakenAt ISO 8601: then only if no worker holds it at that time
 */
export const unended = async (
  caller: Caller,
  sourceId: string,
  runId: string,
  untakenAt?: string,
): Promise<{ run: StoredRun; source: StoredSource | undefined } | undefined> => {
  const run = syncJob.unended(await getRow(caller, keys.syncRun(caller, sourceId, runId)), untakenAt);
  if (!run) return undefined;
  const source = await getRow(caller, sourceRecords.key(caller, sourceId));
  return { run, source: source && withoutKeys(source) };
};
