import { v7 as uuidv7 } from 'uuid';
import { PERSON_ROLES } from '../../shared/base/caller.ts';
import { routesOf } from '../../shared/http/operation/surface.ts';
import { as, call } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { newPerson, onBehalfOf } from '../support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

// The contract test shows that they get the reply that a key gets. One admin asks for more here than a person may in a
// minute. `limits.test.ts` is about the count.
jest.mock('../../shared/organizations/people/requests.ts', () => ({ countRequest: async () => true }));

const entries = operationEntries().filter(({ operation }) => operation.people);

let stranger: SignedIn;

beforeAll(async () => {
  stranger = await signIn(await newPerson('Stranger'));
});

describe.each(entries.map((entry) => [`GET ${routesOf(entry.operation)[1]!.path}`, entry] as const))(
  '%s',
  (_, entry) => {
    const { params, people = [] } = entry.operation;
    const anyParams = Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, uuidv7()]));

    test(`403 for every role but ${people.join(', ')}`, async () => {
      const others = PERSON_ROLES.filter((role) => !people.includes(role));
      for (const role of others) {
        const answer = await as(await signIn(stranger, role)).call(entry, { params: anyParams });
        expect([role, answer.headers['x-error-code']]).toEqual([role, 'role_not_allowed']);
      }
    });

    test('401 for an API key, and 400 for On-Behalf-Of: people act for themselves', async () => {
      const { key, adminId } = await newPerson('Holder of a key');
      const byKey = await call(entry, { as: key, session: null, params: anyParams });
      expect(byKey.headers['x-error-code']).toBe('session_required');
      const headers = onBehalfOf({ user_id: adminId });
      const answer = await as(stranger).call(entry, { params: anyParams, headers });
      expect(answer.headers['x-error-code']).toBe('on_behalf_not_taken');
    });
  },
);

test('a cursor of a key is none of a session', async () => {
  const person = await newPerson('Pages');
  await person.clientAccounts.create({ body: { name: 'One' } });
  await person.clientAccounts.create({ body: { name: 'Two' } });
  const pageOf = (headers: Record<string, string>) =>
    new URL(/<(.*)>/.exec(headers['link']!)![1]!).searchParams.get('cursor')!;
  const { headers } = await person.try.clientAccounts.list({ query: { limit: 1 } });
  const admin = as(await signIn(person));
  const query = { limit: 1, cursor: pageOf(headers) };
  expect((await admin.try.clientAccounts.list({ query })).status).toBe(422);
  const first = await admin.try.clientAccounts.list({ query: { limit: 1 } });
  const next = { limit: 1, cursor: pageOf(first.headers) };
  expect(
    (await admin.clientAccounts.list({ query: next })).map(({ name }: { name: string }) => name),
  ).toEqual(['Two']);
});
