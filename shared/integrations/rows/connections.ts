import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { noticesOf } from '../../domain/notifications/notices.ts';
import { noticeWrites } from '../../notices/notify.ts';
import { adminsOf } from '../../organizations/members/members.ts';
import type { Connection } from '../../schemas/integrations/connection.ts';
import type { IntegrationProblem } from '../../schemas/integrations/run.ts';
import type { VendorAccount, VendorId } from '../../schemas/integrations/vendor.ts';
import { audit } from '../../table/audit.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion, nextVersion } from '../../table/collection.ts';
import { exists } from '../../table/conditions.ts';
import type { StoredConnection, StoredSource } from '../../table/entities/integrations.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import { countRows, getRow, queryRows, withoutKeys } from '../../table/rows.ts';
import { writeRow } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import {
  connectionRecords,
  getConnection,
  isLiveConnection,
  noteActivity,
  sourceRecords,
  toConnection,
} from './records.ts';

/** Connections of one organization, including deleted ones. */
const MAX_CONNECTIONS = 200;

/** Sources of one connection. One transaction must be able to pause all of them. */
export const MAX_SOURCES = 40;

/** The vendor's answer about a credential. */
export interface Verification {
  /** Null when the vendor refuses the credential. */
  account: VendorAccount | null;
  problem: IntegrationProblem | null;
}

/** A credential as it is stored. */
export interface SealedCredential {
  /** Encrypted. */
  credential: string;
  credential_hint: string;
}

const countSources = (caller: Caller, id: string): Promise<number> =>
  countRows(caller, {
    partition: keys.all(caller, 'SOURCE'),
    where: { connection_id: [id] },
  });

const verified = ({ account, problem }: Verification, now: string) => ({
  status: account ? ('active' as const) : ('error' as const),
  last_error: problem,
  ...(account && { account, last_verified_at: now }),
});

const subjectOf = ({ id, vendor }: Pick<StoredConnection, 'id' | 'vendor'>) => ({
  vendor,
  connection_id: id,
});

const verificationActivity = (work: Work, connection: StoredConnection): Write =>
  connection.status === 'active'
    ? noteActivity(work, 'connection.verified', subjectOf(connection), 'The vendor accepts the credential.')
    : noteActivity(work, 'connection.failed', subjectOf(connection), 'The vendor refuses the credential.');

