import * as errors from '../../base/errors.ts';
import { fold, withinBytes } from '../../base/text.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { Location } from '../../schemas/location.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../table/change.ts';
import { collection } from '../table/collection.ts';
import type { StoredLocation } from '../table/entities/organization.ts';
import { keys, shardOf } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import type { Write } from '../table/writes.ts';

export const KIND = 'LOCATION';
export const EXTERNAL_REF = 'external_ref of locations';

/** Bytes of a name in a sort key: DynamoDB's limit for sort keys, less the separator and the id. */
const MAX_NAME_BYTES = 1_024 - 1 - 36;

/** The sort key of a name. The separator behind it sorts before every character that a name may contain. */
const nameKey = (name: string): string => withinBytes(fold(name), MAX_NAME_BYTES);

/** Locations, and what follows from each: its copies, which lists read in the order of names. */
export const locationRecords = collection(KIND, 'location', {
  uses: { as: 'locations', fields: { client_account_id: 'CLIENT', parent_id: 'LOCATION' } },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  listed: {
    in: (caller, id) => keys.counter(caller, 'LOCATION', shardOf(id)),
    by: ['name', 'status', 'source'],
  },
  followers: [
    {
      what: 'location by name',
      row: keys.locationByName,
      at: ({ id, name }) => [[nameKey(name), id]],
      holds: (_, location) => toLocation(location),
    },
    {
      what: 'location by name',
      row: keys.clientLocationByName,
      under: 'CLIENT',
      at: ({ id, name, client_account_id }) =>
        client_account_id ? [[client_account_id, nameKey(name), id]] : [],
      holds: (_, location) => toLocation(location),
    },
  ],
});

/** The event of a change of a location. */
export const locationEvent = (work: Work, what: Happening<'location'>, location: StoredLocation): Write =>
  emit(work, `location.${what}`, toLocation(location));

/** A location as it is sent to clients. */
export const toLocation = (location: Location): Presented<Location> => present(Location, location);

/** @throws ApiError 409 for a location that only its source may delete */
export const expectLocal = ({ source }: Location): void => {
  if (source === 'synced') throw errors.locationSynced();
};
