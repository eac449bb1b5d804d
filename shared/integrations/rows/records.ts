import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { keptFrom, timeAfter } from '../../base/time.ts';
import { Connection } from '../../schemas/integrations/connection.ts';
import type { IntegrationActivityKind } from '../../schemas/integrations/overview.ts';
import { MAX_RUN_ERRORS, SyncRun } from '../../schemas/integrations/run.ts';
import { DirectorySource, Source } from '../../schemas/integrations/source.ts';
import type { VendorId } from '../../schemas/integrations/vendor.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection } from '../../table/collection.ts';
import type {
  SourceState,
  StoredConnection,
  StoredRun,
  StoredSource,
} from '../../table/entities/integrations.ts';
import { keys } from '../../table/keys.ts';
import { dueAt } from '../../table/outbox/due.ts';
import { getRow, getRows, type Row, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/** How long activities are kept, in seconds: 400 days. */
const ACTIVITY_SECONDS = 400 * 86_400;

/** How long a run is kept, in seconds: 90 days. */
export const RUN_SECONDS = 90 * 86_400;

/** A run that has not ended is checked again after this time, in milliseconds. */
const RUN_CHECK_MS = 3_600_000;

export const connectionRecords = collection('CONNECTION', 'connection');
export const sourceRecords = collection('SOURCE', 'source');

/** A connection that was not deleted. */
export type LiveConnection = Row<StoredConnection> & { status: Connection['status']; credential: string };

export const isLiveConnection = (row: Row<StoredConnection> | undefined): row is LiveConnection =>
  row !== undefined && row.status !== 'deleted' && row.credential !== null;

/** @throws ApiError 404 */
export const getConnection = async (caller: Caller, id: string): Promise<LiveConnection> => {
  const row = await getRow(caller, connectionRecords.key(caller, id));
  if (!isLiveConnection(row)) throw errors.notFound(connectionRecords.noun);
  return row;
};

/** A connection as it is sent to clients, without its credential. */
export const toConnection = (stored: StoredConnection, sources_count: number): Presented<Connection> =>
  present(Connection, stored, {
    status: stored.status === 'deleted' ? 'error' : stored.status,
    sources_count,
  });

/** What an activity is about. */
interface ActivitySubject {
  vendor: VendorId;
  connection_id?: string;
  source_id?: string;
  run_id?: string;
}

/** Records what happened to a connection or a source, in the transaction of the change. */
export const noteActivity = (
  work: Work,
  kind: IntegrationActivityKind,
  { vendor, connection_id = null!, source_id = null!, run_id = null! }: ActivitySubject,
  message: string,
): Write => {
  const id = uuidv7();
  return write.create({
    ...keys.integrationActivity(work, vendor, id),
    id,
    at: work.now,
    kind,
    connection_id,
    source_id,
    run_id,
    actor_id: work.user_id || null,
    message,
    ttl: keptFrom(work.now, ACTIVITY_SECONDS),
  });
};

/** A source, and the state that its syncs have left. */
export interface WholeSource {
  source: StoredSource;
  state: SourceState;
}

/** Whether a source brings people. */
export const isDirectory = ({ target_ref }: Pick<StoredSource, 'target_ref'>): boolean =>
  target_ref === 'members';

/**
 * A source and its state. One call.
 * @param isOfDirectory whether the caller asks for a directory source; a source of the other kind does not exist then.
 * Left out, it may be either
 * @throws ApiError 404
 */
export const readSource = async (
  caller: Caller,
  id: string,
  isOfDirectory?: boolean,
): Promise<WholeSource> => {
  const [source, state] = await getRows(caller, [
    sourceRecords.key(caller, id),
    keys.sourceState(caller, id),
  ]);
  const isMeant = source && isOfDirectory !== undefined ? isDirectory(source) === isOfDirectory : true;
  if (!source || !state || !isMeant) throw errors.notFound(sourceRecords.noun);
  return { source: withoutKeys(source), state: withoutDue(state) };
};

/** A state without the attributes by which it is found when it is due. */
export const withoutDue = (row: Row<SourceState>): SourceState => withoutKeys(row);

export const newState = (caller: Caller, sourceId: string, next_sync_at: string | null): SourceState => ({
  org_id: caller.org_id,
  source_id: sourceId,
  run_id: null,
  problem: null,
  warning: null,
  next_sync_at,
  last_synced_at: null,
  last_run: null,
  rows_count: 0,
  whole_calls: 0,
  version: 1,
});

/** A state with the attributes by which a worker finds it when the next sync is due, or when a run needs a check. */
export const stateRow = (work: Work, state: SourceState) => {
  const { source_id, run_id, next_sync_at } = state;
  const at = run_id === null ? next_sync_at : timeAfter(work.now, RUN_CHECK_MS);
  return {
    ...state,
    ...keys.sourceState(work, source_id),
    ...(at !== null && dueAt('SYNC', source_id, at)),
  };
};

/** Changes the state of a source, if nobody else has changed it since it was read. */
export const changeState = (work: Work, state: SourceState, changes: Partial<SourceState>): Write =>
  write.replace(stateRow(work, { ...state, ...changes, version: state.version + 1 }), state.version);

/** A source and its state as one value, with the fields that follow from both. */
const withState = ({ source, state }: WholeSource) => ({
  ...state,
  ...source,
  next_sync_at: source.is_paused ? null : state.next_sync_at,
  status: source.is_paused ? ('paused' as const) : state.problem ? ('error' as const) : ('active' as const),
});

export const toSource = (whole: WholeSource): Presented<Source> => {
  const { target_ref, board_id, board_name } = whole.source;
  return present(Source, withState(whole), {
    // Another target, or no board: only directory sources have that.
    target_ref: target_ref as Source['target_ref'],
    board_id: board_id!,
    board_name: board_name!,
  });
};

export const toDirectorySource = (whole: WholeSource): Presented<DirectorySource> =>
  present(DirectorySource, withState(whole), { kind: whole.source.board_id === null ? 'users' : 'board' });

/** A source as it is sent to clients, of either kind. */
export const toAnySource = (whole: WholeSource): Presented<Source | DirectorySource> =>
  isDirectory(whole.source) ? toDirectorySource(whole) : toSource(whole);

/** A run as it is sent to clients. */
export const toRun = (stored: StoredRun): Presented<SyncRun> =>
  present(SyncRun, stored, { errors: stored.errors.slice(0, MAX_RUN_ERRORS) });
