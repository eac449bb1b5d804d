import * as members from '../../shared/organizations/members/members.ts';
import { memberWrites, newMember } from '../../shared/organizations/members/members.ts';
import { Member, type Role } from '../../shared/schemas/member.ts';
import { change } from '../../shared/table/change.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;
const ids: Record<string, string> = {};

const add = async (name: string, role: Role, status?: Member['status']): Promise<void> => {
  const user_id = crypto.randomUUID();
  const key = members.key(person.caller, user_id);
  const fields = { user_id, name, email: `${name}@example.com`, role };
  await change(person.caller, (work) => ({
    writes: memberWrites(work, newMember(work, fields)),
    reply: undefined,
  }));
  if (status) {
    await change(person.caller, () => ({
      writes: [write.update(key, { set: { status } })],
      reply: undefined,
    }));
  }
  ids[name] = user_id;
};

beforeAll(async () => {
  person = await newPerson('Harbour');
  await add('Ana', 'inspector');
  await add('Ben', 'inspector', 'suspended');
  await add('Cleo', 'approver');
});

const namesOf = (rows: Member[]) => rows.map(({ name }) => name).toSorted();

describe('GET /members', () => {
  test('200 with all members of the organization, also those of API keys, and no others', async () => {
    await newPerson('Quay');
    const { status, body } = await as(person.readOnlyKey).try.members.list();
    expect(status).toBe(200);
    expect(Member.array().parse(body)).toHaveLength(6);
    expect(namesOf(body)).toEqual(['Ana', 'Ben', 'Cleo', 'Harbour', 'Harbour, reading', 'admin@example.com']);
  });

  test('200 filtered by role and status, each of which may be repeated', async () => {
    const list = async (query: object) => namesOf(await person.members.list({ query: { ...query } }));
    expect(await list({ role: ['approver', 'inspector'], status: 'active' })).toEqual(['Ana', 'Cleo']);
    expect(await list({ status: ['suspended', 'invited'] })).toEqual(['Ben']);
  });

  test('200 page by page, together the whole list', async () => {
    const all = await person.members.list();
    const paged: Member[] = [];
    let query: Record<string, string> = { limit: '4' };
    for (;;) {
      const { body, headers } = await person.try.members.list({ query });
      paged.push(...body);
      const next = /<[^?]*\?([^>]*)>/.exec(headers['link'] ?? '')?.[1];
      if (!next) break;
      query = Object.fromEntries(new URLSearchParams(next));
    }
    expect(paged).toEqual(all);
  });

  test('422 for a role that does not exist', async () => {
    expect((await person.try.members.list({ query: { role: 'owner' } })).status).toBe(422);
  });
});

describe('GET /members/assignable', () => {
  test('200 with the active members who may inspect', async () => {
    const { status, body } = await as(person.readOnlyKey).try.members.listAssignable();
    expect(status).toBe(200);
    expect(namesOf(Member.array().parse(body))).toEqual(['Ana', 'Harbour', 'admin@example.com']);
  });

  test('422 for a cursor of the list of all members', async () => {
    const { headers } = await person.try.members.list({ query: { limit: 1 } });
    const cursor = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]).get('cursor')!;
    expect((await person.try.members.listAssignable({ query: { limit: 1, cursor } })).status).toBe(422);
  });
});

describe('GET /members/by-user/{user_id}', () => {
  test('200 with the member', async () => {
    const { status, body } = await as(person.readOnlyKey).try.members.get({
      params: { user_id: ids['Ana']! },
    });
    expect([status, Member.parse(body).name]).toEqual([200, 'Ana']);
  });

  test('404 for an unknown user and for one of another organization', async () => {
    const { adminId } = await newPerson('Quay');
    for (const user_id of [crypto.randomUUID(), adminId]) {
      expect((await person.try.members.get({ params: { user_id } })).status).toBe(404);
    }
  });
});
