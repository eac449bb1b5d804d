import * as replaceAnswer from '../../functions/answers/replace-answer.ts';
import * as createClientAccount from '../../functions/client-accounts/create-client-account.ts';
import * as advanceInspection from '../../functions/inspections/advance-inspection.ts';
import * as createInspection from '../../functions/inspections/create-inspection.ts';
import * as startInspection from '../../functions/inspections/start-inspection.ts';
import * as createLocation from '../../functions/locations/create-location.ts';
import * as apiKeys from '../../shared/db/organization/api-keys.ts';
import { change } from '../../shared/db/table/change.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { queryRows } from '../../shared/db/table/rows.ts';
import * as write from '../../shared/db/table/writes.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { made } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { contentWith, field, publishedFamily, uuid } from '../templates/fixtures.ts';

/** An inspection of its own family, unless the body names one. */
export const newInspection = async (
  { key }: Person,
  { family, ...body }: { family?: object } & Record<string, unknown> = {},
): Promise<Inspection> => {
  const template_family_id = body['template_family_id'] ?? (await publishedFamily(key, family)).id;
  return made(createInspection, { as: key, body: { ...body, template_family_id } });
};

/** A family whose template requires nothing, so that its inspections may be completed as they are. */
export const UNDEMANDING = { content: contentWith(field(2)) };

export const start = (key: string, { id }: { id: string }): Promise<Inspection> =>
  made(startInspection, { as: key, params: { inspection_id: id } });

export const advance = (key: string, { id }: { id: string }, body?: object): Promise<Inspection> =>
  made(advanceInspection, { as: key, params: { inspection_id: id }, ...(body && { body }) });

/** A started one. */
export const begun = async (person: Person, body: Record<string, unknown> = {}): Promise<Inspection> =>
  start(person.key, await newInspection(person, body));

export const completed = async (person: Person, body: Record<string, unknown> = {}): Promise<Inspection> =>
  advance(person.key, await begun(person, { family: UNDEMANDING, ...body }));

export const newClient = ({ key }: Person, name = 'Acme'): Promise<{ id: string }> =>
  made(createClientAccount, { as: key, body: { name } });

export const newLocation = (
  { key }: Person,
  client_account_id: string | null = null,
): Promise<{ id: string }> => made(createLocation, { as: key, body: { name: 'Yard', client_account_id } });

/** Another key of the same organization, which is another member of it. */
export const newColleague = async ({ caller, adminId }: Person, name: string) =>
  apiKeys.create({ ...caller, user_id: adminId }, { name, access: 'read_write', expires: 'never' });

/** Takes a member out of service, as the admin app will. */
export const suspend = ({ caller }: Person, userId: string): Promise<null> =>
  change(caller, () => ({
    writes: [write.update(keys.one(caller, 'MEMBER', userId), { set: { status: 'suspended' } })],
    reply: null,
  }));

/** Saves an answer to a field of the section that all these contents have. */
export const answer = (
  { key }: Person,
  { id }: { id: string },
  field_id: string,
  value: unknown,
): Promise<{ version: number }> =>
  made(replaceAnswer, {
    as: key,
    params: { inspection_id: id },
    body: { section_id: uuid(1), field_id, value },
  });

/** What the organization's followers are told of these inspections, in order. */
export const eventsOf = async ({ caller }: Person, ...ids: string[]): Promise<string[]> => {
  const rows = await Array.fromAsync(
    queryRows<{ type: string; data: { inspection_id: string } }>(caller, {
      partition: keys.outbox(caller, '').pk,
    }),
  );
  return rows.flatMap(({ type, data }) => (ids.includes(data.inspection_id) ? [type] : []));
};

/** The sort keys of a partition. */
export const sortKeys = async ({ caller }: Person, partition: string): Promise<string[]> =>
  (await Array.fromAsync(queryRows(caller, { partition }))).map(({ sk }) => sk);
