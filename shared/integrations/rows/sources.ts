import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { Problem } from '../../base/problem.ts';
import { nextSyncAt, scheduleWarning } from '../../domain/integrations/schedule.ts';
import { wordFilter } from '../../domain/words.ts';
import {
  type DirectorySource,
  type Source,
  type SourceChanges,
  SourceRow,
  type SourceRowQuery,
} from '../../schemas/integrations/source.ts';
import { present } from '../../schemas/projection.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import { oneOf } from '../../table/conditions.ts';
import type { SourceState, StoredSource, SyncedItem } from '../../table/entities/integrations.ts';
import { keys } from '../../table/keys.ts';
import { kept, type Listing, listing, type ListQuery, listRows, readCursor } from '../../table/listing.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import {
  countRows,
  getRow,
  queryRows,
  type Row,
  type Where,
  withoutKeys,
  withRows,
} from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { MAX_SOURCES } from './connections.ts';
import {
  changeState,
  connectionRecords,
  getConnection,
  isLiveConnection,
  newState,
  noteActivity,
  readSource,
  sourceRecords,
  stateRow,
  toAnySource,
  toDirectorySource,
  toSource,
  type WholeSource,
  withoutDue,
} from './records.ts';

const LIST = 'SOURCE';

/** The fields of a source that the service does not fill itself. */
export type SourceFields = Omit<
  StoredSource,
  'id' | 'is_paused' | 'created_by' | 'version' | 'created_at' | 'updated_at'
>;

const subjectOf = ({ id, vendor, connection_id }: StoredSource) => ({ vendor, connection_id, source_id: id });

/**
 * Creates a source. With a schedule, its first sync is due at once.
 * @param present makes the reply
 * @throws ApiError 404 when the connection was deleted meanwhile; 409 for too many sources
 */
export const create = async <Shown>(
  caller: Caller,
  fields: SourceFields,
  present: (whole: WholeSource) => Shown,
): Promise<Shown> => {
  const count = await countRows(caller, {
    partition: keys.all(caller, 'SOURCE'),
    where: { connection_id: [fields.connection_id] },
  });
  if (count >= MAX_SOURCES) throw errors.tooManySources(MAX_SOURCES);
  return change(caller, (work) => {
    const source: StoredSource = newResource(work, { ...fields, is_paused: false, created_by: work.user_id });
    const state = newState(work, source.id, fields.schedule_minutes === null ? null : source.created_at);
    return {
      writes: [
        write.check(
          connectionRecords.key(work, source.connection_id),
          () => errors.notFound(connectionRecords.noun),
          oneOf('status', ['active', 'error']),
        ),
        write.create({ ...source, ...sourceRecords.key(work, source.id) }),
        write.create(stateRow(work, state)),
        noteActivity(
          work,
          'source.created',
          subjectOf(source),
          `The source ${JSON.stringify(source.name)} was created.`,
        ),
        emit(work, 'source.created', toAnySource({ source, state })),
      ],
      reply: present({ source, state }),
    };
  });
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Source> =>
  toSource(await readSource(caller, id, false));

/** Each source with its state. */
const wholeSources = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<StoredSource>>,
): AsyncGenerator<WholeSource> {
  const states = (row: Row<StoredSource>) => [keys.sourceState(caller, row.id)] as const;
  for await (const [row, [state]] of withRows(caller, rows, states)) {
    // A source without a state has just been deleted.
    if (state) yield { source: withoutKeys(row), state: withoutDue(state) };
  }
};

const SOURCE_TARGETS = ['locations', 'client_accounts', 'response_sets'] as const;

/** How sources are listed. */
type SourceQuery = ListQuery & { q?: string | undefined };

const rowsOf = (caller: Caller, query: SourceQuery, list: string, where: Where<StoredSource>) => {
  const rows = queryRows(caller, {
    partition: keys.all(caller, 'SOURCE'),
    after: readCursor(caller, list, query),
    updatedSince: query.updated_since,
    where,
  });
  return kept(rows, wordFilter(query.q));
};

/** The sources of a connection in creation order. @throws ApiError 404 for the connection */
export const listOf = async (
  caller: Caller,
  connectionId: string,
  query: SourceQuery,
): Promise<Listing<Source>> => {
  await getConnection(caller, connectionId);
  const list = `${LIST} ${connectionId}`;
  const rows = rowsOf(caller, query, list, { connection_id: [connectionId], target_ref: SOURCE_TARGETS });
  return listing(caller, list, query, wholeSources(caller, rows), ({ source }) => source.id, toSource);
};

/** The directory sources of all connections, in creation order. */
export const listDirectory = (caller: Caller, query: SourceQuery): Promise<Listing<DirectorySource>> => {
  const list = `${LIST} members`;
  const rows = rowsOf(caller, query, list, { target_ref: ['members'] });
  return listing(
    caller,
    list,
    query,
    wholeSources(caller, rows),
    ({ source }) => source.id,
    toDirectorySource,
  );
};

