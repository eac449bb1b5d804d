import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { ROOT } from '../infra/catalogue.ts';
import { grantsOf } from '../infra/grants.ts';
import { newRouter } from '../infra/local/gateway/router.ts';
import { errorKindsOf } from '../infra/openapi/document/error-codes.ts';
import { errorStatuses } from '../infra/openapi/document/replies.ts';
import { canonicalJson, sha256 } from '../shared/base/encoding.ts';
import { isFile, isMultipart } from '../shared/http/operation/operation.ts';
import { isRepeatable } from '../shared/http/operation/surface.ts';
import { takesKnownReplies, takesVersion } from '../shared/http/versions.ts';
import * as apiKeys from '../shared/organizations/api-keys.ts';
import { newApiKey } from '../shared/organizations/api-keys.ts';
import { change } from '../shared/table/change.ts';
import { keys } from '../shared/table/keys.ts';
import * as write from '../shared/table/writes.ts';
import { systemWrite } from '../shared/table/writes.ts';
import { type Answer, as, call as send, type Request } from './support/call.ts';
import { allEntries, appEntries, isWithin, operationEntries, pageEntries } from './support/catalogue.ts';
import { clientNames } from './support/client-names.ts';
import { documentedBodies } from './support/documented.ts';
import {
  installFaults,
  shortPages,
  UNDECLARED,
  undeclaredAttributes,
  unprocessedKeys,
  withFault,
} from './support/faults.ts';
import contract from './support/operations.json' with { type: 'json' };
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from './support/people.ts';
import { expectRecorded, isReading, usesOfOperation } from './support/recorded.ts';
import { callsOf, installRecorder, type Recording, recording } from './support/recorder.ts';
import { type Scenario, scenariosOf } from './support/scenarios.ts';
import { type SignedIn, signIn } from './support/signed-in.ts';

