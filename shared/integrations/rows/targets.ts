import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { fold, foldedAddress } from '../../base/text.ts';
import type { SyncedRow, SyncedValues } from '../../domain/integrations/synced-row.ts';
import {
  clientAccountEvent,
  clientAccountRecords,
  NO_CONTACT,
} from '../../places/client-accounts/client-accounts.ts';
import { locationEvent, locationRecords, statusTasks } from '../../places/locations/records.ts';
import { NewClientAccount } from '../../schemas/client-account.ts';
import type { RunError } from '../../schemas/integrations/run.ts';
import { type Location, NewLocation } from '../../schemas/location.ts';
import { initialValues } from '../../schemas/resource.ts';
import type { Work } from '../../table/change.ts';
import { newResource, nextVersion } from '../../table/collection.ts';
import type { StoredCandidate, StoredSource, SyncedOption } from '../../table/entities/integrations.ts';
import type { StoredClientAccount, StoredLocation } from '../../table/entities/organization.ts';
import { type Key, keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import { queryRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { candidateRecords, membersByEmail, toCandidate } from './candidates.ts';

/*
 * How rows that a source brings become resources: the form of a target first, then one target after the other. The word
 * is the contract's (`target_ref`).
 */

/** How a synced row changes its resource. */
export interface Upsert {
  writes: Write[];
  resource_id: string;
  option?: SyncedOption;
}

/** Other resources that a row may refer to. They are read once for each hold of a worker on a run. */
export interface Lookups {
  /** The client account with this external_ref or name, or why none was found. */
  clientAccount(named: string): Promise<{ id: string } | 'unknown' | 'ambiguous'>;
  /** The active member with this email address. */
  member(email: string): Promise<string | undefined>;
}

/** A row cannot be taken. The message does not repeat the item's values. */
export class RowRefused extends Error {
  override name = 'RowRefused';
  readonly error: RunError;

  constructor({ item_id }: SyncedRow, field: string, code: string, message: string) {
    super(message);
    this.error = { item_id, field, code, message };
  }
}

/** How rows become resources of one kind. `Stored` is the resource's own row. */
export interface SyncTarget<Stored extends object> {
  /** How many rows of the source one transaction can write. */
  rowsAtOnce: number;
  /** The key of a resource's row; undefined for options, which have no row of their own. */
  keyOf(caller: Caller, resourceId: string): Key<Stored> | undefined;
  /**
   * Creates or changes the resource of a row.
   * @param standing the resource as an earlier sync has left it, if it still exists
   * @param wasMissing whether the row was missing at the vendor until this sync
   * @throws RowRefused
   */
  upsert(
    work: Work,
    source: StoredSource,
    row: SyncedRow,
    standing: Stored | undefined,
    wasMissing: boolean,
    lookups: Lookups,
  ): Promise<Upsert>;
  /** Further writes of each transaction that writes or deactivates rows of a source. */
  writtenWith?(work: Work, sourceId: string): Write[];
  /** Deactivates the resource of a row that is missing at the vendor. */
  deactivate(work: Work, standing: Stored, lookups: Lookups): Promise<Write[]>;
  /** Makes the resource a local one. */
  detach(work: Work, standing: Stored): Write[];
}

/** The fields of a resource that say where it was synced from. */
export const syncedFrom = (
  work: Work,
  source: StoredSource,
  { external_id }: SyncedRow,
  fields: readonly string[],
) => ({
  source: 'synced' as const,
  source_id: source.id,
  external_id,
  synced_at: work.now,
  synced_fields: [...fields],
});

export const NOT_SYNCED = {
  source: 'local',
  source_id: null,
  external_id: null,
  synced_at: null,
  synced_fields: [],
} as const;

/** Calls `make` once, when it is first needed. */
const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
};

const readClients = async (caller: Caller) => {
  const byRef = new Map<string, string>();
  const byName = new Map<string, string | null>();
  for await (const { sk, name, external_ref } of queryRows(caller, {
    partition: keys.all(caller, 'CLIENT'),
    only: ['name', 'external_ref'],
  })) {
    if (external_ref) byRef.set(external_ref, sk);
    const folded = fold(name);
    byName.set(folded, byName.has(folded) ? null : sk);
  }
  return { byRef, byName };
};

/** Lookups that read the table when they are first needed, and only once. */
export const newLookups = (caller: Caller): Lookups => {
  const clients = once(() => readClients(caller));
  const members = once(() => membersByEmail(caller));
  return {
    clientAccount: async (named) => {
      const { byRef, byName } = await clients();
      const id = byRef.get(named) ?? byName.get(fold(named));
      if (id === null) return 'ambiguous';
      return id === undefined ? 'unknown' : { id };
    },
    member: async (email) => (await members()).get(foldedAddress(email)),
  };
};

const CONTACT = 'contact.';

/** The values of a row as fields of an account. Values of `contact.…` go into its contact. */
const fieldsOf = (
  values: SyncedValues,
  contact: StoredClientAccount['contact'],
): Partial<StoredClientAccount> => {
  const entries = Object.entries(values);
  const own = entries.filter(([key]) => !key.startsWith(CONTACT));
  const ofContact = entries.flatMap(([key, value]) =>
    key.startsWith(CONTACT) ? [[key.slice(CONTACT.length), value] as const] : [],
  );
  // The plan has checked each value by the schema of its field.
  return { ...Object.fromEntries(own), contact: { ...contact, ...Object.fromEntries(ofContact) } };
};

const replaceAccount = (
  work: Work,
  before: StoredClientAccount,
  fields: Partial<StoredClientAccount>,
): Write[] => {
  const after = nextVersion(work, before, fields);
  return [
    ...resource.replace(clientAccountRecords, work, before, after),
    clientAccountEvent(work, 'updated', after),
  ];
};

export const clientAccounts: SyncTarget<StoredClientAccount> = {
  // Five rows each: its own, the reservations of the former and the new external_ref, its synced row, and an event.
  rowsAtOnce: 19,

  keyOf: clientAccountRecords.key,

  upsert: async (work, source, row, standing, wasMissing) => {
    const fields = {
      ...fieldsOf(row.values, standing?.contact ?? NO_CONTACT),
      ...syncedFrom(work, source, row, Object.keys(row.values)),
    };
    if (standing) {
      const active = wasMissing ? { is_active: true } : {};
      return { writes: replaceAccount(work, standing, { ...fields, ...active }), resource_id: standing.id };
    }
    const account: StoredClientAccount = newResource(work, {
      ...initialValues(NewClientAccount),
      name: '',
      contact: NO_CONTACT,
      ...fields,
    });
    return {
      writes: [
        ...resource.create(clientAccountRecords, work, account),
        clientAccountEvent(work, 'created', account),
      ],
      resource_id: account.id,
    };
  },

  deactivate: async (work, standing) =>
    standing.is_active ? replaceAccount(work, standing, { is_active: false }) : [],

  detach: (work, standing) => replaceAccount(work, standing, { ...NOT_SYNCED, synced_fields: [] }),
};

const CLIENT_ACCOUNT = 'client_account';

const MESSAGES = {
  unknown: 'There is no client account with this external_ref or name.',
  ambiguous: 'Several client accounts have this name. Use their external_ref.',
};

/** The id of the client account that a row refers to; undefined when the row has no such field. @throws RowRefused */
const clientOf = async (row: SyncedRow, lookups: Lookups): Promise<string | null | undefined> => {
  const named = row.values[CLIENT_ACCOUNT];
  if (named === undefined || named === null) return named;
  const found = await lookups.clientAccount(String(named));
  if (typeof found === 'string') throw new RowRefused(row, CLIENT_ACCOUNT, found, MESSAGES[found]);
  return found.id;
};

const replaceLocation = (work: Work, before: StoredLocation, fields: Partial<StoredLocation>): Write[] => {
  const after = nextVersion(work, before, fields);
  return [
    ...resource.replace(locationRecords, work, before, after),
    ...statusTasks(work, before, after),
    locationEvent(work, 'updated', after),
  ];
};

export const locations: SyncTarget<StoredLocation> = {
  // Ten rows each: its own, its new and old entries in two lists, two counters, its synced row, a task, and an event.
  rowsAtOnce: 9,

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
      return { writes: replaceLocation(work, standing, { ...fields, ...status }), resource_id: standing.id };
    }
    const location: StoredLocation = newResource(work, {
      ...initialValues(NewLocation),
      name: '',
      client_account_id: client ?? null,
      lineage: [],
      ...fields,
    });
    return {
      writes: [...resource.create(locationRecords, work, location), locationEvent(work, 'created', location)],
      resource_id: location.id,
    };
  },

  deactivate: async (work, standing) =>
    standing.status === 'inactive' ? [] : replaceLocation(work, standing, { status: 'inactive' }),

  detach: (work, standing) => replaceLocation(work, standing, { ...NOT_SYNCED, synced_fields: [] }),
};

