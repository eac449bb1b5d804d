import { v7 as uuidv7 } from 'uuid';
import { grantsOf } from '../../infra/grants.ts';
import { PERSON_ROLES } from '../../shared/base/caller.ts';
import { canonicalJson } from '../../shared/base/encoding.ts';
import { isFile } from '../../shared/http/operation/operation.ts';
import { routesOf } from '../../shared/http/operation/surface.ts';
import { type Answer, as, call } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { newPerson, onBehalfOf } from '../support/people.ts';
import { callsOf, installRecorder, recording } from '../support/recorder.ts';
import { scenariosOf } from '../support/scenarios.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

// One admin asks for more here than a person may in a minute. `limits.test.ts` is about the count.
jest.mock('../../shared/db/people/requests.ts', () => ({ countRequest: async () => true }));

installRecorder();

const entries = operationEntries().filter(({ operation }) => operation.people);

/** What they answer depends on who asks. */
const OF_THE_CALLER = new Set([
  'getMyProfile',
  'listAssignedInspections',
  'listMyCorrectiveActions',
  'listMyNotifications',
]);

/**
 * What a reply says: without the signatures of its URLs and its time, and whatever the order of its fields. A file says
 * when it was made, so only its type and name count.
 */
const said = ({ status, headers, body }: Answer) => ({
  status,
  said:
    body === undefined
      ? [headers['content-type'], headers['content-disposition']]
      : canonicalJson(body)
          .replaceAll(/\?X-Amz-[^"\\]*/g, '')
          .replaceAll(/"generated_at":"[^"]*"/g, ''),
});

let stranger: SignedIn;

beforeAll(async () => {
  stranger = await signIn(await newPerson('Stranger'));
});

describe.each(entries.map((entry) => [`GET ${routesOf(entry.operation)[1]!.path}`, entry] as const))(
  '%s',
  (_, entry) => {
    const { id, params, people = [], response, success } = entry.operation;
    const scenarios = scenariosOf(entry.area).scenarios[id] ?? [];
    const names = Object.keys(params?.shape ?? {});
    const anyParams = Object.fromEntries(names.map((name) => [name, uuidv7()]));

    test(`${success} with the reply that a key gets, within what is recorded`, async () => {
      const person = await newPerson(`Reader of ${id}`);
      const { session } = await signIn(person);
      expect(scenarios.length).toBeGreaterThan(0);
      for (const scenario of scenarios) {
        const request = await scenario(person);
        const byKey = await call(entry, { ...request, as: person.key });
        const { result, sent } = await recording(() => call(entry, { ...request, as: null, session }));
        if (OF_THE_CALLER.has(id) && !isFile(response)) {
          expect(result.status).toBe(success);
          expect(response.safeParse(result.body)).toMatchObject({ success: true });
        } else {
          expect(said(result)).toEqual(said(byKey));
        }
        // A session is read together with its member, which is one call more than a key takes.
        expect(callsOf(sent)).toBeLessThanOrEqual(entry.recorded!.calls! + 1);
        expect(grantsOf(entry)).toEqual(expect.arrayContaining([...sent.grants]));
      }
    });

    for (const name of names.filter((name) => !params!.shape[name]!.safeParse('anything').success)) {
      test(`404 for a ${name} of another organization`, async () => {
        const person = await newPerson(`Owner of ${id}`);
        const request = await scenarios[0]!(person);
        const { status } = await as(stranger).call(entry, request);
        expect([status, (await as(await signIn(person)).call(entry, request)).status]).toEqual([
          404,
          success,
        ]);
      });
    }

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
    new URLSearchParams(/<\?(.*)>/.exec(headers['link']!)![1]).get('cursor')!;
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