jest.mock('../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('./support/undrawn.ts'));

const entries = operationEntries();

/**
 * Operations that write although they only read for the client: a list remembers where its pages end, and what is read
 * from a vendor notes that the vendor refuses the credential.
 */
const REMEMBERING = new Set([
  'listLocations',
  'listBoards',
  'listColumns',
  'listSubitemColumns',
  'listItems',
  'getItem',
  'listItemChildren',
]);
/** Operations on what the caller itself has made or has a part in, which the scenario's is not the member's. */
const OF_THE_CALLER = new Set(['reopenPart', 'updateOwnInspection']);
/** What they answer depends on who asks. */
const DEPENDS_ON_CALLER = new Set([
  'getMyProfile',
  'listAssignedInspections',
  'listMyCorrectiveActions',
  'listMyNotifications',
]);
const JSON_TYPE = 'application/json';

installRecorder();
installFaults();

/** Sends a request. An error has one of the codes that the document lists for the operation. */
const call = async (entry: (typeof entries)[number], request: Request): Promise<Answer> => {
  const answer = await send(entry, request);
  if (answer.status >= 400) {
    const codes = errorKindsOf(entry, errorStatuses(entry.operation)).map(({ code }) => code);
    expect(codes).toContain(answer.headers['x-error-code']);
  }
  return answer;
};

/** What a reply says: without the signatures of its URLs and the time, and whatever the order of its fields. */
const said = ({ status, text, body }: Answer) => {
  const timeless = (json: string): string =>
    json.replaceAll(/\?X-Amz-[^"\\]*/g, '').replaceAll(/"(generated_at|as_of)":"[^"]*"/g, '"$1":""');
  return { status, said: body === undefined ? timeless(text) : JSON.parse(timeless(canonicalJson(body))) };
};

const expectDetail = ({ status, body, headers }: Answer, expected: number) => {
  expect({ status, body }).toEqual({ status: expected, body: { detail: expect.any(String) } });
  expect(headers['content-type']).toBe(JSON_TYPE);
};

const expectProblem = ({ status, body }: Answer, loc: string[], type: string) =>
  expect({ status, body }).toEqual({
    status: 422,
    body: {
      detail: expect.arrayContaining([expect.objectContaining({ loc, type, msg: expect.any(String) })]),
    },
  });

/** Keys that must not authenticate, by the reason. */
const unusableKeys = async (): Promise<Record<string, string | null>> => {
  const { key, caller } = await newPerson('Former');
  await apiKeys.revoke(caller, caller.key_id);
  const expired = await newPerson('Expired');
  const row = write.update(keys.apiKey(sha256(expired.key)), { set: { valid_until: Date.now() - 1 } });
  await change(expired.caller, () => ({ writes: [systemWrite(row)], reply: undefined }));
  const { key: unknown } = newApiKey();
  return {
    missing: null,
    malformed: 'ak_short',
    mistyped: `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`,
    unknown,
    'a session token': 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
    revoked: key,
    expired: expired.key,
  };
};

let unusable: Record<string, string | null>;
let stranger: SignedIn;

beforeAll(async () => {
  unusable = await unusableKeys();
  stranger = await signIn(await newPerson('Stranger'));
});

/** Whether an operation takes the version of what a GET's path leads to. */
const isVersionTaken = (path: string): boolean =>
  entries.some(({ operation: other }) => takesVersion(other) && isWithin(other.path, path));

const documented = documentedBodies(entries);
const route = newRouter(entries);

describe.each(entries.map((entry) => [`${entry.operation.method} ${entry.operation.path}`, entry] as const))(
  '%s',
  (_, entry) => {
    const { operation, area } = entry;
    const { id, method, access, body, params } = operation;
    const given = scenariosOf(area);
    const scenarios: readonly Scenario[] = given.scenarios[id] ?? [];
    const failure = given.failures?.[id];
    const { grants = [], calls = 0, events = [] } = entry.recorded ?? {};
    const anyParams = Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, uuidv7()]));

    let person: Person;
    let valid: Request;

    beforeAll(async () => {
      person = await newPerson(`Caller of ${id}`);
      valid = { as: person.key, ...(await scenarios[0]?.(person)) };
    });

    let own: Promise<{ other: Person; request: Request }> | undefined;
    /**
     * The same request of somebody of its own. The calls of the first one that succeeds do not depend on what other tests
     * have left.
     */
    const ownRequest = () =>
      (own ??= (async () => {
        const other = await newPerson(`Recorded of ${id}`);
        return { other, request: { as: other.key, ...(await scenarios[0]!(other)) } };
      })());

    const { reply, request: bodySchema } = documented(entry, operation.path);
    let isReply: ReturnType<typeof reply> | undefined;
    let isRequest: typeof isReply;

    /** What the service accepts, its document accepts. */
    const expectDocumented = ({ body: sent }: Request): void => {
      if (!body || sent === undefined || (isMultipart(body) && !body.json)) return;
      isRequest ??= bodySchema();
      isRequest(sent);
      expect(isRequest.errors ?? []).toEqual([]);
    };

    /** Sends a request that must succeed, on rows that hold what may not leave the service, and checks the reply. */
    const recordSuccess = async (request: Request): Promise<{ answer: Answer; sent: Recording }> => {
      const { result: answer, sent } = await recording(() =>
        withFault(undeclaredAttributes, () => call(entry, request)),
      );
      expect(answer.text).not.toContain(UNDECLARED);
      expectDocumented(request);
      const { success, existing = success } = operation;
      // The body is compared too, so that a failure shows it.
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: answer.status === existing ? existing : success,
        body: answer.body,
      });
      const { response } = operation;
      if (answer.status === 204) expect(answer.text).toBe('');
      else if (isFile(response)) {
        expect(response.mediaTypes).toContain(answer.headers['content-type']);
        expect(answer.bytes.length).toBeGreaterThan(0);
      } else {
        expect(response.safeParse(answer.body)).toMatchObject({ success: true });
        expect(answer.headers['content-type']).toBe(JSON_TYPE);
        for (const { created_at, updated_at } of [answer.body].flat().filter(Boolean))
          if (created_at && updated_at) expect(updated_at >= created_at).toBe(true);
        isReply ??= reply();
        isReply(answer.body);
        expect(isReply.errors ?? []).toEqual([]);
      }
      return { answer, sent };
    };

    /** @param more calls of a request with a certain header */
    const expectUses = (sent: Recording, more: number): void => {
      expect(callsOf(sent)).toBeLessThanOrEqual(calls + more);
      expect(grantsOf(entry)).toEqual(expect.arrayContaining([...sent.grants]));
    };

    /** Sends a request that must succeed, and checks the reply and what it uses. */
    const succeed = async (request: Request): Promise<Answer> => {
      const { answer, sent } = await recordSuccess(request);
      // The claim of the key is one more call, and so is its completion if the request changes nothing.
      expectUses(sent, request.headers?.['Idempotency-Key'] === undefined ? 0 : 2);
      return answer;
    };

    test('401 for every invalid key', async () => {
      const answers = Object.entries(unusable).map(async ([reason, key]) => {
        const answer = await as(key).call(entry, { params: anyParams });
        expect([reason, answer.status]).toEqual([reason, 401]);
        expectDetail(answer, 401);
        expect(answer.headers['www-authenticate']).toMatch(
          key === null ? /^Bearer realm="v1"$/ : /^Bearer realm="v1", error="invalid_token"$/,
        );
      });
      await Promise.all(answers);
    });

    const isWriting = !grants.every(isReading) && !REMEMBERING.has(id);

    if (access === 'person') {
      test('403 for an API key, and uses what is recorded', async () => {
        const { result, sent } = await recording(() =>
          as(person).call(entry, { params: anyParams, body: { any: 1 } }),
        );
        expectDetail(result, 403);
        expectRecorded(id, usesOfOperation([sent]));
      });
      return;
    }

    // A preview is a POST for its body alone. It is the only one that has no right to write.
    test(`needs a ${isWriting ? 'read-and-write' : 'read'} key, as what it uses says`, () => {
      expect(access).toBe(isWriting ? 'write' : 'read');
      if (!isWriting) expect(method === 'GET' || id.startsWith('preview')).toBe(true);
    });

    if (access === 'write') {
      test('403 for a read-only key', async () => {
        expectDetail(await as(person.readOnlyKey).call(entry, { params: anyParams, body: { any: 1 } }), 403);
      });
    }

    const forAdmin = () => onBehalfOf({ user_id: person.adminId });

    if (operation.actsFor) {
      test('403 for On-Behalf-Of with a key that may not act for members', async () => {
        const answer = await as(person).call(entry, { params: anyParams, headers: forAdmin() });
        expectDetail(answer, 403);
        expect(answer.headers['x-error-code']).toBe('key_acts_for_nobody');
      });
    } else {
      test('400 for On-Behalf-Of, which it does not take', async () => {
        const answer = await as(person).call(entry, { params: anyParams, headers: forAdmin() });
        expectDetail(answer, 400);
        expect(answer.headers['x-error-code']).toBe('on_behalf_not_taken');
      });
    }

    test(`has a scenario in test/${area}/scenarios.ts`, () => {
      expect(scenarios).not.toEqual([]);
    });
    if (scenarios.length === 0) return;

    const ids = Object.keys(anyParams).filter((name) => !params!.shape[name]!.safeParse('anything').success);
    for (const name of ids) {
      test(`422 for a malformed ${name}`, async () => {
        const answer = await call(entry, { ...valid, params: { ...valid.params, [name]: 'not-a-uuid' } });
        expect(answer.status).toBe(422);
        const type = name.endsWith('_id') ? 'uuid_parsing' : 'enum';
        expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ['path', name], type })]);
      });
    }

    if (ids.length > 0) {
      test(`404 for a ${ids.join(', ')} of another organization, as for one that does not exist`, async () => {
        const { request } = await ownRequest();
        const withId = (name: string, value: string) =>
          call(entry, { ...request, params: { ...request.params, [name]: value } });
        for (const name of ids) {
          const foreign = valid.params![name]!;
          const answer = await withId(name, foreign);
          expectDetail(answer, 404);
          expect(answer.text).not.toContain(foreign);
          const missing = await withId(name, uuidv7());
          const headers = { ...answer.headers, 'x-request-id': missing.headers['x-request-id'] };
          expect(missing).toEqual({ ...answer, headers });
        }
      });
    }

    test('422 for an unknown query parameter, before the resource is looked up', async () => {
      const query = { ...valid.query, unexpected_parameter: '1' };
      const answer = await call(entry, { ...valid, params: anyParams, query });
      expectProblem(answer, ['query', 'unexpected_parameter'], 'extra_forbidden');
    });

    if (isMultipart(body)) {
      test('422 for an unknown field', async () => {
        const form = new FormData();
        for (const [name, value] of valid.form!) form.append(name, value);
        form.append('unexpected_field', '1');
        expectProblem(await call(entry, { ...valid, form }), ['body', 'unexpected_field'], 'extra_forbidden');
      });

      test('400 for a body that is not a form', async () => {
        const { form: _, ...bare } = valid;
        if (!body.json) expectDetail(await call(entry, { ...bare, body: { title: 'a' } }), 400);
        const headers = { 'Content-Type': 'multipart/form-data' };
        expectDetail(await call(entry, { ...bare, raw: Buffer.from('a'), headers }), 400);
      });
    } else {
      test('422 for an unknown field', async () => {
        const unexpected = { ...(valid.body as object), unexpected_field: 1 };
        expectProblem(
          await call(entry, { ...valid, body: unexpected }),
          ['body', 'unexpected_field'],
          'extra_forbidden',
        );
      });

      test('400 for a body that cannot be read', async () => {
        for (const raw of [Buffer.from('{"name": '), Buffer.from([0x22, 0xff, 0x22])]) {
          expectDetail(await call(entry, { ...valid, raw }), 400);
        }
      });

      test('400 for a body in another charset', async () => {
        const headers = { 'Content-Type': 'application/json; charset=utf-16' };
        const raw = Buffer.from(JSON.stringify(valid.body ?? {}));
        expectDetail(await call(entry, { ...valid, raw, headers }), 400);
      });

      if (body) {
        test('400 for a body of another type', async () => {
          const raw = Buffer.from(JSON.stringify(valid.body ?? {}));
          expectDetail(await call(entry, { ...valid, raw, headers: { 'Content-Type': 'text/plain' } }), 400);
        });
      }
    }

    test(`${operation.success} with the declared schema, and uses what is recorded`, async () => {
      const { other, request: first } = await ownRequest();
      const recorded = [await recordSuccess(first)];
      for (const scenario of scenarios.slice(1))
        recorded.push(await recordSuccess({ as: other.key, ...(await scenario(other)) }));
      const failed: Recording[] = [];
      await failure?.(other, async (request) => {
        const { result, sent } = await recording(() => call(entry, { as: other.key, ...request }));
        expect(result.status).toBeGreaterThanOrEqual(400);
        failed.push(sent);
        return result;
      });
      expectRecorded(
        id,
        usesOfOperation(
          recorded.map(({ sent }) => sent),
          failed,
        ),
      );
      if (operation.location === undefined) return;
      // The Location answers with what was made.
      const made = recorded.map(({ answer }) => answer).find(({ headers }) => headers['location'])!;
      const { entry: found, params: named } = route('GET', new URL(made.headers['location']!).pathname)!;
      const read = await call(found as typeof entry, { as: other.key, params: named });
      expect(read.status).toBe(200);
      // A list of what runs has it in one of its entries.
      if (found.operation.list) expect(read.text).toContain(made.body.id);
      else expect(read.body.id).toBe(made.body.id);
    });

    if (access === 'read') {
      test(`${operation.success} for a read-only key, which has an identity of its own`, async () => {
        const { status } = await call(entry, { ...valid, as: person.readOnlyKey });
        expect(status).toBe(operation.success);
      });
    }

    if (method === 'GET') {
      test(`${operation.success} with the same reply when the table answers in short pages, and its rows hold what no schema declares`, async () => {
        const [whole, paged] = [
          await call(entry, valid),
          await withFault(
            (sending) =>
              shortPages({
                ...sending,
                send: () => unprocessedKeys({ ...sending, send: () => undeclaredAttributes(sending) }),
              }),
            () => call(entry, valid),
          ),
        ];
        expect(paged.status).toBe(operation.success);
        expect(said(paged)).toEqual(said(whole));
      });
    }

    if (method === 'PATCH' && body && !isMultipart(body) && body.safeParse({}).success) {
      test('200 for an empty object, which changes nothing', async () => {
        const request: Request = { ...valid, body: {} };
        const first = await succeed(request);
        expect((await succeed(request)).body).toEqual(first.body);
      });
    }

    if (method === 'GET') {
      test(`${operation.success} for a HEAD, with the headers of the GET and no body`, async () => {
        const [whole, head] = [await call(entry, valid), await call(entry, { ...valid, method: 'HEAD' })];
        expect(head).toMatchObject({ status: operation.success, text: '' });
        const named = ({ headers }: Answer) => Object.keys(headers).toSorted();
        expect(named(head)).toEqual(named(whole));
        // It has an ETag if an operation takes its version.
        const isVersioned = typeof whole.body?.version === 'number' && isVersionTaken(operation.path);
        const hasTag = whole.headers['etag'] !== undefined;
        expect({ isVersioned, hasTag }).toEqual({
          isVersioned: takesKnownReplies(operation),
          hasTag: takesKnownReplies(operation),
        });
      });
    }

    if (operation.people) {
      test(`${operation.success} for an admin, with the reply that a key gets, and 404 for one of another organization`, async () => {
        const { session } = await signIn(person);
        const request: Request = { ...valid, as: null, session };
        const [byKey, byPerson] = [await call(entry, valid), await recording(() => call(entry, request))];
        if (DEPENDS_ON_CALLER.has(id) && !isFile(operation.response)) {
          expect(byPerson.result.status).toBe(operation.success);
          expect(operation.response.safeParse(byPerson.result.body)).toMatchObject({ success: true });
        } else {
          expect(said(byPerson.result)).toEqual(said(byKey));
        }
        // A session is read together with its member, and a person's requests are counted: two calls more than for a key.
        expectUses(byPerson.sent, 2);
        if (ids.length === 0) return;
        const { as: _, ...foreign } = valid;
        expectDetail(await as(stranger).call(entry, foreign), 404);
      });
    }

    if (!isRepeatable(operation)) {
      test('400 for an Idempotency-Key, which it does not take', async () => {
        const headers = { ...valid.headers, 'Idempotency-Key': uuidv7() };
        const answer = await call(entry, { ...valid, headers });
        expectDetail(answer, 400);
        expect(answer.headers['x-error-code']).toBe('idempotency_key_not_taken');
      });
    }

    if (body) {
      test('400 for a compressed body', async () => {
        const raw = gzipSync(JSON.stringify(valid.body ?? {}));
        const headers = { ...valid.headers, 'Content-Encoding': 'gzip' };
        const { form: _, body: __, ...bare } = valid;
        const answer = await call(entry, { ...bare, raw, headers });
        expectDetail(answer, 400);
        const codes = [
          'content_encoding_not_supported',
          ...(isMultipart(body) ? ['wrong_content_type'] : []),
        ];
        expect(codes).toContain(answer.headers['x-error-code']);
      });
    }

    if (operation.actsFor) {
      const isOfOthers = OF_THE_CALLER.has(id);
      const outcome = isOfOthers
        ? '403 or 409, because it is of the key'
        : `${operation.success}, and the member is recorded with the key`;
      // The last one that sends the valid request, which may succeed only once.
      test(`${outcome}: for a member`, async () => {
        const member = await newMember(person, 'admin');
        const { key, id: keyId } = await actingKey(person);
        const request = { ...valid, as: key, headers: { ...valid.headers, ...onBehalfOf(member) } };
        const { result: answer, sent } = await recording(() => call(entry, request));
        if (isOfOthers) {
          expect([403, 409]).toContain(answer.status);
          return;
        }
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: operation.success,
          body: answer.body,
        });
        expect([...sent.actors]).toEqual(events.length > 0 ? [`${member.user_id} via ${keyId}`] : []);
        // Reading the member is one more call.
        expectUses(sent, 1);
      });
    }

    if (isRepeatable(operation)) {
      test(`${operation.success} with the same reply for a repeated idempotency key`, async () => {
        const request: Request = {
          as: person.key,
          ...(await scenarios[0]!(person)),
          headers: { 'Idempotency-Key': uuidv7() },
        };
        const first = await succeed(request);
        const second = await succeed(request);
        expect(second.bytes).toEqual(first.bytes);
        expect(second.headers['idempotent-replayed']).toBe('true');
      });
    }
  },
);

