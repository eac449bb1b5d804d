import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { fold, withinBytes } from '../../base/fold.ts';
import { Location } from '../../schemas/location.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { collection } from '../table/collection.ts';
import type { StoredLocation } from '../table/entities.ts';
import { type Key, keys, shardOf } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { moveReservation } from '../table/unique.ts';
import { use } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

export const KIND = 'LOCATION';
export const EXTERNAL_REF = 'external_ref of locations';

/** The event of a change of a location. */
export const locationEvent = (
  caller: Caller,
  what: 'created' | 'updated' | 'deleted',
  location: StoredLocation,
): Write => emit(caller, `location.${what}`, toLocation(location));

export const locationRecords = collection(KIND, 'location');

/** A location as it is sent to clients. */
export const toLocation = (location: Location): Presented<Location> => present(Location, location);

/** @throws ApiError 409 for a location that only its source may delete */
export const expectLocal = ({ source }: Location): void => {
  if (source === 'synced') throw errors.locationSynced();
};

/** Bytes of a name in a sort key: DynamoDB's limit for sort keys, less the separator and the id. */
const MAX_NAME_BYTES = 1_024 - 1 - 36;

/** Sorts by name, equal names by id. The separator sorts before every character that a name may contain. */
const sortKey = ({ name, id }: Location): string => `${withinBytes(fold(name), MAX_NAME_BYTES)}\u0001${id}`;

/** The keys of a location's copies, which lists read: in the list of all, and in that of its client account. */
const copyKeys = (caller: Caller, location: Location): Key<Location>[] => [
  { pk: keys.locationsByName(caller), sk: sortKey(location) },
  ...(location.client_account_id
    ? [{ pk: keys.locationsByName(caller, location.client_account_id), sk: sortKey(location) }]
    : []),
];

/** The fields that decide a location's position in its lists, and whether filters select it. */
const LISTED_BY = ['name', 'status', 'source'] as const;

/**
 * The writes of the rows that depend on a location: its copies, the counter of list changes, the uses of its client
 * account and parent, and its external_ref.
 */
export const dependentWrites = (
  caller: Caller,
  before: StoredLocation | undefined,
  after: StoredLocation | undefined,
): Write[] => {
  const { id, client_account_id } = (after ?? before)!;
  const oldCopies = before ? copyKeys(caller, before) : [];
  const newCopies = after ? copyKeys(caller, after) : [];
  const isListChanged = !before || !after || LISTED_BY.some((field) => before[field] !== after[field]);
  const isParentChanged = before?.parent_id !== after?.parent_id;
  return [
    ...oldCopies.filter(({ sk }) => sk !== newCopies[0]?.sk).map((key) => write.drop(key)),
    ...newCopies.map((key) => write.put({ ...toLocation(after!), ...key })),
    ...(isListChanged
      ? [write.update(keys.counter(caller, KIND, shardOf(id)), { add: { changes: 1 } })]
      : []),
    // A location never changes its client account.
    ...(client_account_id && !(before && after)
      ? [use(caller, 'CLIENT', client_account_id, id, { locations: after ? 1 : -1 }, 'client_account_id')]
      : []),
    ...(isParentChanged && before?.parent_id
      ? [use(caller, KIND, before.parent_id, id, { locations: -1 }, 'parent_id')]
      : []),
    ...(isParentChanged && after?.parent_id
      ? [use(caller, KIND, after.parent_id, id, { locations: 1 }, 'parent_id')]
      : []),
    ...moveReservation(caller, EXTERNAL_REF, before?.external_ref, after?.external_ref, id),
  ];
};
