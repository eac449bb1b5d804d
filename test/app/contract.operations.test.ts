import { v7 as uuidv7 } from 'uuid';
import { type AppEntry, functionName } from '../../infra/catalogue.ts';
import { grantsOf } from '../../infra/grants.ts';
import { newRouter } from '../../infra/local/gateway/router.ts';
import { PERSON_ROLES, type PersonRole } from '../../shared/base/caller.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { isFile, isMultipart } from '../../shared/http/operation/operation.ts';
import { routeOf } from '../../shared/http/operation/surface.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { systemWrite } from '../../shared/table/writes.ts';
import { type Answer, as, call, type Request } from '../support/call.ts';
import { appEntries, operationEntries } from '../support/catalogue.ts';
import { documentedBodies } from '../support/documented.ts';
import { installFaults, UNDECLARED, undeclaredAttributes, withFault } from '../support/faults.ts';
import { newPerson, onBehalfOf } from '../support/people.ts';
import { expectRecorded, isReading, usesOfOperation } from '../support/recorded.ts';
import { callsOf, installRecorder, type Recording, recording } from '../support/recorder.ts';
import { again, signIn } from '../support/signed-in.ts';
import { type Admin, camel, requestsOf } from './scenarios.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

// One admin asks for more here than a person may in a minute. `limits.test.ts` is about the count.
jest.mock('../../shared/organizations/people/requests.ts', () => ({ countRequest: async () => true }));

installRecorder();
installFaults();

const entries = appEntries();

/** Whether keys call the operation as well. What it uses is then recorded by their contract test. */
const isShared = (entry: AppEntry): boolean => entry.operation.id !== camel(functionName(entry));

const newAdmin = async (name: string): Promise<Admin> => {
  const person = await newPerson(name);
  return { ...(await signIn(person)), person };
};

const expectDetail = ({ status, body }: Answer, expected: number): void =>
  expect({ status, body }).toEqual({ status: expected, body: { detail: expect.any(String) } });

/** Changes a session as only time does. */
const setSession = async ({ caller }: Admin, token: string, set: object): Promise<void> => {
  const key = keys.session(sha256(token));
  await change(caller, () => ({
    writes: [systemWrite(write.update(key, { set: { ...set } }))],
    reply: undefined,
  }));
};

/** Sessions that have ended, by the reason. */
const endedSessions = async (admin: Admin): Promise<Record<string, string | null>> => {
  const [signedOut, old, idle] = [await again(admin), await again(admin), await again(admin)];
  await sessions.endByToken(signedOut);
  const now = Date.now();
  await setSession(admin, old, { ends_at: now - 1 });
  await setSession(admin, idle, { seen_at: now - sessions.MAX_IDLE_MS });
  const unknown = Buffer.alloc(32, 'a').toString('base64url');
  return { missing: null, malformed: 'short', unknown, signedOut, old, idle };
};

let ended: Record<string, string | null>;
let owner: Admin;
let stranger: Admin;
/** A session of somebody of each role. */
const sessionOf = new Map<PersonRole, string>();

beforeAll(async () => {
  owner = await newAdmin('Owner of sessions');
  stranger = await newAdmin('Stranger');
  for (const role of PERSON_ROLES) sessionOf.set(role, (await signIn(owner, role)).session);
  ended = await endedSessions(owner);
});

const documented = documentedBodies(entries);

