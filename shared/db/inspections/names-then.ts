import { pick } from '../../base/fields.ts';
import { pathOf } from '../locations/locations.ts';
import type { Work } from '../table/change.ts';
import type { NamesThen, StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { getRows } from '../table/rows.ts';

/** What decides which names an inspection keeps. */
type Naming = Pick<StoredInspection, 'client_account_id' | 'location_id' | 'participants' | 'approver_id'>;

/**
 * What an inspection names, as it is named now: its client, its location, and the people with a part. A completed
 * inspection keeps it. One call, and those of `pathOf`.
 * @param kept what it has kept already. A correction may let it name something else, and goes back to it when it is
 *   discarded.
 */
export const namesNow = async (
  work: Work,
  { client_account_id, location_id, participants, approver_id }: Naming,
  kept: NamesThen = { clients: {}, locations: {}, people: {} },
): Promise<NamesThen> => {
  const people = new Set([work.user_id, ...participants.map(({ user_id }) => user_id)]);
  if (approver_id !== null) people.add(approver_id);
  const [client, location, ...members] = await getRows(work, [
    client_account_id === null ? undefined : keys.one(work, 'CLIENT', client_account_id),
    location_id === null ? undefined : keys.one(work, 'LOCATION', location_id),
    ...Array.from(people, (id) => keys.one(work, 'MEMBER', id)),
  ]);
  return {
    clients: { ...(client && { [client.id]: pick(client, ['name', 'external_ref']) }), ...kept.clients },
    locations: {
      ...(location && {
        [location.id]: {
          ...pick(location, ['name', 'address', 'lat', 'lng', 'timezone', 'external_ref']),
          path: (await pathOf(work, location)).slice(0, -1),
        },
      }),
      ...kept.locations,
    },
    people: {
      ...Object.fromEntries(members.flatMap((member) => (member ? [[member.user_id, member.name]] : []))),
      ...kept.people,
    },
  };
};