test('the client of the tests has every operation, and uses what is recorded', () => {
  const file = join(import.meta.dirname, 'support/calls.json');
  const names = clientNames(allEntries());
  if (process.env['RECORD']) writeFileSync(file, `${JSON.stringify(names, null, 2)}\n`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(names);
});

describe('the contract', () => {
  const shape = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
  const find = (method: string, path: string) =>
    contract.find((listed) => listed.method === method && shape(listed.path) === shape(path));

  /** The folders of the contract's areas in `functions/`, where the names differ. */
  const FOLDERS: Record<string, string> = {
    'findings and corrective actions': 'findings',
    'members and profile': 'members',
    'client accounts': 'client-accounts',
  };
  /** Parts of paths that have a folder of their own. */
  const PATHS: Record<string, string> = {
    '/corrective-actions': 'corrective-actions',
    '/corrections': 'corrections',
    '/responses': 'answers',
    '/me/notifications': 'notifications',
    '/me/profile': 'me',
    '/me/preferences': 'me',
  };
  const folderOf = (area: string, path: string, ai: boolean): string => {
    if (ai) return 'ai';
    const named = Object.entries(PATHS).find(([part]) => path.includes(part));
    return named?.[1] ?? FOLDERS[area] ?? area;
  };

  test('has the same path and area for every operation that both have', () => {
    const placed = entries.flatMap(({ area, operation: { method, path } }) =>
      find(method, path) ? [{ method, path, area }] : [],
    );
    const listed = placed.map(({ method, path }) => {
      const { area, ai, path: named } = find(method, path)!;
      return { method, path: named, area: folderOf(area, named, ai) };
    });
    expect(placed).toEqual(listed);
  });

  test('has no two operations with the same method and path, or the same id', () => {
    const routes = entries.map(({ operation: { method, path } }) => `${method} ${shape(path)}`);
    expect(new Set(routes).size).toBe(routes.length);
    expect(new Set(entries.map(({ operation }) => operation.id)).size).toBe(entries.length);
  });

  // Finds an operation that was deleted or renamed by mistake: its scenarios are still there.
  test('has an operation for each scenario', () => {
    const areas = readdirSync(join(ROOT, 'test')).filter((name) => name !== 'support');
    const ids = new Set([...entries, ...pageEntries(), ...appEntries()].map(({ operation }) => operation.id));
    const scenarios = areas.flatMap((area) => Object.keys(scenariosOf(area).scenarios));
    expect(scenarios.filter((id) => !ids.has(id))).toEqual([]);
    expect(scenarios.length).toBeGreaterThan(0);
  });

  afterAll(() => {
    const isImplemented = ({ method, path }: { method: string; path: string }) =>
      entries.some(({ operation }) => operation.method === method && shape(operation.path) === shape(path));
    const missing = contract.filter((listed) => !isImplemented(listed));
    const additional = entries.filter(({ operation }) => !find(operation.method, operation.path));
    const names = (operations: { method: string; path: string }[]) =>
      operations.map(({ method, path }) => `  ${method} ${path}`).join('\n');
    process.stdout.write(
      `not implemented: ${missing.length} of ${contract.length} operations of the contract\n${names(missing)}\n` +
        `not in the contract: ${additional.length}\n${names(additional.map(({ operation }) => operation))}\n`,
    );
  });
});
