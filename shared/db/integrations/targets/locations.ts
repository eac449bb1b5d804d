import type { SyncedRow } from '../../../domain/integrations/synced-row.ts';
import { type Location, NewLocation } from '../../../schemas/location.ts';
import { initialValues } from '../../../schemas/resource.ts';
import { locationRecords } from '../../locations/record.ts';
import type { Work } from '../../table/change.ts';
import { newResource, nextVersion } from '../../table/collection.ts';
import type { StoredLocation } from '../../table/entities.ts';
import * as resource from '../../table/resource.ts';
import type { Write } from '../../table/writes.ts';
import { type Lookups, NOT_SYNCED, RowRefused, syncedFrom, type Target } from './target.ts';

const CLIENT_ACCOUNT = 'client_account';

const MESSAGES = {
  unknown: 'There is no client account with this external_ref or name.',
  ambiguous: 'Several client accounts have this name. Use their external_ref.',
};

/** The client account that a row names; undefined when it has no such field. @throws RowRefused */
const clientOf = async (row: SyncedRow, lookups: Lookups): Promise<string | null | undefined> => {
  const named = row.values[CLIENT_ACCOUNT];
  if (named === undefined || named === null) return named;
  const found = await lookups.clientAccount(String(named));
  if (typeof found === 'string') throw new RowRefused(row, CLIENT_ACCOUNT, found, MESSAGES[found]);
  return found.id;
};

const replacement = (work: Work, before: StoredLocation, fields: Partial<StoredLocation>): Write[] => {
  const after = nextVersion(work, before, fields);
  return resource.replace(locationRecords, work, before, after);
};

export const locations: Target<StoredLocation> = {
  // Its row, two lists and their old places, the counters of the list and of the client account, and its synced row.
  rowsAtOnce: 12,

  keyOf: locationRecords.key,

  upsert: async (work, source, row, standing, wasMissing, lookups) => {
    const client = await clientOf(row, lookups);
    const { [CLIENT_ACCOUNT]: _, ...values } = row.values;
    const fields = {
      // The plan has checked each value by the schema of its field.
      ...(values as Partial<Location>),
      ...syncedFrom(work, source, row, Object.keys(values)),
    };
    if (standing) {
      if (client !== undefined && client !== standing.client_account_id) {
        throw new RowRefused(
          row,
          CLIENT_ACCOUNT,
          'fixed',
          'A location cannot move to another client account.',
        );
      }
      const status = wasMissing ? ({ status: 'active' } as const) : {};
      return { writes: replacement(work, standing, { ...fields, ...status }), resource_id: standing.id };
    }
    const location: StoredLocation = newResource(work, {
      ...initialValues(NewLocation),
      name: '',
      client_account_id: client ?? null,
      lineage: [],
      ...fields,
    });
    return {
      writes: [...resource.create(locationRecords, work, location)],
      resource_id: location.id,
    };
  },

  deactivate: async (work, standing) =>
    standing.status === 'inactive' ? [] : replacement(work, standing, { status: 'inactive' }),

  detach: (work, standing) => replacement(work, standing, { ...NOT_SYNCED, synced_fields: [] }),
};
