import { v7 as uuidv7 } from 'uuid';
import type { SyncedOption } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import * as write from '../../table/writes.ts';
import type { Target } from './target.ts';

/** Options of organization-wide lists. They have no row of their own: what came from the source is all there is. */
export const options: Target<never> = {
  rowsAtOnce: 90,

  keyOf: () => undefined,

  upsert: async (_work, _source, { external_id, values }) => {
    const option: SyncedOption = {
      label: String(values['label']),
      value: String(values['value'] ?? external_id),
      color: (values['color'] ?? null) as string | null,
      score: (values['score'] ?? null) as number | null,
      is_failed: values['is_failed'] === true,
    };
    return { writes: [], resource_id: uuidv7(), option };
  },

  writtenWith: (work, sourceId) => [write.put({ ...keys.syncedList(work, sourceId), changed_at: work.now })],

  deactivate: async () => [],

  detach: () => [],
};
