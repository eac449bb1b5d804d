import type { Caller } from '../base/caller.ts';
import { keys } from '../db/table/keys.ts';
import { getRows, readRows } from '../db/table/rows.ts';
import type { MailItem } from '../domain/notifications/mail-items.ts';

/** Where an inspection or issue is, and when it is due. */
export interface Place {
  client: string | null;
  location: string | null;
  due_at: string | null;
}

/** What a mail says about its events beyond what happened, as it is when the mail is sent. */
export interface Surroundings {
  /** By the id of the inspection or issue. One that was deleted has none. */
  placeOf: ReadonlyMap<string, Place>;
  /** When actions are due, by their ids. */
  dueOf: ReadonlyMap<string, string>;
  /** Names of members, by their user ids. */
  nameOf: ReadonlyMap<string, string>;
}

const unique = <Value>(values: readonly (Value | null)[]): Value[] => [
  ...new Set(values.filter((value) => value !== null)),
];

/** Reads what a mail's items refer to, in two calls of the table for every 100 rows. */
export const surroundingsOf = async (caller: Caller, items: readonly MailItem[]): Promise<Surroundings> => {
  const inspectionIds = unique(items.map(({ inspection }) => inspection?.id ?? null));
  const issueIds = unique(items.map(({ issue }) => issue?.id ?? null));
  const actorIds = unique(items.map(({ actor_id }) => actor_id));
  const actions = items.flatMap(({ event, inspection, entries }) =>
    inspection && event.startsWith('corrective_action_')
      ? entries.map(({ id }) => keys.child(caller, inspection.id, 'ACTION', id))
      : [],
  );
  const inspectionKeys = inspectionIds.map((id) => keys.one(caller, 'INSPECTION', id));
  const issueKeys = issueIds.map((id) => keys.one(caller, 'ISSUE', id));
  const actorKeys = actorIds.map((id) => keys.one(caller, 'MEMBER', id));
  const rowsOf = await readRows(caller, [...inspectionKeys, ...issueKeys, ...actorKeys, ...actions]);
  const records = [...rowsOf(inspectionKeys), ...rowsOf(issueKeys)].filter((row) => row !== undefined);
  const clientIds = unique(records.map(({ client_account_id }) => client_account_id));
  const locationIds = unique(records.map(({ location_id }) => location_id));
  const [clients, locations] = await Promise.all([
    getRows(
      caller,
      clientIds.map((id) => keys.one(caller, 'CLIENT', id)),
    ),
    getRows(
      caller,
      locationIds.map((id) => keys.one(caller, 'LOCATION', id)),
    ),
  ]);
  const names = new Map([...clients, ...locations].flatMap((row) => (row ? [[row.id, row.name]] : [])));
  return {
    placeOf: new Map(
      records.map(({ id, client_account_id, location_id, due_at }) => [
        id,
        {
          client: names.get(client_account_id ?? '') ?? null,
          location: names.get(location_id ?? '') ?? null,
          due_at,
        },
      ]),
    ),
    dueOf: new Map(rowsOf(actions).flatMap((row) => (row?.due_at ? [[row.id, row.due_at]] : []))),
    nameOf: new Map(rowsOf(actorKeys).flatMap((row) => (row ? [[row.user_id, row.name]] : []))),
  };
};
