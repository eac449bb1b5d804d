import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import { pathOf } from '../../places/locations/tree.ts';
import type { ClosedNames } from '../../schemas/closed-names.ts';
import type { Work } from '../../table/change.ts';
import type {
  NamesThen,
  StoredAction,
  StoredFinding,
  StoredInspection,
} from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { getRows, readRows } from '../../table/rows.ts';

/** What something names. */
interface Named {
  client_account_id: string | null;
  location_id: string | null;
  /** User ids. */
  people: readonly (string | null)[];
}

/**
 * What this and the caller are named now. One call, and those of `pathOf`. What does not exist is left out.
 */
export const namesOf = async (
  work: Work,
  { client_account_id, location_id, people }: Named,
): Promise<ClosedNames> => {
  const userIds = new Set([work.user_id, ...people].filter((id) => id !== null && id !== ''));
  const [client, location, ...members] = await getRows(work, [
    client_account_id === null ? undefined : keys.one(work, 'CLIENT', client_account_id),
    location_id === null ? undefined : keys.one(work, 'LOCATION', location_id),
    ...Array.from(userIds, (id) => keys.one(work, 'MEMBER', id!)),
  ]);
  return {
    client: client ? pick(client, ['id', 'name', 'external_ref']) : null,
    location: location
      ? {
          ...pick(location, ['id', 'name', 'external_ref', 'address', 'lat', 'lng', 'timezone']),
          path: (await pathOf(work, location)).slice(0, -1),
        }
      : null,
    people: members.flatMap((member) => (member ? [pick(member, ['user_id', 'name'])] : [])),
  };
};

/** What an inspection names. */
type InspectionNaming = Pick<
  StoredInspection,
  'client_account_id' | 'location_id' | 'participants' | 'approver_id'
>;

/**
 * What an inspection names, as it is named now: its client, its location, and the people with a part. A completed
 * inspection keeps it. Calls: as `namesOf`.
 * @param kept what it has kept already. A correction may let it name something else, and goes back to it when it is
 *   discarded.
 */
export const namesNow = async (
  work: Work,
  { client_account_id, location_id, participants, approver_id }: InspectionNaming,
  kept: NamesThen = { clients: {}, locations: {}, people: {} },
): Promise<NamesThen> => {
  const { client, location, people } = await namesOf(work, {
    client_account_id,
    location_id,
    people: [...participants.map(({ user_id }) => user_id), approver_id],
  });
  return {
    clients: { ...(client && { [client.id]: client }), ...kept.clients },
    locations: { ...(location && { [location.id]: location }), ...kept.locations },
    people: { ...Object.fromEntries(people.map(({ user_id, name }) => [user_id, name])), ...kept.people },
  };
};

type Surroundings = Pick<StoredInspection, 'client_account_id' | 'location_id'>;

/** What a finding that is being resolved names. */
export const namesOfFinding = (
  work: Work,
  { client_account_id, location_id }: Surroundings,
  finding: Pick<StoredFinding, 'location_id' | 'created_by'>,
): Promise<ClosedNames> =>
  namesOf(work, {
    client_account_id,
    location_id: finding.location_id ?? location_id,
    people: [finding.created_by],
  });

/** What an action that is being closed names. */
export const namesOfAction = (
  work: Work,
  { client_account_id, location_id }: Surroundings,
  action: Pick<StoredAction, 'location_id' | 'created_by' | 'assignee_id' | 'completed_by'>,
): Promise<ClosedNames> =>
  namesOf(work, {
    client_account_id,
    location_id: action.location_id ?? location_id,
    people: [action.created_by, action.assignee_id, action.completed_by],
  });

interface Closed {
  names_then?: ClosedNames | null;
}

const keysOf = (caller: Caller, { client, location, people }: ClosedNames) =>
  [
    client ? keys.one(caller, 'CLIENT', client.id) : undefined,
    location ? keys.one(caller, 'LOCATION', location.id) : undefined,
    ...people.map(({ user_id }) => keys.one(caller, 'MEMBER', user_id)),
  ] as const;

/**
 * Rows that are only shown, each with the present names beside those that it has kept. One call per 100 names; none
 * where no row has kept any.
 */
export const withCurrentNames = async <Row extends Closed>(
  caller: Caller,
  rows: readonly Row[],
): Promise<Row[]> => {
  const wanted = rows.flatMap(({ names_then }) => (names_then ? keysOf(caller, names_then) : []));
  if (wanted.length === 0) return [...rows];
  const rowsOf = await readRows(caller, wanted);
  return rows.map((row) => {
    if (!row.names_then) return row;
    const { client, location, people } = row.names_then;
    const [presentClient, presentLocation, ...members] = rowsOf(keysOf(caller, row.names_then));
    const names_then: ClosedNames = {
      client: client && { ...client, current_name: presentClient?.name ?? null },
      location: location && { ...location, current_name: presentLocation?.name ?? null },
      people: people.map((person, position) => ({
        ...person,
        current_name: members[position]?.name ?? null,
      })),
    };
    return { ...row, names_then };
  });
};

/** Rows of a list whose present names are read together. */
const READ_TOGETHER = 25;

/**
 * The same for the rows of a list.
 * @param count the number of rows at most that are needed, where it is known
 */
export const listWithCurrentNames = async function* <Row extends Closed>(
  caller: Caller,
  rows: AsyncIterable<Row>,
  count = READ_TOGETHER,
): AsyncGenerator<Row> {
  let batch: Row[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < Math.min(count, READ_TOGETHER)) continue;
    yield* await withCurrentNames(caller, batch);
    batch = [];
  }
  yield* await withCurrentNames(caller, batch);
};