describe.each(
  entries.map((entry) => [`${entry.operation.method} ${routeOf(entry.operation)}`, entry] as const),
)('%s', (_, entry) => {
  const { operation, handler } = entry;
  const { id, method, params, roles, body, success, response } = operation;
  const endpoint = { operation, handler };
  const scenarios = requestsOf(entry);
  const anyParams = Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, uuidv7()]));

  const newRequest = async (admin: Admin, position = 0): Promise<Request> => ({
    as: null,
    session: await again(admin),
    ...(await scenarios[position]!(admin)),
  });

  const kept = new Map<Admin, Promise<Request>>();
  /** The same request of somebody each time, for tests in which it is refused. */
  const keptRequest = (admin: Admin): Promise<Request> => {
    const request = kept.get(admin) ?? newRequest(admin);
    kept.set(admin, request);
    return request;
  };

  test('401 for an API key, and for every session that has ended', async () => {
    for (const key of [owner.person.key, owner.person.readOnlyKey, 'eyJhbGciOiJSUzI1NiJ9'])
      expectDetail(await call(endpoint, { as: key, session: null, params: anyParams }), 401);
    for (const [reason, session] of Object.entries(ended)) {
      const answer = await as({ session }).call(endpoint, { params: anyParams });
      expect([reason, answer.headers['x-error-code']]).toEqual([reason, 'session_required']);
    }
  });

  test('400 for On-Behalf-Of: people act for themselves', async () => {
    const headers = onBehalfOf({ user_id: owner.person.adminId });
    const { headers: replied } = await as(owner).call(endpoint, { params: anyParams, headers });
    expect(replied['x-error-code']).toBe('on_behalf_not_taken');
  });

  if (method !== 'GET') {
    test('403 for a request that a page of somebody else sends, or nobody’s', async () => {
      const origins = ['https://evil.example', 'http://localhost.evil.example:3000', 'null', '', 'file://'];
      for (const origin of origins) {
        const headers = { Origin: origin, 'Sec-Fetch-Site': 'cross-site' };
        const answer = await as(owner).call(endpoint, { params: anyParams, headers });
        expect([origin, answer.headers['x-error-code']]).toEqual([origin, 'foreign_origin']);
      }
    });
  }

  if (roles !== 'any') {
    test(`403 for every role but ${roles.join(', ')}`, async () => {
      for (const role of PERSON_ROLES.filter((other) => !roles.includes(other))) {
        const session = sessionOf.get(role)!;
        const answer = await as({ session }).call(endpoint, { params: anyParams });
        expect([role, answer.headers['x-error-code']]).toEqual([role, 'role_not_allowed']);
      }
    });

    test('403 before an organization is chosen', async () => {
      const { token } = await sessions.begin(owner.identity, null, Date.now());
      const answer = await as({ session: token }).call(endpoint, { params: anyParams });
      expect(answer.headers['x-error-code']).toBe('organization_not_chosen');
    });
  }

  test('has a scenario, and its access is what it uses', () => {
    expect(scenarios).not.toEqual([]);
    expect(operation.access).toBe(entry.recorded?.grants.every(isReading) ? 'read' : 'write');
    if (method === 'GET') expect(operation.access).toBe('read');
  });
  if (scenarios.length === 0) return;

  test('422 for an unknown query parameter', async () => {
    const answer = await call(endpoint, {
      ...(await keptRequest(owner)),
      params: anyParams,
      query: { unexpected_parameter: '1' },
    });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      expect.arrayContaining([
        expect.objectContaining({ loc: ['query', 'unexpected_parameter'], type: 'extra_forbidden' }),
      ]),
    ]);
  });

  if (body && !isMultipart(body)) {
    test('422 for an unknown field', async () => {
      const valid = await keptRequest(owner);
      const unexpected = { ...(valid.body as object), unexpected_field: 1 };
      const { status, body: reply } = await call(endpoint, { ...valid, body: unexpected });
      expect([status, reply.detail[0].loc]).toEqual([422, ['body', 'unexpected_field']]);
    });
  }

  for (const name of Object.keys(params?.shape ?? {})) {
    test(`404 for a ${name} of another organization, as for one that does not exist`, async () => {
      const foreign = await keptRequest(owner);
      const own = await keptRequest(stranger);
      const of = (value: string) => call(endpoint, { ...own, params: { ...own.params, [name]: value } });
      const [answer, missing] = [await of(foreign.params![name]!), await of(uuidv7())];
      expectDetail(answer, 404);
      expect([missing.status, missing.text]).toEqual([answer.status, answer.text]);
      const malformed = await of('not-a-uuid');
      expect(malformed.status).toBe(422);
    });
  }

  const within = isShared(entry) ? 'stays within' : 'uses';
  test(`${success} with the declared schema, and ${within} what is recorded`, async () => {
    const requests: Recording[] = [];
    const admin = await newAdmin(`Caller of ${id}`);
    for (const position of scenarios.keys()) {
      const request = await newRequest(admin, position);
      const { result: answer, sent } = await recording(() =>
        withFault(undeclaredAttributes, () => call(endpoint, request)),
      );
      expect(answer.text).not.toContain(UNDECLARED);
      expect({ status: answer.status, body: answer.body }).toEqual({ status: success, body: answer.body });
      if (success !== 204 && !isFile(response)) {
        const isDocumented = documented(entry, routeOf(operation)).reply();
        isDocumented(answer.body);
        expect(isDocumented.errors ?? []).toEqual([]);
      }
      requests.push(sent);
    }
    if (!isShared(entry)) {
      expectRecorded(id, usesOfOperation(requests));
      return;
    }
    const { calls = 0, events = [] } = entry.recorded!;
    for (const sent of requests) {
      // A session is read together with its member, which is one more call.
      expect(callsOf(sent)).toBeLessThanOrEqual(calls + 1);
      expect(grantsOf(entry)).toEqual(expect.arrayContaining([...sent.grants]));
      expect(events).toEqual(expect.arrayContaining([...sent.events]));
    }
  });
});

describe('the surfaces', () => {
  test('have different paths and ids', () => {
    const all = [...entries, ...operationEntries()].map(({ operation }) => operation);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const routes = all.map((operation) => `${operation.method} ${routeOf(operation)}`);
    expect(new Set(routes).size).toBe(routes.length);
  });

  test('401 for a session on /v1', async () => {
    for (const entry of operationEntries().filter(({ operation }) => !operation.params)) {
      const { session } = owner;
      const headers = { Cookie: `__Host-session=${session}`, Authorization: `Bearer ${session}` };
      expectDetail(await call(entry, { as: null, headers }), 401);
    }
  });

  test('404 for an unknown path of the app, which is no operation', () => {
    expect(newRouter(entries)('GET', '/app/unknown')).toBeUndefined();
  });
});
