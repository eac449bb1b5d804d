import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { UNNOTICED, UNTOLD } from '../../shared/schemas/common.ts';
import { EVENTS, type EventType } from '../../shared/schemas/event-data.ts';
import { call } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { waitingEvents } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';

/*
 * A copy of what an organization has, as a client keeps it from events alone. See the chapter on keeping a copy.
 */

type Data = Record<string, unknown>;

/** Resources by their kinds and ids. */
export type Copy = Map<string, Data>;

/** A kind of resource: how all of them are read, the field of their ids, and the type of an event with one as its data. */
interface Kind {
  lists: (read: Read) => AsyncGenerator<Data[]>;
  id?: string;
  type: EventType;
}

type Read = (
  operation: string,
  request?: { params?: Record<string, string>; query?: object },
) => Promise<Data[]>;

const list = (operation: string, ...queries: object[]): Kind['lists'] =>
  async function* (read) {
    for (const query of queries.length > 0 ? queries : [{}]) yield await read(operation, { query });
  };

/** What is below each of the resources of a list. */
const below = (outer: Kind['lists'], param: string, operation: string): Kind['lists'] =>
  async function* (read) {
    for await (const rows of outer(read))
      for (const { id } of rows) yield await read(operation, { params: { [param]: String(id) } });
  };

const families = list('listFamilies', { archived: 'false' }, { archived: 'true' });

const KINDS: Readonly<Record<string, Kind>> = {
  client_account: { lists: list('listClientAccounts'), type: 'client_account.created' },
  region: { lists: list('listRegions'), type: 'region.created' },
  location: { lists: list('listLocations'), type: 'location.created' },
  asset: { lists: list('listAssets'), type: 'asset.created' },
  certificate: { lists: list('listCertificates'), type: 'certificate.issued' },
  document: { lists: list('listDocuments'), type: 'document.created' },
  member: { lists: list('listMembers'), type: 'member.created', id: 'user_id' },
  template: { lists: families, type: 'template.created' },
  template_version: {
    lists: below(families, 'family_id', 'listTemplateVersions'),
    type: 'template.published',
  },
  inspection: { lists: list('listInspections'), type: 'inspection.created' },
  finding: { lists: list('listAllFindings'), type: 'finding.created' },
  corrective_action: { lists: list('listAllCorrectiveActions'), type: 'corrective_action.created' },
  connection: { lists: list('listConnections'), type: 'connection.created' },
  issue: { lists: list('listIssues'), type: 'issue.created' },
  schedule: { lists: list('listSchedules'), type: 'schedule.created' },
  bulk_change: { lists: list('listBulkChanges'), type: 'bulk_change.created' },
};

/** Events whose data is something else than the resource that they are about. */
const APART: ReadonlySet<string> = new Set<EventType>([
  'inspection.answers_saved',
  'corrective_action.commented',
  'schedule.occurrence_missed',
]);

const isTold = (schema: z.ZodType): boolean => {
  const { description = '' } = schema.meta() ?? {};
  return !description.includes(UNNOTICED) && !description.includes(UNTOLD);
};

/** Of a value, what events carry whenever it changes: the fields that its schema has, without those that say otherwise. */
const told = (schema: unknown, value: unknown): unknown => {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return told(schema.unwrap(), value);
  if (!(schema instanceof z.ZodObject) || value === null) return value;
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, each]) => {
    const inner = (value as Data)[name];
    return inner !== undefined && isTold(each) ? [[name, told(each, inner)] as const] : [];
  });
  return Object.fromEntries(fields);
};

/** The names that a closed resource has now are read from other rows, by a GET alone. */
const withoutCurrentName = (name: string, value: unknown): unknown =>
  name === 'current_name' ? undefined : value;

/** Of the data of an event or of a row of a list, what a copy keeps. */
const kept = (kind: string, data: Data): Data =>
  JSON.parse(JSON.stringify(told(EVENTS[KINDS[kind]!.type].data, data)), withoutCurrentName) as Data;

/** Whether it is the identity of an API key, which comes without an event. */
const isOfKey = ({ role }: Data): boolean => role === 'api';

/** The kind of resource that an event has as its data; undefined for one that a copy passes over. */
const kindOf = (type: string, data: Data): string | undefined => {
  if (APART.has(type) || isOfKey(data)) return undefined;
  const group = type.split('.')[0]!;
  const kind = group === 'template' && 'family_id' in data ? 'template_version' : group;
  return kind in KINDS ? kind : undefined;
};

/**
 * Applies an event to a copy.
 * @returns what is wrong with it: a deletion of what the copy does not have, or has otherwise
 */
export const apply = (copy: Copy, { type, data }: { type: string; data: Data }): string | undefined => {
  const kind = kindOf(type, data);
  if (!kind) return undefined;
  const key = `${kind} ${String(data[KINDS[kind]!.id ?? 'id'])}`;
  const now = kept(kind, data);
  const before = copy.get(key);
  if (type.endsWith('.deleted')) {
    copy.delete(key);
    // A family takes its versions with it.
    if (kind === 'template')
      for (const [other, { family_id }] of copy) if (family_id === data['id']) copy.delete(other);
    return isDeepStrictEqual(before, now) ? undefined : `${type} of what the copy has otherwise: ${key}`;
  }
  // Events come in order. One that a list was ahead of has a lower version.
  if (Number(before?.['version'] ?? 0) <= Number(now['version'] ?? 0)) copy.set(key, now);
  return undefined;
};

const entries = new Map(operationEntries().map((entry) => [entry.operation.id, entry]));

/** All that the lists of an organization show, as far as events tell of it. */
export const copyOfLists = async ({ key }: Person): Promise<Copy> => {
  const read: Read = async (operation, request) => {
    const { status, body } = await call(entries.get(operation)!, { as: key, ...request } as never);
    if (status !== 200) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`);
    return (Array.isArray(body) ? body : body.locations) as Data[];
  };
  const copy: Copy = new Map();
  for (const [name, { lists, id = 'id' }] of Object.entries(KINDS)) {
    for await (const rows of lists(read)) {
      for (const row of rows) if (!isOfKey(row)) copy.set(`${name} ${String(row[id])}`, kept(name, row));
    }
  }
  return copy;
};

/** Applies the events of what is done to a copy of what was there before it, which then has all that is there. */
export const expectFollowed = async (person: Person, act: () => Promise<unknown>): Promise<void> => {
  const copy = await copyOfLists(person);
  const earlier = await waitingEvents(person.caller);
  await act();
  const events = (await waitingEvents(person.caller)).slice(earlier.length);
  expect(events.flatMap((event) => apply(copy, event) ?? [])).toEqual([]);
  expect(copy).toEqual(await copyOfLists(person));
};
