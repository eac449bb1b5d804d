import * as getMember from '../../functions/members/get-member.ts';
import * as listAssignableMembers from '../../functions/members/list-assignable-members.ts';
import * as listMembers from '../../functions/members/list-members.ts';
import * as members from '../../shared/db/members/members.ts';
import { memberWrites } from '../../shared/db/members/members.ts';
import { change } from '../../shared/db/table/change.ts';
import * as write from '../../shared/db/table/writes.ts';
import { Member, type Role } from '../../shared/schemas/member.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;
const ids: Record<string, string> = {};

const add = async (name: string, role: Role, status?: Member['status']): Promise<void> => {
  const user_id = crypto.randomUUID();
  const key = members.key(person.caller, user_id);
  const fields = { user_id, name, email: `${name}@example.com`, role };
  await change(person.caller, () => ({ writes: memberWrites(person.caller, fields), reply: undefined }));
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
  test('200 with everybody, keys among them, and nobody else’s', async () => {
    await newPerson('Quay');
    const { status, body } = await call(listMembers, { as: person.readOnlyKey });
    expect(status).toBe(200);
    expect(Member.array().parse(body)).toHaveLength(6);
    expect(namesOf(body)).toEqual(['Ana', 'Ben', 'Cleo', 'Harbour', 'Harbour, reading', 'admin@example.com']);
  });

  test('200 by role and status, each repeatable', async () => {
    const list = async (query: object) =>
      namesOf(await made(listMembers, { as: person.key, query: { ...query } }));
    expect(await list({ role: ['approver', 'inspector'], status: 'active' })).toEqual(['Ana', 'Cleo']);
    expect(await list({ status: ['suspended', 'invited'] })).toEqual(['Ben']);
  });

  test('200 page by page is the whole', async () => {
    const all = await made(listMembers, { as: person.key });
    const paged: Member[] = [];
    let query: Record<string, string> = { limit: '4' };
    for (;;) {
      const { body, headers } = await call(listMembers, { as: person.key, query });
      paged.push(...body);
      const next = /<[^?]*\?([^>]*)>/.exec(headers['link'] ?? '')?.[1];
      if (!next) break;
      query = Object.fromEntries(new URLSearchParams(next));
    }
    expect(paged).toEqual(all);
  });

  test('422 for a role that does not exist', async () => {
    expect((await call(listMembers, { as: person.key, query: { role: 'owner' } })).status).toBe(422);
  });
});

describe('GET /members/assignable', () => {
  test('200 with active ones who may inspect', async () => {
    const { status, body } = await call(listAssignableMembers, { as: person.readOnlyKey });
    expect(status).toBe(200);
    expect(namesOf(Member.array().parse(body))).toEqual([
      'Ana',
      'Harbour',
      'Harbour, reading',
      'admin@example.com',
    ]);
  });

  test('422 for a cursor of the list of all members', async () => {
    const { headers } = await call(listMembers, { as: person.key, query: { limit: 1 } });
    const cursor = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]).get('cursor')!;
    expect((await call(listAssignableMembers, { as: person.key, query: { limit: 1, cursor } })).status).toBe(
      422,
    );
  });
});

describe('GET /members/by-user/{user_id}', () => {
  test('200', async () => {
    const { status, body } = await call(getMember, {
      as: person.readOnlyKey,
      params: { user_id: ids['Ana']! },
    });
    expect([status, Member.parse(body).name]).toEqual([200, 'Ana']);
  });

  test('404 for a stranger and for another organization’s', async () => {
    const { adminId } = await newPerson('Quay');
    for (const user_id of [crypto.randomUUID(), adminId]) {
      expect((await call(getMember, { as: person.key, params: { user_id } })).status).toBe(404);
    }
  });
});
