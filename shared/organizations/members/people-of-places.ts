import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import type { LocationPerson } from '../../schemas/location.ts';
import { reference, resolve } from '../../table/references.ts';
import { getRows } from '../../table/rows.ts';
import * as members from './members.ts';

/* The people of locations and regions: members who look after them. */

/** @throws ApiError 400 naming the first of these people who is not an active member */
export const checkPeople = async (caller: Caller, people: readonly LocationPerson[]): Promise<void> => {
  const references = people.map(({ user_id }, position) =>
    reference(caller, `people.${position}.user_id`, 'MEMBER', user_id),
  );
  const found = await resolve(caller, references);
  for (const [position, member] of found.entries()) members.expectActive(references[position]!.field, member);
};

/** The user ids of people by their roles, which are folded. */
export type PeopleByRole = ReadonlyMap<string, readonly string[]>;

/**
 * The active members among people who look after a location or region, and after those above it. A role is that of the
 * nearest one that has somebody for it. One call for each hundred people, or none.
 * @param lists the people of each, the nearest first
 */
export const activeByRole = async (
  caller: Caller,
  lists: readonly (readonly LocationPerson[])[],
): Promise<PeopleByRole> => {
  const ids = [...new Set(lists.flat().map(({ user_id }) => user_id))];
  const rows = await getRows(
    caller,
    ids.map((id) => members.key(caller, id)),
  );
  const active = new Set(ids.filter((_, position) => rows[position]?.status === 'active'));
  const found = new Map<string, readonly string[]>();
  for (const people of lists) {
    const present = people.filter(({ user_id }) => active.has(user_id));
    for (const [role, some] of Map.groupBy(present, (person) => fold(person.role)))
      if (!found.has(role))
        found.set(
          role,
          some.map(({ user_id }) => user_id),
        );
  }
  return found;
};
