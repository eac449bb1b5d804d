import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { fold, withinBytes } from '../../base/text.ts';
import { labelsOf } from '../../domain/labels.ts';
import type { NamedPlace } from '../../schemas/common.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { type ListedLocation, Location, LocationEventData } from '../../schemas/location.ts';
import { present, type Presented, projectionOf } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection } from '../../table/collection.ts';
import type { StoredLocation } from '../../table/entities/organization.ts';
import type { StoredSchedule } from '../../table/entities/schedules.ts';
import { refusalOf } from '../../table/former-locations.ts';
import { type Key, keys, shardOf } from '../../table/keys.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import { queryRows, type Row, withRows } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';

export const KIND = 'LOCATION';
export const EXTERNAL_REF = 'external_ref of locations';

/** Bytes of a name in a sort key: DynamoDB's limit for sort keys, less the separator and the id. */
const MAX_NAME_BYTES = 1_024 - 1 - 36;

/** The sort key of a name. The separator behind it sorts before every character that a name may contain. */
const nameKey = (name: string): string => withinBytes(fold(name), MAX_NAME_BYTES);

/** Where a location stands in lists that are in the order of names. */
export const positionByName = ({ id, name }: Pick<Location, 'id' | 'name'>): string =>
  `${nameKey(name)}\u0001${id}`;

/** What lists keep of a location. */
const listed = (location: StoredLocation): ListedLocation =>
  projectionOf(LocationEventData)(location) as ListedLocation;

/** What lists find the locations of a region by. */
export const regionLabel = (id: string): string => `region ${id}`;

/** Locations, and what follows from each: its copies, which lists read in the order of names. */
export const locationRecords = collection(KIND, 'location', {
  uses: {
    as: 'locations',
    fields: { client_account_id: 'CLIENT', parent_id: KIND, region_id: 'REGION' },
  },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  listed: {
    in: (caller, id) => keys.counter(caller, 'LOCATION', shardOf(id)),
    by: [
      'name',
      'status',
      'source',
      'kind',
      'parent_id',
      'region_id',
      'address',
      'external_ref',
      'tags',
      'metadata',
    ],
  },
  followers: [
    {
      what: 'location by name',
      row: keys.locationByName,
      at: ({ id, name, merged_into }) => (merged_into ? [] : [[nameKey(name), id]]),
      holds: (_, location) => listed(location),
    },
    {
      what: 'location by name',
      row: keys.clientLocationByName,
      under: 'CLIENT',
      at: ({ id, name, client_account_id, merged_into }) =>
        client_account_id && !merged_into ? [[client_account_id, nameKey(name), id]] : [],
      holds: (_, location) => listed(location),
    },
    {
      what: 'location by label',
      row: keys.locationWith,
      at: (location) =>
        location.merged_into
          ? []
          : [...labelsOf(location), ...(location.region_id ? [regionLabel(location.region_id)] : [])].map(
              (label) => [label, location.id],
            ),
    },
  ],
});

/** @throws ApiError 409 for a location that was merged into another one, and is not followed there */
export const expectUnmerged = ({ merged_into }: Pick<StoredLocation, 'merged_into'>): void => {
  if (merged_into) throw errors.locationMerged(merged_into);
};

/**
 * @throws ApiError for a location that was merged into another one, which `following` follows; 404 when that was deleted
 */
export const expectStanding = async (caller: Caller, location: Row<StoredLocation>): Promise<void> => {
  if (location.merged_into) throw await refusalOf(caller, [location], errors.notFound(locationRecords.noun));
};

/** The event of a change of a location. */
export const locationEvent = (work: Work, what: Happening<'location'>, location: StoredLocation): Write =>
  emit(work, `location.${what}`, present(LocationEventData, location));

/** A location as it is sent to clients. @param path those above it, from the outermost one on */
export const toLocation = (location: ListedLocation, path: readonly NamedPlace[]): Presented<Location> =>
  present(Location, location, { path: path.map(({ id, name }) => ({ id, name })) });

/** Whether a location is inspected. */
export const isActive = ({ status }: Pick<Location, 'status'>): boolean => status === 'active';

/** How long a task waits for the index by which the inspections of a location are found, in seconds. */
const INDEX_LAG = 5;

/** Lets schedules follow a location after a change of its status. */
export const statusTasks = (work: Work, before: StoredLocation, after: StoredLocation): Write[] =>
  isActive(before) === isActive(after)
    ? []
    : [enqueue(work, 'cleanup', { location_id: after.id }, INDEX_LAG)];

/** Whether a schedule names a location itself: neither among many places, nor by a filter that finds it. */
export const isNamedIn = (
  { location_ids, places }: Pick<StoredSchedule, 'location_ids' | 'places'>,
  locationId: string,
): boolean => location_ids.includes(locationId) || places?.within === locationId;

/**
 * The schedules that name a location, in creation order. Two calls for each hundred schedules of which a location has
 * the same shard.
 */
export const schedulesNaming = async function* (
  caller: Caller,
  locationId: string,
): AsyncGenerator<Row<StoredSchedule>> {
  const { partition, prefix } = keys.scheduleByLocation.range(caller, shardOf(locationId));
  const keysOf = ({ sk }: Key): [Key<StoredSchedule>] => [
    keys.one(caller, 'SCHEDULE', sk.slice(prefix.length)),
  ];
  for await (const [, [row]] of withRows(caller, queryRows(caller, { partition, prefix }), keysOf)) {
    if (row && isNamedIn(row, locationId)) yield row;
  }
};

/** @throws ApiError 409 for a location that only its source may delete */
export const expectLocal = ({ source }: Pick<Location, 'source'>): void => {
  if (source === 'synced') throw errors.locationSynced();
};