/** @throws ApiError 409 for too many connections */
export const create = async (
  caller: Caller,
  fields: SealedCredential & { id: string; vendor: VendorId; title: string; api_version: string },
  verification: Verification,
): Promise<Connection> => {
  const count = await countRows(caller, { partition: keys.all(caller, 'CONNECTION') });
  if (count >= MAX_CONNECTIONS) throw errors.tooManyConnections(MAX_CONNECTIONS);
  return change(caller, (work) => {
    const { now } = work;
    const connection: StoredConnection = {
      ...fields,
      account: null,
      last_verified_at: null,
      ...verified(verification, now),
      created_by: work.user_id,
      version: 1,
      created_at: now,
      updated_at: now,
    };
    const title = JSON.stringify(connection.title);
    const shown = toConnection(connection, 0);
    return {
      writes: [
        write.create({ ...connectionRecords.key(work, connection.id), ...connection }),
        noteActivity(
          work,
          'connection.created',
          subjectOf(connection),
          `The connection ${title} was created.`,
        ),
        verificationActivity(work, connection),
        audit(work, 'connection.created', connection.id),
        emit(work, 'connection.created', shown),
      ],
      reply: shown,
    };
  });
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Connection> => {
  const connection = await getConnection(caller, id);
  return toConnection(connection, await countSources(caller, id));
};

/** The connections whose credential the vendor refuses. One call: the number of connections has a maximum. */
export const failing = async function* (caller: Caller): AsyncGenerator<Connection> {
  const rows = queryRows(caller, { partition: keys.all(caller, 'CONNECTION'), where: { status: ['error'] } });
  for await (const row of rows) if (isLiveConnection(row)) yield toConnection(row, 0);
};

/** All connections that are not deleted, in creation order. */
export const all = (caller: Caller) =>
  queryRows(caller, { partition: keys.all(caller, 'CONNECTION'), where: { status: ['active', 'error'] } });

/** Notes that a connection has no credential that its vendor could accept. @param credential encrypted */
export const awaitCredential = async (caller: Caller, id: string, credential: string): Promise<void> => {
  const message = 'The organization was imported. Give the connection its credential again.';
  const last_error = { code: 'credential_missing', message, at: new Date().toISOString() };
  const set = { credential, status: 'error', last_error };
  await writeRow(caller, write.update(connectionRecords.key(caller, id), { set }, exists));
};

/** In creation order. */
export const list = async (caller: Caller, query: ListQuery): Promise<Listing<Connection>> => {
  const counts = new Map<string, number>();
  for await (const { connection_id } of queryRows(caller, {
    partition: keys.all(caller, 'SOURCE'),
    only: ['connection_id'],
  })) {
    counts.set(connection_id, (counts.get(connection_id) ?? 0) + 1);
  }
  return listRows(
    caller,
    'CONNECTION',
    query,
    { partition: keys.all(caller, 'CONNECTION'), where: { status: ['active', 'error'] } },
    (row) => toConnection(row, counts.get(row.id) ?? 0),
  );
};

/**
 * Changes the title or the credential of a connection.
 * @param rotation a new credential, and the vendor's answer about it
 * @throws ApiError 404; 409 for another version
 */
export const update = (
  caller: Caller,
  id: string,
  { title }: { title?: string | undefined },
  rotation: (SealedCredential & { verification: Verification }) | undefined,
  expectedVersion?: number,
): Promise<Connection> =>
  change(caller, async (work) => {
    const row = await getConnection(work, id);
    expectVersion(connectionRecords.noun, row, expectedVersion);
    const current: StoredConnection = withoutKeys(row);
    const sources = await countSources(work, id);
    if (!rotation && (title === undefined || title === current.title)) {
      return { writes: [], reply: toConnection(current, sources) };
    }
    const next = nextVersion(work, current, {
      ...(title !== undefined && { title }),
      ...(rotation && {
        credential: rotation.credential,
        credential_hint: rotation.credential_hint,
        ...verified(rotation.verification, work.now),
      }),
    });
    const shown = toConnection(next, sources);
    return {
      writes: [
        write.replace({ ...next, ...connectionRecords.key(work, id) }, current.version),
        ...(rotation
          ? [
              noteActivity(work, 'connection.rotated', subjectOf(next), 'The credential was replaced.'),
              verificationActivity(work, next),
              audit(work, 'connection.rotated', id),
            ]
          : []),
        emit(work, 'connection.updated', shown),
      ],
      reply: shown,
    };
  });

/** The sources of a connection. */
const sourcesOf = (caller: Caller, id: string) =>
  Array.fromAsync(
    queryRows(caller, { partition: keys.all(caller, 'SOURCE'), where: { connection_id: [id] } }),
    withoutKeys,
  );

/**
 * Deletes a connection: its credential is wiped, and its sources are paused for ever. A worker turns the resources that
 * they have brought into local ones.
 * @throws ApiError 404; 409 for another version
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const row = await getConnection(work, id);
    expectVersion(connectionRecords.noun, row, expectedVersion);
    const current: StoredConnection = withoutKeys(row);
    const sources = await sourcesOf(work, id);
    const next = nextVersion(work, current, { status: 'deleted', credential: null, credential_hint: '' });
    return {
      writes: [
        write.replace({ ...next, ...connectionRecords.key(work, id) }, current.version),
        ...sources.flatMap((source) => [
          write.replace(
            { ...nextVersion(work, source, { is_paused: true }), ...sourceRecords.key(work, source.id) },
            source.version,
          ),
          // Options are not resources: their list stays with the source.
          ...(source.target_ref === 'response_sets'
            ? []
            : [
                enqueue(work, 'sync', {
                  what: 'detach',
                  source_id: source.id,
                  target_ref: source.target_ref,
                }),
              ]),
        ]),
        noteActivity(
          work,
          'connection.deleted',
          subjectOf(current),
          `The connection ${JSON.stringify(current.title)} was deleted.`,
        ),
        audit(work, 'connection.deleted', id),
        emit(work, 'connection.deleted', toConnection(current, sources.length)),
      ],
      reply: null,
    };
  });

/**
 * The creators of a connection and its sources, and all admins, are told when its credential is refused. No member has
 * caused this, so nobody is left out.
 */
const refusedNotices = async (
  work: Work,
  { id, title, created_by }: StoredConnection,
  sources: readonly StoredSource[],
  problem: IntegrationProblem,
): Promise<Write[]> => {
  const creators = sources.map((source) => source.created_by);
  const user_ids = [created_by, ...creators, ...(await adminsOf(work))];
  return noticeWrites(
    work,
    noticesOf('credentialRefused', { connection: { id, title }, problem, user_ids }, null),
  );
};

/**
 * Notes that the vendor has refused the credential of a connection, and tells its members.
 * @param credential the refused one; nothing happens when another one has replaced it
 * @returns whether the connection still has it
 */
export const noteRefused = (
  caller: Caller,
  id: string,
  credential: string,
  problem: IntegrationProblem,
): Promise<boolean> =>
  change(caller, async (work) => {
    const row = await getRow(work, connectionRecords.key(work, id));
    if (!isLiveConnection(row) || row.credential !== credential) return { writes: [], reply: false };
    if (row.status === 'error') return { writes: [], reply: true };
    const current: StoredConnection = withoutKeys(row);
    const next = nextVersion(work, current, { status: 'error', last_error: problem });
    const sources = await sourcesOf(work, id);
    const notices = await refusedNotices(work, next, sources, problem);
    return {
      writes: [
        write.replace({ ...next, ...connectionRecords.key(work, id) }, current.version),
        verificationActivity(work, next),
        emit(work, 'connection.updated', toConnection(next, sources.length)),
        ...notices,
      ],
      reply: true,
    };
  });

/**
 * Notes the vendor's answer about the credential of a connection, and tells the same people when it is a refusal.
 * @param credential the one that was checked; nothing happens when another one has replaced it
 * @throws ApiError 404
 */
export const noteVerification = (
  caller: Caller,
  id: string,
  credential: string,
  verification: Verification,
): Promise<Connection> =>
  change(caller, async (work) => {
    const row = await getConnection(work, id);
    const current: StoredConnection = withoutKeys(row);
    const sources = await sourcesOf(work, id);
    if (row.credential !== credential) return { writes: [], reply: toConnection(current, sources.length) };
    const next = nextVersion(work, current, verified(verification, work.now));
    const reply = toConnection(next, sources.length);
    const { problem } = verification;
    const notices =
      problem && current.status !== 'error' ? await refusedNotices(work, next, sources, problem) : [];
    return {
      writes: [
        write.replace({ ...next, ...connectionRecords.key(work, id) }, current.version),
        verificationActivity(work, next),
        emit(work, 'connection.updated', reply),
        ...notices,
      ],
      reply,
    };
  });
