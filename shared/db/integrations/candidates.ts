import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/fold.ts';
import type { Candidate, CandidateChanges, CandidateQuery } from '../../schemas/integrations/directory.ts';
import type { SourceState, StoredCandidate } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { getRow, queryRows, withoutKeys, withRows } from '../table/rows.ts';
import { candidateRecords } from './targets/candidates.ts';
import { membersByEmail } from './targets/lookups.ts';

/**
 * A candidate as it is now. Who matches follows from the members as they are, so that nobody has to match anew when
 * somebody is invited, leaves or changes an address.
 */
const toCandidate = (
  { is_ignored, left_at, ...stored }: StoredCandidate,
  state: Pick<SourceState, 'last_synced_at'> | undefined,
  members: ReadonlyMap<string, string>,
): Candidate => {
  const matched_user_id = (stored.email && members.get(fold(stored.email))) || null;
  const status = left_at
    ? ('left_source' as const)
    : is_ignored
      ? ('ignored' as const)
      : matched_user_id
        ? ('linked' as const)
        : ('new' as const);
  return {
    ...stored,
    status,
    matched_user_id,
    last_seen_at: left_at ?? state?.last_synced_at ?? stored.first_seen_at,
  };
};

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
    const candidate = toCandidate(withoutKeys(row), state, members);
    if (!status || status.includes(candidate.status)) yield candidate;
  }
};

/** In the order in which they were first seen. */
export const list = (caller: Caller, query: CandidateQuery): Promise<Listing<Candidate>> =>
  listing(
    caller,
    'CANDIDATE',
    query,
    candidatesOf(caller, query),
    ({ id }) => id,
    (candidate) => candidate,
  );

/** @throws ApiError 404; 409 for another version */
export const update = async (
  caller: Caller,
  id: string,
  { status }: CandidateChanges,
  expectedVersion?: number,
): Promise<Candidate> => {
  const stored = await candidateRecords.edit(caller, id, expectedVersion, (current) => ({
    next: status === undefined ? current : { ...current, is_ignored: status === 'ignored' },
  }));
  const state = await getRow(caller, keys.sourceState(caller, stored.source_id));
  return toCandidate(stored, state, await membersByEmail(caller));
};
