import * as apiKeys from '../../shared/organizations/api-keys.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { waitingEvents } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

/** An inspection of a new family, unless the body names one. */
export const newInspection = async (
  { key }: Person,
  { family, ...body }: { family?: object } & Record<string, unknown> = {},
): Promise<Inspection> => {
  const template_family_id = body['template_family_id'] ?? (await publishedFamily(key, family)).id;
  return as(key).inspections.create({ body: { ...body, template_family_id } });
};

/** A family without required fields: its inspections can be completed without an answer. */
export const NOTHING_REQUIRED = { content: contentWith(field(2)) };

const shared = new Map<string, Promise<string>>();

/**
 * The id of a family that inspections of an organization share where it is not what a test is about: a new one takes more
 * requests than an inspection. It is made when it is first needed.
 */
export const sharedFamily = ({ key }: Person, family: object = NOTHING_REQUIRED): Promise<string> => {
  const name = `${key} ${JSON.stringify(family)}`;
  const id = shared.get(name) ?? publishedFamily(key, family).then((made) => made.id);
  shared.set(name, id);
  return id;
};

export const start = (key: string, { id }: { id: string }): Promise<Inspection> =>
  as(key).inspections.start({ params: { inspection_id: id } });

export const advance = (key: string, { id }: { id: string }, body?: object): Promise<Inspection> =>
  as(key).inspections.advance({ params: { inspection_id: id }, ...(body && { body }) });

/** An inspection in progress. */
export const startedInspection = async (
  person: Person,
  body: Record<string, unknown> = {},
): Promise<Inspection> => start(person.key, await newInspection(person, body));

export const completedInspection = async (
  person: Person,
  body: Record<string, unknown> = {},
): Promise<Inspection> =>
  advance(person.key, await startedInspection(person, { family: NOTHING_REQUIRED, ...body }));

export const newClient = ({ key }: Person, name = 'Acme'): Promise<{ id: string }> =>
  as(key).clientAccounts.create({ body: { name } });

export const newLocation = (
  { key }: Person,
  client_account_id: string | null = null,
): Promise<{ id: string }> => as(key).locations.create({ body: { name: 'Yard', client_account_id } });

/** Another API key of the same organization. Each key is a member of its own. */
export const newColleague = async ({ caller, adminId }: Person, name: string) =>
  apiKeys.create({ ...caller, user_id: adminId }, { name, access: 'read_write', expires: 'never' });

/** Suspends a member. */
export const suspend = ({ caller }: Person, userId: string): Promise<null> =>
  change(caller, () => ({
    writes: [write.update(keys.one(caller, 'MEMBER', userId), { set: { status: 'suspended' } })],
    reply: null,
  }));

/** Saves an answer to a field of the section `uuid(1)`, which `contentWith` makes. */
export const answer = (
  { key }: Person,
  { id }: { id: string },
  field_id: string,
  value: unknown,
): Promise<{ version: number }> =>
  as(key).answers.replace({
    params: { inspection_id: id },
    body: { section_id: uuid(1), field_id, value },
  });

/** The types of the events of these inspections and of what belongs to them, in order. */
export const eventsOf = async ({ caller }: Person, ...ids: string[]): Promise<string[]> =>
  (await waitingEvents(caller)).flatMap(({ type, data }) =>
    ids.includes(data.inspection_id ?? data.id) ? [type] : [],
  );

/** The sort keys of a partition. */
export const sortKeys = async ({ caller }: Person, partition: string): Promise<string[]> =>
  (await Array.fromAsync(queryRows(caller, { partition }))).map(({ sk }) => sk);

/** The sort keys of what belongs to an inspection, without its history and that of its answers. */
export const sortKeysBelow = async (person: Person, { id }: { id: string }): Promise<string[]> =>
  (await sortKeys(person, keys.below(person.caller, 'INSPECTION', id))).filter(
    (sk) => !/^(INSPECTION_ACTIVITY|FORMER)#/.test(sk),
  );
