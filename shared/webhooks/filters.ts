import type { Caller } from '../base/caller.ts';
import { locationRecords } from '../places/locations/records.ts';
import { locationsAboveAll } from '../places/locations/tree.ts';
import type { NewWebhook, WebhookFilter } from '../schemas/webhook.ts';
import type { StoredEvent } from '../table/entities/machinery.ts';
import type { StoredWebhook } from '../table/entities/webhooks.ts';
import { standingFor } from '../table/former-locations.ts';
import { eventData } from '../table/outbox/outbox.ts';
import { reference, resolve } from '../table/references.ts';
import { getRows } from '../table/rows.ts';

/** The fields of an event that filters ask for. */
export const FILTERED_FIELDS = ['sequence', 'type', 'body', 'about'] as const;
type FilteredEvent = Pick<StoredEvent, (typeof FILTERED_FIELDS)[number]>;

/** A filter as it is stored; null for one that names nothing. */
export const wholeFilter = (given: NewWebhook['filter'] | undefined): WebhookFilter | null => {
  const { template_family_id = null, location_id = null, client_account_id = null } = given ?? {};
  const names = [template_family_id, location_id, client_account_id];
  return names.every((id) => id === null) ? null : { template_family_id, location_id, client_account_id };
};

/**
 * One call, if the filter names something anew. What it has named before may have been deleted since, which must not
 * keep anyone from changing the rest.
 * @throws ApiError 400 for what the organization does not have
 */
export const checkFilter = async (
  caller: Caller,
  filter: WebhookFilter | null | undefined,
  before: WebhookFilter | null | undefined,
): Promise<void> => {
  const added = (name: keyof WebhookFilter) =>
    filter?.[name] === before?.[name] ? undefined : filter?.[name];
  await resolve(caller, [
    reference(caller, 'filter.template_family_id', 'FAMILY', added('template_family_id')),
    reference(caller, 'filter.location_id', 'LOCATION', added('location_id')),
    reference(caller, 'filter.client_account_id', 'CLIENT', added('client_account_id')),
  ]);
};

/** What filters ask of an event. */
interface Subject {
  families: Set<unknown>;
  clients: Set<unknown>;
  locations: Set<string>;
}

const isId = (value: unknown): value is string => typeof value === 'string';

/** What an event is about: what its data names, and what stands beside the data where this does not tell it. */
const subjectOf = ({ type, body, about }: FilteredEvent): Subject => {
  const data = eventData({ type, body }) as unknown as Record<string, unknown>;
  const group = type.split('.')[0];
  const own = (name: string) => (group === name ? data['id'] : undefined);
  const { template_family_id, family_id = own('template'), client_account_id, location_ids } = data;
  const within = (data['places'] as { within?: unknown } | null | undefined)?.within;
  const isPlace = group === 'location';
  const location = data['location_id'] ?? about?.location_id;
  return {
    families: new Set([template_family_id ?? family_id ?? about?.template_family_id].filter(isId)),
    clients: new Set([own('client_account') ?? client_account_id ?? about?.client_account_id].filter(isId)),
    // A location that was deleted has no row any more that says where it was.
    locations: new Set(
      [
        own('location'),
        isPlace ? data['parent_id'] : undefined,
        location,
        within,
        ...(Array.isArray(location_ids) ? location_ids : []),
      ].filter(isId),
    ),
  };
};

/** Where a location is: the one that stands for it, and those above; and whose it is. */
interface Standing {
  id: string;
  within: Set<string>;
  client_account_id: string | null;
}

/** Where these locations are now, by their ids, without those that were deleted. Two calls in most cases, none without any. */
const standings = async (caller: Caller, ids: readonly string[]): Promise<Map<string, Standing>> => {
  const rows = await getRows(
    caller,
    ids.map((id) => locationRecords.key(caller, id)),
  );
  const standing = await Promise.all(rows.map((row) => standingFor(caller, row)));
  const present = standing.filter((row) => row !== undefined);
  const above = await locationsAboveAll(caller, present);
  return new Map(
    ids.flatMap((id, position) => {
      const row = standing[position];
      if (!row) return [];
      const within = new Set([row.id, ...above.get(row.id)!.map((each) => each.id)]);
      return [[id, { id: row.id, within, client_account_id: row.client_account_id }] as const];
    }),
  );
};

type Filtered = Pick<StoredWebhook, 'filter'>;

/** Reads what the filters of some endpoints ask for. @returns whether the filter of one of them lets an event pass */
export type Filters = (
  webhooks: readonly Filtered[],
) => Promise<(webhook: Filtered, event: Pick<StoredEvent, 'sequence'>) => boolean>;

/**
 * The filters of endpoints on some events. What they ask for is read once for all endpoints, and only if one of them has
 * a filter: the data of the events, and where their locations are now. A location that was merged into another one
 * counts as that one, in a filter as well as in an event.
 * @param read the events, with their data if an endpoint has a filter
 */
export const filtersOn = (
  caller: Caller,
  read: () => Iterable<FilteredEvent> | AsyncIterable<FilteredEvent>,
): Filters => {
  let subjects: Map<number, Subject> | undefined;
  const known = new Map<string, Standing | undefined>();
  const learn = async (ids: Iterable<string>): Promise<void> => {
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    const found = await standings(caller, unknown);
    for (const id of unknown) known.set(id, found.get(id));
  };
  return async (webhooks) => {
    const filters = webhooks.flatMap(({ filter }) => filter ?? []);
    if (filters.length === 0) return ({ filter }) => !filter;
    subjects ??= new Map(
      (await Array.fromAsync(read())).map((event) => [event.sequence, subjectOf(event)] as const),
    );
    const asked = filters.flatMap(({ location_id }) => location_id ?? []);
    const isClientAsked = filters.some(({ client_account_id }) => client_account_id !== null);
    const placed = [...subjects.values()].filter(
      ({ clients }) => asked.length > 0 || (isClientAsked && clients.size === 0),
    );
    await learn([...asked, ...placed.flatMap(({ locations }) => [...locations])]);
    const isWithin = (top: string, id: string): boolean =>
      id === top || known.get(id)?.within.has(known.get(top)?.id ?? top) === true;
    const isOf = (client: string, { clients, locations }: Subject): boolean =>
      clients.size > 0
        ? clients.has(client)
        : [...locations].some((id) => known.get(id)?.client_account_id === client);
    return ({ filter }, { sequence }) => {
      if (!filter) return true;
      const subject = subjects!.get(sequence);
      if (!subject) return false;
      const { template_family_id, location_id, client_account_id } = filter;
      return (
        (template_family_id === null || subject.families.has(template_family_id)) &&
        (location_id === null || [...subject.locations].some((id) => isWithin(location_id, id))) &&
        (client_account_id === null || isOf(client_account_id, subject))
      );
    };
  };
};
