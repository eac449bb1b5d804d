import type { Caller } from '../../base/caller.ts';
import { foldedAddress } from '../../base/text.ts';
import {
  Candidate,
  type CandidateChanges,
  type CandidateQuery,
} from '../../schemas/integrations/directory.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { collection, edit } from '../../table/collection.ts';
import type { SourceState, StoredCandidate } from '../../table/entities/integrations.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { getRow, queryRows, withRows } from '../../table/rows.ts';

export const candidateRecords = collection('CANDIDATE', 'user candidate');

const statusOf = (
  { is_ignored, left_at }: StoredCandidate,
  matched_user_id: string | null,
): Candidate['status'] => {
  if (left_at !== null) return 'left_source';
  if (is_ignored) return 'ignored';
  return matched_user_id ? 'linked' : 'new';
};

/** A candidate as it is sent to clients. @param matched_user_id the active member who has the same email address */
export const toCandidate = (
  candidate: StoredCandidate,
  state: Pick<SourceState, 'last_synced_at'> | undefined,
  matched_user_id: string | null,
): Presented<Candidate> =>
  present(Candidate, candidate, {
    status: statusOf(candidate, matched_user_id),
    matched_user_id,
    last_seen_at: candidate.left_at ?? state?.last_synced_at ?? candidate.first_seen_at,
  });

/** The active members by their folded email addresses. One call per megabyte. */
export const membersByEmail = async (caller: Caller): Promise<Map<string, string>> => {
  const byEmail = new Map<string, string>();
  for await (const { user_id, email, status, role } of queryRows(caller, {
    partition: keys.all(caller, 'MEMBER'),
  })) {
    if (email && role !== 'api' && status === 'active') byEmail.set(foldedAddress(email), user_id);
  }
  return byEmail;
};

/**
 * The member who matches a candidate. This is computed from the current members, so nothing must be matched again when
 * a person is invited, leaves or changes their address.
 */
const matchIn = (members: ReadonlyMap<string, string>, { email }: StoredCandidate): string | null =>
  (email && members.get(foldedAddress(email))) || null;

const candidatesOf = async function* (caller: Caller, query: CandidateQuery): AsyncGenerator<Candidate> {
  const { status, source_id } = query;
  const members = await membersByEmail(caller);
  const rows = queryRows(caller, {
    partition: keys.all(caller, 'CANDIDATE'),
    after: readCursor(caller, 'CANDIDATE', query),
    updatedSince: query.updated_since,
    where: { source_id: source_id === undefined ? undefined : [source_id] },
  });
  const stateOf = (row: StoredCandidate) => [keys.sourceState(caller, row.source_id)] as const;
  for await (const [row, [state]] of withRows(caller, rows, stateOf)) {
    const candidate = toCandidate(row, state, matchIn(members, row));
    if (!status || status.includes(candidate.status)) yield candidate;
  }
};

/** Candidates in the order in which they were first seen. */
export const list = (caller: Caller, query: CandidateQuery): Promise<Listing<Candidate>> =>
  listing(
    caller,
    'CANDIDATE',
    query,
    candidatesOf(caller, query),
    ({ id }) => id,
    (candidate) => candidate,
  );

/** Ignores a candidate, or takes that back. @throws ApiError 404; 409 for another version */
export const update = async (
  caller: Caller,
  id: string,
  { status }: CandidateChanges,
  expectedVersion?: number,
): Promise<Candidate> => {
  const stored = await edit(candidateRecords, caller, id, expectedVersion, (current) => ({
    next: status === undefined ? current : { ...current, is_ignored: status === 'ignored' },
  }));
  const state = await getRow(caller, keys.sourceState(caller, stored.source_id));
  return toCandidate(stored, state, matchIn(await membersByEmail(caller), stored));
};
