import { collection, newResource, nextVersion } from '../../table/collection.ts';
import type { StoredCandidate } from '../../table/entities.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as write from '../../table/writes.ts';
import type { Target } from './target.ts';

export const candidateRecords = collection('CANDIDATE', 'user candidate');

export const candidates: Target<StoredCandidate> = {
  // Its row, an event, and its synced row.
  rowsAtOnce: 30,

  keyOf: candidateRecords.key,

  upsert: async (caller, source, { external_id, values }, standing) => {
    const fields = {
      name: String(values['name']),
      email: String(values['email']),
      position: (values['position'] ?? null) as string | null,
      left_at: null,
    };
    if (standing) {
      const next = nextVersion(standing, fields);
      return {
        writes: [write.replace({ ...next, ...candidateRecords.key(caller, next.id) }, standing.version)],
        resource_id: next.id,
      };
    }
    const candidate: StoredCandidate = newResource({
      source_id: source.id,
      external_id,
      ...fields,
      is_ignored: false,
      first_seen_at: new Date().toISOString(),
    });
    return {
      writes: [write.create({ ...candidate, ...candidateRecords.key(caller, candidate.id) })],
      resource_id: candidate.id,
    };
  },

  deactivate: async (caller, standing, lookups) => {
    if (standing.left_at !== null) return [];
    const next = nextVersion(standing, { left_at: new Date().toISOString() });
    const user_id = (standing.email && (await lookups.member(standing.email))) || null;
    return [
      write.replace({ ...next, ...candidateRecords.key(caller, next.id) }, standing.version),
      emit(caller, 'directory.user.left_source', {
        user_candidate_id: standing.id,
        source_id: standing.source_id,
        user_id,
      }),
    ];
  },

  // It names the source that it came from, for good.
  detach: () => [],
};
