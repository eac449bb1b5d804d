import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import type { Candidate, CandidateChanges, CandidateQuery } from '../../schemas/integrations/directory.ts';
import { edit } from '../table/collection.ts';
import type { StoredCandidate } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { getRow, queryRows, withRows } from '../table/rows.ts';
import { candidateRecords, toCandidate } from './targets/candidates.ts';
import { membersByEmail } from './targets/lookups.ts';

/**
 * The member who matches a candidate. It follows from the members as they are, so that nobody has to match anew when
 * somebody is invited, leaves or changes an address.
 */
const matchIn = (members: ReadonlyMap<string, string>, { email }: StoredCandidate): string | null =>
  (email && members.get(fold(email))) || null;

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
  const stored = await edit(candidateRecords, caller, id, expectedVersion, (current) => ({
    next: status === undefined ? current : { ...current, is_ignored: status === 'ignored' },
  }));
  const state = await getRow(caller, keys.sourceState(caller, stored.source_id));
  return toCandidate(stored, state, matchIn(await membersByEmail(caller), stored));
};
