import { Candidate } from '../../../schemas/integrations/directory.ts';
import { present, type Presented } from '../../../schemas/projection.ts';
import { collection, newResource, nextVersion } from '../../table/collection.ts';
import type { SourceState, StoredCandidate } from '../../table/entities.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as write from '../../table/writes.ts';
import type { Target } from './target.ts';

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

export const candidates: Target<StoredCandidate> = {
  // Its row, an event, and its synced row.
  rowsAtOnce: 30,

  keyOf: candidateRecords.key,

  upsert: async (work, source, { external_id, values }, standing) => {
    const fields = {
      name: String(values['name']),
      email: String(values['email']),
      position: (values['position'] ?? null) as string | null,
      left_at: null,
    };
    if (standing) {
      const next = nextVersion(work, standing, fields);
      return {
        writes: [write.replace({ ...next, ...candidateRecords.key(work, next.id) }, standing.version)],
        resource_id: next.id,
      };
    }
    const candidate: StoredCandidate = newResource(work, {
      source_id: source.id,
      external_id,
      ...fields,
      is_ignored: false,
      first_seen_at: work.now,
    });
    return {
      writes: [write.create({ ...candidate, ...candidateRecords.key(work, candidate.id) })],
      resource_id: candidate.id,
    };
  },

  deactivate: async (work, standing, lookups) => {
    if (standing.left_at !== null) return [];
    const next = nextVersion(work, standing, { left_at: work.now });
    const matched_user_id = (standing.email && (await lookups.member(standing.email))) || null;
    return [
      write.replace({ ...next, ...candidateRecords.key(work, next.id) }, standing.version),
      // When it was last seen follows from when it left.
      emit(work, 'directory.user.left_source', toCandidate(next, undefined, matched_user_id)),
    ];
  },

  // It names the source that it came from, for good.
  detach: () => [],
};