export const candidates: SyncTarget<StoredCandidate> = {
  // Three rows each: its own, an event, and its synced row.
  rowsAtOnce: 30,

  keyOf: candidateRecords.key,

  upsert: async (work, source, { external_id, values }, standing) => {
    const fields = {
      name: String(values['name']),
      email: String(values['email']),
      position: (values['position'] ?? null) as string | null,
      left_at: null,
    };
    if (standing) {
      const next = nextVersion(work, standing, fields);
      return {
        writes: [write.replace({ ...next, ...candidateRecords.key(work, next.id) }, standing.version)],
        resource_id: next.id,
      };
    }
    const candidate: StoredCandidate = newResource(work, {
      source_id: source.id,
      external_id,
      ...fields,
      is_ignored: false,
      first_seen_at: work.now,
    });
    return {
      writes: [write.create({ ...candidate, ...candidateRecords.key(work, candidate.id) })],
      resource_id: candidate.id,
    };
  },

  deactivate: async (work, standing, lookups) => {
    if (standing.left_at !== null) return [];
    const next = nextVersion(work, standing, { left_at: work.now });
    const matched_user_id = (standing.email && (await lookups.member(standing.email))) || null;
    return [
      write.replace({ ...next, ...candidateRecords.key(work, next.id) }, standing.version),
      // `last_seen_at` follows from `left_at`, so no state is needed.
      emit(work, 'directory.user.left_source', toCandidate(next, undefined, matched_user_id)),
    ];
  },

  // A candidate keeps the source that it came from.
  detach: () => [],
};

/** Options of organization-wide lists. They are not resources: the synced row holds the whole option. */
export const options: SyncTarget<never> = {
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