/** All sources of a vendor, including directory sources. */
export const ofVendor = (caller: Caller, vendor: string): AsyncGenerator<WholeSource> =>
  wholeSources(
    caller,
    queryRows(caller, { partition: keys.all(caller, 'SOURCE'), where: { vendor: [vendor] } }),
  );

/** The fields that decide which rows a source has. */
const READING = ['group_ids', 'identity_column', 'mappings', 'value_maps'] as const;

/** How the state changes with a source. @param callsPerDay how many the vendor allows; null for any number */
const nextState = (
  { now }: Work,
  current: StoredSource,
  next: StoredSource,
  state: SourceState,
  callsPerDay: number | null,
): Partial<SourceState> => {
  const isSame = current.is_paused === next.is_paused && current.schedule_minutes === next.schedule_minutes;
  if (isSame) return {};
  const last = Date.parse(state.last_run?.started_at ?? next.created_at);
  return {
    next_sync_at: next.is_paused ? null : nextSyncAt(next.schedule_minutes, last, Date.parse(now)),
    warning: scheduleWarning(next.schedule_minutes, state.whole_calls, callsPerDay),
  };
};

/**
 * Changes a source.
 * @param callsPerDayOf how many calls a day a vendor allows; null for any number
 * @param problemsOf finds why the changed source could not be synced; called when it would read other rows
 * @throws ApiError 404; 422 for these problems; 409 for another version, or a source whose connection was deleted
 */
export const update = (
  caller: Caller,
  id: string,
  { status, ...changes }: SourceChanges,
  callsPerDayOf: (vendor: StoredSource['vendor']) => number | null,
  problemsOf: (source: StoredSource) => Promise<Problem[]>,
  expectedVersion?: number,
): Promise<Source> =>
  change(caller, async (work) => {
    const { source: current, state } = await readSource(work, id, false);
    expectVersion(sourceRecords.noun, current, expectedVersion);
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const next: StoredSource = {
      ...current,
      ...given,
      ...(status !== undefined && { is_paused: status === 'paused' }),
    };
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: toSource({ source: current, state }) };
    if (current.is_paused && !next.is_paused) {
      const connection = await getRow(work, connectionRecords.key(work, current.connection_id));
      if (!isLiveConnection(connection)) throw errors.connectionDeleted();
    }
    if (READING.some((field) => !isDeepStrictEqual(current[field], next[field]))) {
      const problems = await problemsOf(next);
      if (problems.length > 0) throw errors.validationFailed(problems);
    }
    const updated = nextVersion(work, current, next);
    const moved = nextState(work, current, next, state, callsPerDayOf(next.vendor));
    const shown = toSource({ source: updated, state: { ...state, ...moved } });
    return {
      writes: [
        write.replace({ ...updated, ...sourceRecords.key(work, id) }, current.version),
        ...(Object.keys(moved).length > 0 ? [changeState(work, state, moved)] : []),
        noteActivity(
          work,
          'source.updated',
          subjectOf(updated),
          `The source ${JSON.stringify(updated.name)} was changed.`,
        ),
        emit(work, 'source.updated', shown),
      ],
      reply: shown,
    };
  });

/**
 * Deletes a source. A worker turns the resources that it has brought into local ones.
 * @throws ApiError 404; 409 for another version
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const { source, state } = await readSource(work, id, false);
    expectVersion(sourceRecords.noun, source, expectedVersion);
    return {
      writes: [
        write.remove(sourceRecords.key(work, id), source.version),
        write.remove(keys.sourceState(work, id), state.version),
        ...(source.target_ref === 'response_sets' ? [write.drop(keys.syncedList(work, id))] : []),
        noteActivity(
          work,
          'source.deleted',
          subjectOf(source),
          `The source ${JSON.stringify(source.name)} was deleted.`,
        ),
        emit(work, 'source.deleted', toSource({ source, state })),
        enqueue(work, 'sync', { what: 'detach', source_id: id, target_ref: source.target_ref }),
      ],
      reply: null,
    };
  });

const toSourceRow = (item: SyncedItem): SourceRow =>
  present(SourceRow, item, {
    // An option has no resource of its own.
    resource_id: item.option ? null : item.resource_id,
    option: item.option ?? null,
  });

/** The rows that a source has brought, in the order of their keys. @throws ApiError 404 */
export const listSourceRows = (
  caller: Caller,
  sourceId: string,
  query: SourceRowQuery,
): Promise<Listing<SourceRow>> => {
  const { is_active } = query;
  return listRows(
    caller,
    `ROW ${sourceId}`,
    query,
    {
      ...keys.parts(caller, 'SOURCE', sourceId, 'ROW'),
      where: { is_active: is_active === undefined ? undefined : [is_active] },
    },
    toSourceRow,
    () => readSource(caller, sourceId, false),
  );
};
