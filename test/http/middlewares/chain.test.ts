import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import * as errors from '../../../shared/base/errors.ts';
import { SAFE_HEADERS } from '../../../shared/base/headers.ts';
import { html } from '../../../shared/base/markup.ts';
import { createHandler } from '../../../shared/http/handler.ts';
import { fitted } from '../../../shared/http/lambda.ts';
import { webForm } from '../../../shared/http/operation/forms.ts';
import {
  type AppRoles,
  defineOperation,
  type Operation,
  type PublicOperation,
} from '../../../shared/http/operation/operation.ts';
import { file, page } from '../../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../../shared/http/page-handler.ts';
import { newApiKey } from '../../../shared/organizations/api-keys.ts';
import { MAX_REQUESTS_PER_MINUTE } from '../../../shared/organizations/authentication.ts';
import { MAX_LONG_REPLIES } from '../../../shared/organizations/long-replies.ts';
import { resourceVersion } from '../../../shared/schemas/common.ts';
import { type Answer, as } from '../../support/call.ts';
import { anyBytes } from '../../support/chance.ts';
import { answerWith, closeDoor, conditionFailed, sentCommands } from '../../support/door.ts';
import { sdkError } from '../../support/faults.ts';
import { anyAddress, visit } from '../../support/visit.ts';

/*
 * What every request goes through, against a fake of AWS: its order, and what it answers in every case. The same with an
 * engine, where two requests meet, is in the files beside this one.
 */
closeDoor();
process.env['TABLE_NAME'] = 'trial';
process.env['PUBLIC_URL'] = 'https://inspections.example.com';

const ORG = '0190f3c2-0000-7000-8000-000000000001';
const { key: KEY } = newApiKey();
const keyRow = (more: object = {}) => ({
  org_id: ORG,
  user_id: 'u1',
  key_id: 'k1',
  name: 'Integration',
  access: 'read_write',
  ...more,
});
const authenticated = (more?: object) => ({ 'UpdateItem KEY': { Attributes: keyRow(more) } });
const names = () => sentCommands.map(({ name }) => name);
const refusalOf = ({ status, headers }: Pick<Answer, 'status' | 'headers'>) => [
  status,
  headers['x-error-code'],
];
const of = ({ status, code }: { status: number; code: string }) => [status, code];

const declared = {
  id: 'doThing',
  method: 'POST',
  path: '/things',
  summary: 'Do a thing',
  access: 'write',
  body: z.strictObject({ name: z.string() }),
  success: 201,
  response: z.object({ name: z.string(), version: resourceVersion() }),
} as const satisfies Operation;
const THING = { name: 'a', version: 1 };

/** The reply to a read of one row by its key; null where there is none. */
const rowsAtKeys =
  (row: object | null) =>
  ({ RequestItems }: { RequestItems?: Record<string, { Keys: object[] }> }) => ({
    Responses: { trial: row ? RequestItems!['trial']!.Keys.map((key) => ({ ...key, ...row })) : [] },
  });

/** An endpoint, and how often its logic has run. */
const endpointOf = (more: Partial<Operation> = {}, logic: (given: never) => unknown = () => THING) => {
  const operation = defineOperation({ ...declared, ...more } as Operation & { params?: undefined });
  const ran = jest.fn(logic);
  return { operation, handler: createHandler(operation, ran as never), ran };
};
const body = { name: 'a' };

describe('a request with an API key', () => {
  test('is carried out for the caller that the key is', async () => {
    answerWith(authenticated({ cursor_secret: 's' }));
    const { ran, ...endpoint } = endpointOf();
    const answer = await as(KEY).call(endpoint, { body });
    expect([answer.status, answer.body]).toEqual([201, THING]);
    const caller = { ...keyRow(), cursor_secret: 's' };
    expect(ran.mock.calls).toEqual([[{ params: {}, query: {}, body, caller }]]);
    expect(names()).toEqual(['UpdateItem KEY']);
  });

  test.each([null, 'no key', `${KEY.slice(0, -1)}${KEY.endsWith('0') ? '1' : '0'}`])(
    'is 401 without a call for the key %j',
    async (key) => {
      answerWith({});
      const { ran, ...endpoint } = endpointOf();
      expect(refusalOf(await as(key).call(endpoint, { body }))).toEqual(of(errors.apiKeyUnknown));
      expect([names(), ran.mock.calls]).toEqual([[], []]);
    },
  );

  const minute = () => Math.floor(Date.now() / 60_000);
  const ever = { minute: minute() + 1_000 };
  test.each<[string, object | undefined, { status: number; code: string }]>([
    ['is unknown', undefined, errors.apiKeyUnknown],
    [
      'was revoked',
      { ...ever, count: 0, revoked_at: '2026-01-01T00:00:00.000Z', valid_until: 1 },
      errors.apiKeyRevoked,
    ],
    ['has expired', { ...ever, count: 0, valid_until: 1 }, errors.apiKeyExpired],
    [
      'was used too often in this minute',
      { ...ever, count: MAX_REQUESTS_PER_MINUTE },
      errors.rateLimitExceeded,
    ],
  ])('is refused where the key %s', async (_, row, error) => {
    answerWith({ 'UpdateItem KEY': conditionFailed(row && keyRow({ networks: null, ...row })) });
    const { ran, ...endpoint } = endpointOf();
    expect(refusalOf(await as(KEY).call(endpoint, { body: 'no object' }))).toEqual(of(error));
    expect(ran).not.toHaveBeenCalled();
  });

  test.each([
    ['write', 'read_only', of(errors.apiKeyReadOnly)],
    ['write', 'read_write', [422, 'validation_failed']],
    ['read', 'read_only', [422, 'validation_failed']],
    ['read', 'read_write', [422, 'validation_failed']],
    ['person', 'read_only', of(errors.personRequired)],
    ['person', 'read_write', of(errors.personRequired)],
  ] as const)('with %s access is checked before its body, with a %s key', async (access, ofKey, expected) => {
    answerWith(authenticated({ access: ofKey }));
    const { ran, ...endpoint } = endpointOf({ access });
    expect(refusalOf(await as(KEY).call(endpoint, { body: {} }))).toEqual(expected);
    expect(ran).not.toHaveBeenCalled();
  });

  test('may have any number of long replies where the reply is not streamed', async () => {
    const long_replies = new Set(
      Array.from({ length: MAX_LONG_REPLIES + 1 }, (_, i) => `${Date.now() * 2}#${i}`),
    );
    answerWith(authenticated({ long_replies }));
    expect((await as(KEY).call(endpointOf(), { body })).status).toBe(201);
  });

  test('is answered at once, with its id, whatever goes wrong', async () => {
    const failing = (error: Error) =>
      endpointOf({ errors: [404, 409] }, () => {
        throw error;
      });
    answerWith(authenticated());
    const answer = async (error: Error) => as(KEY).call(failing(error), { body });
    const detailOf = async (error: Error) => {
      const { status, body, headers } = await answer(error);
      return [status, body, headers['x-error-code']];
    };
    const known = errors.notFound('thing');
    expect(await detailOf(known)).toEqual([404, { detail: known.detail }, known.code]);
    const { detail } = errors.unavailable('A dependency');
    expect(await detailOf(sdkError('InternalServerError', { $metadata: { httpStatusCode: 500 } }))).toEqual([
      503,
      { detail },
      errors.unavailable.code,
    ]);
    expect(await detailOf(new TypeError('secret'))).toEqual([
      500,
      { detail: 'internal server error' },
      'internal_error',
    ]);
  });
});

test('each reply of a deprecated operation says since when, and when it is gone', async () => {
  answerWith(authenticated());
  const endpoint = endpointOf({
    deprecated: { since: '2027-03-01', sunset: '2028-03-01', instead: 'POST /v1/items' },
  });
  const said = { deprecation: '@1803859200', sunset: 'Wed, 01 Mar 2028 00:00:00 GMT' };
  for (const [sent, status] of [
    [body, 201],
    [{}, 422],
  ] as const) {
    const answer = await as(KEY).call(endpoint, { body: sent });
    expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(said)]);
  }
  expect((await as(KEY).call(endpointOf(), { body })).headers).not.toHaveProperty('sunset');
});

describe('a request of a signed-in person', () => {
  const TOKEN = 'abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE';
  const NOW = 1_800_000_000_000;
  const MINUTE = 60_000;
  const sessionRow = (more: object = {}) => ({
    ttl: NOW / 1_000 + 3_600,
    person: 'p1',
    name: 'Ada',
    email: 'ada@example.com',
    org_id: ORG,
    user_id: 'u1',
    cursor_secret: 's',
    created_at: NOW - 10 * MINUTE,
    ends_at: NOW + 60 * MINUTE,
    seen_at: NOW - MINUTE + 1,
    ...more,
  });
  const member = (more: object = {}) => ({
    user_id: 'u1',
    name: 'Ada',
    role: 'admin',
    status: 'active',
    identity: { person: 'p1' },
    ...more,
  });
  const signedIn = (session: object | null = {}, ofMember: object | null = {}) => ({
    'BatchGetItem SESSION': rowsAtKeys(session && sessionRow(session)),
    'GetItem ORG': ofMember ? { Item: member(ofMember) } : {},
    'UpdateItem SESSION': {},
    'UpdateItem VISITS': { Attributes: { count: 1 } },
  });
  const appOnly = (roles: AppRoles) => endpointOf({ surface: 'app', roles, body: undefined } as never);
  const headers = { Origin: 'https://inspections.example.com' };

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('is carried out for the member that the person is', async () => {
    answerWith(signedIn());
    const { ran, ...endpoint } = appOnly(['admin', 'approver']);
    expect((await as({ session: TOKEN }).call(endpoint)).status).toBe(201);
    const [[given]] = ran.mock.calls as unknown as [[{ caller: object; session: object }]];
    expect(given).toMatchObject({
      caller: { org_id: ORG, user_id: 'u1', name: 'Ada', role: 'admin', cursor_secret: 's' },
      session: { person: 'p1', org_id: ORG },
    });
    expect(names()).toEqual([
      'BatchGetItem SESSION',
      'UpdateItem VISITS',
      'UpdateItem VISITS',
      'GetItem ORG',
    ]);
  });

  test('is carried out for everybody with a session where any role may call', async () => {
    answerWith(signedIn({ org_id: null, user_id: null }));
    const { ran, ...endpoint } = appOnly('any');
    expect((await as({ session: TOKEN }).call(endpoint)).status).toBe(201);
    expect(ran.mock.calls).toMatchObject([[{ caller: undefined, session: { person: 'p1' } }]]);
    expect(names()).toEqual(['BatchGetItem SESSION', 'UpdateItem VISITS', 'UpdateItem VISITS']);
  });

  test.each<[string, object | null, object | null, { status: number; code: string }]>([
    ['there is no such session', null, {}, errors.sessionRequired],
    ['the session has ended', { ends_at: NOW }, {}, errors.sessionRequired],
    ['it was not used for an hour', { seen_at: NOW - 60 * MINUTE }, {}, errors.sessionRequired],
    ['no organization is chosen', { org_id: null }, {}, errors.organizationNotChosen],
    ['the member is no more', {}, null, errors.sessionRequired],
    ['the member is suspended', {}, { status: 'suspended' }, errors.sessionRequired],
    ['the member is somebody else', {}, { identity: { person: 'p2' } }, errors.sessionRequired],
    ['the member is a key', {}, { role: 'api' }, errors.sessionRequired],
    ['the member was suspended since', {}, { sessions_from: NOW - 10 * MINUTE }, errors.sessionRequired],
    ['the role may not', {}, { role: 'inspector' }, errors.roleNotAllowed],
  ])('is refused where %s', async (_, session, ofMember, error) => {
    answerWith(signedIn(session, ofMember));
    const { ran, ...endpoint } = appOnly(['admin']);
    expect(refusalOf(await as({ session: TOKEN }).call(endpoint))).toEqual(of(error));
    expect(ran).not.toHaveBeenCalled();
  });

  test('is 401 without a call where there is no cookie', async () => {
    answerWith({});
    expect(refusalOf(await as({ session: null }).call(appOnly(['admin'])))).toEqual(
      of(errors.sessionRequired),
    );
    expect(names()).toEqual([]);
  });

  test.each<AppRoles>(['any', ['admin']])(
    'is refused where another page sends it, after the session was checked: %j',
    async (roles) => {
      const foreign = { headers: { Origin: 'https://example.com' } };
      const refused = async () => refusalOf(await as({ session: TOKEN }).call(appOnly(roles), foreign));
      answerWith(signedIn());
      expect(await refused()).toEqual(of(errors.foreignOrigin));
      answerWith(signedIn({}, { role: 'inspector' }));
      expect(await refused()).toEqual(of(errors.foreignOrigin));
      answerWith(signedIn({ ends_at: NOW }));
      expect(await refused()).toEqual(of(errors.sessionRequired));
    },
  );

  test('moves the session on once a minute', async () => {
    answerWith(signedIn({ seen_at: NOW - MINUTE }));
    expect((await as({ session: TOKEN }).call(appOnly('any'))).status).toBe(201);
    expect(names().slice(0, 2)).toEqual(['BatchGetItem SESSION', 'UpdateItem SESSION']);
    expect(Object.values(sentCommands[1]!.input['ExpressionAttributeValues'] as object)).toContain(NOW);
  });

  test('by either way is checked by the way it came', async () => {
    const both = endpointOf({ app: { path: '/my-things', roles: ['inspector'] } });
    answerWith(signedIn());
    expect(refusalOf(await as({ session: TOKEN }).call(both, { body }))).toEqual(of(errors.roleNotAllowed));
    answerWith(signedIn({}, { role: 'inspector' }));
    expect((await as({ session: TOKEN }).call(both, { body })).status).toBe(201);
    answerWith(authenticated());
    expect((await as(KEY).call(both, { body, headers: { Cookie: `__Host-session=${TOKEN}` } })).status).toBe(
      201,
    );
    expect(names()).toEqual(['UpdateItem KEY']);
  });

  test('is refused with an idempotency key', async () => {
    answerWith(signedIn({}, { role: 'inspector' }));
    const both = endpointOf({ app: { path: '/my-things', roles: ['inspector'] } });
    const request = { body, headers: { ...headers, 'Idempotency-Key': 'k' } };
    expect(refusalOf(await as({ session: TOKEN }).call(both, request))).toEqual(
      of(errors.idempotencyKeyNotTaken),
    );
    expect(names()).not.toContain('PutItem ORG');
  });
});

describe('an idempotency key', () => {
  const request = (key = 'k', more: object = {}) => ({ body, headers: { 'Idempotency-Key': key }, ...more });
  const claimable = {
    ...authenticated(),
    'PutItem ORG': {},
    'TransactWriteItems ORG': {},
    'DeleteItem ORG': {},
  };
  const standing = (more: object) => ({
    ...authenticated(),
    'PutItem ORG': ({ Item }: { Item?: { pk: string; body_hash: string } }) =>
      conditionFailed({ pk: Item!.pk, sk: 'CLAIM', body_hash: Item!.body_hash, ...more }),
  });

  test('is claimed before the logic runs, and completed after it', async () => {
    answerWith(claimable);
    const { ran, ...endpoint } = endpointOf();
    expect((await as(KEY).call(endpoint, request())).status).toBe(201);
    expect(ran).toHaveBeenCalledTimes(1);
    expect(names()).toEqual(['UpdateItem KEY', 'PutItem ORG', 'TransactWriteItems ORG']);
    const { Item } = sentCommands[1]!.input as { Item: { lease: string; leased_until: number; ttl: number } };
    expect(JSON.stringify(sentCommands[2]!.input)).toContain(Item.lease);
    expect(JSON.stringify(sentCommands[2]!.input)).toContain('"completed"');
    expect(JSON.stringify(sentCommands[2]!.input)).toContain('201');
  });

  test('is released where the request fails', async () => {
    answerWith(claimable);
    const endpoint = endpointOf({}, () => Promise.reject(new Error('x')));
    expect((await as(KEY).call(endpoint, request())).status).toBe(500);
    expect(names()).toEqual(['UpdateItem KEY', 'PutItem ORG', 'DeleteItem ORG']);
    const { Item } = sentCommands[1]!.input as { Item: { lease: string } };
    expect(JSON.stringify(sentCommands[2]!.input)).toContain(Item.lease);
  });

  test.each(['a'.repeat(255), '!~'])('may be %s', async (key) => {
    answerWith(claimable);
    expect((await as(KEY).call(endpointOf(), request(key))).status).toBe(201);
    expect(names()).toContain('PutItem ORG');
  });

  test.each(['', 'a'.repeat(256), 'a b', 'é'])('is 422 where it is %j', async (key) => {
    answerWith(authenticated());
    const { ran, ...endpoint } = endpointOf();
    const answer = await as(KEY).call(endpoint, request(key));
    expect(refusalOf(answer)).toEqual(of(errors.idempotencyKeyInvalid));
    expect(answer.body.detail).toEqual([
      {
        loc: ['header', 'idempotency-key'],
        type: 'value_error',
        msg: 'Value error, should be 1 to 255 printable ASCII characters',
      },
    ]);
    expect([names(), ran.mock.calls]).toEqual([['UpdateItem KEY'], []]);
  });

  test('is 409 while the first request runs', async () => {
    answerWith(standing({ state: 'running' }));
    const { ran, ...endpoint } = endpointOf();
    expect(refusalOf(await as(KEY).call(endpoint, request()))).toEqual(of(errors.idempotentRequestRunning));
    expect([names(), ran.mock.calls]).toEqual([['UpdateItem KEY', 'PutItem ORG'], []]);
  });

  test('is 422 with another request', async () => {
    answerWith(standing({ state: 'completed', body_hash: 'other' }));
    const answer = await as(KEY).call(endpointOf(), request());
    expect([answer.status, answer.body.detail[0].msg]).toEqual([
      422,
      'Value error, this key was used with another request',
    ]);
  });

  const stored = (value: unknown, status = 201) =>
    standing({ state: 'completed', status, parts: 1, body: gzipSync(JSON.stringify(value)) });

  test('gives the stored reply again, with its ETag, and does nothing', async () => {
    answerWith(stored(THING));
    const { ran, ...endpoint } = endpointOf();
    const { status, body, headers } = await as(KEY).call(endpoint, request());
    expect([status, body, headers['etag'], headers['idempotent-replayed']]).toEqual([
      201,
      THING,
      expect.stringMatching(/^"1-/),
      'true',
    ]);
    expect([names(), ran.mock.calls]).toEqual([['UpdateItem KEY', 'PutItem ORG'], []]);
  });

  test('gives a reply without a version again, without an ETag', async () => {
    answerWith(stored('done'));
    const { body, headers } = await as(KEY).call(endpointOf({ response: z.string() }), request());
    expect([body, headers['etag'], headers['idempotent-replayed']]).toEqual(['done', undefined, 'true']);
  });

  test('gives a file again', async () => {
    const headers = { ...SAFE_HEADERS, 'content-type': 'text/csv' };
    const body = Buffer.from('a,b').toString('base64');
    answerWith(stored({ statusCode: 200, headers, body, isBase64Encoded: true }));
    const response = file('A file.', 'text/csv');
    const answer = await as(KEY).call(endpointOf({ response, success: 200 }), request());
    expect([answer.status, answer.text, answer.headers]).toEqual([
      200,
      'a,b',
      expect.objectContaining({ 'content-type': 'text/csv', 'idempotent-replayed': 'true' }),
    ]);
  });

  test('keeps a file as a whole', async () => {
    answerWith(claimable);
    const response = file('A file.', 'text/csv');
    const made = { bytes: Buffer.from('a,b'), media_type: 'text/csv', file_name: 'a.csv' };
    const answer = await as(KEY).call(
      endpointOf({ response, success: 200 }, () => made),
      request(),
    );
    expect([answer.status, answer.text]).toEqual([200, 'a,b']);
    expect(names()).toEqual(['UpdateItem KEY', 'PutItem ORG', 'TransactWriteItems ORG']);
  });

  test('is refused by an operation that only reads', async () => {
    answerWith(authenticated());
    expect(refusalOf(await as(KEY).call(endpointOf({ access: 'read' }), request('a b')))).toEqual(
      of(errors.idempotencyKeyNotTaken),
    );
    expect(names()).toEqual(['UpdateItem KEY']);
  });
});

describe('a visit of a page', () => {
  const TOKEN = 'abcdefghij_ABCDEFGHI-1';
  const declaration = {
    id: 'showThing',
    method: 'POST',
    path: '/t/{token}',
    summary: 'Show a thing',
    params: z.strictObject({ token: z.string() }),
    query: z.object({ page: z.enum(['1', '2']).default('1') }),
    body: webForm(z.strictObject({ name: z.string() }), 20),
    link: 'share',
    visits: { perLink: 3, perAddress: 2 },
    success: 200,
    response: page('The thing.'),
  } as const satisfies PublicOperation;
  const TARGET = { report_id: 'r1' };
  const linkTo = (purpose = 'share') => rowsAtKeys({ org_id: ORG, purpose, target: TARGET });
  const counted = (ofLink: number, ofAddress: number) => {
    let calls = 0;
    return () => {
      calls += 1;
      return { Attributes: { count: calls === 1 ? ofLink : ofAddress } };
    };
  };
  /** What AWS replies to the first visit of a link that there is. */
  const open = (organization: object = {}) => ({
    'UpdateItem VISITS': counted(3, 2),
    'BatchGetItem LINK': linkTo(),
    'GetItem ORG': { Item: { id: ORG, ...organization } },
  });
  const pageOf = (more: Partial<PublicOperation> = {}) => {
    const operation: PublicOperation = { ...declaration, ...more };
    const ran = jest.fn(async () => ({ title: 'Thing', content: html`<h1>Thing</h1>` }));
    return { operation, ran, handler: createPageHandler(operation, ran as never) };
  };
  const form = { name: 'a' };

  test('is refused where the organization is suspended', async () => {
    answerWith(open({ suspended: { at: '2026-01-01T00:00:00.000Z', delete_after: null } }));
    const { ran, ...endpoint } = pageOf();
    expect((await visit(endpoint, { token: TOKEN, form })).status).toBe(403);
    expect(ran).not.toHaveBeenCalled();
  });

  test('is shown what the link leads to, as somebody of its organization', async () => {
    answerWith(open());
    const { ran, ...endpoint } = pageOf();
    const answer = await visit(endpoint, {
      token: TOKEN,
      form,
      query: { page: '2', utm: 'x' },
      sourceIp: '192.0.2.1',
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('<h1>Thing</h1>');
    expect(ran.mock.calls).toEqual([
      [
        {
          caller: { org_id: ORG, user_id: '', name: 'visitor' },
          target: TARGET,
          token: TOKEN,
          address: '192.0.2.1',
          query: { page: '2' },
          body: form,
          language: 'en',
        },
      ],
    ]);
    expect(names().toSorted()).toEqual([
      'BatchGetItem LINK',
      'GetItem ORG',
      'UpdateItem VISITS',
      'UpdateItem VISITS',
    ]);
  });

  test('of a page without a query or a form has neither', async () => {
    answerWith(open());
    const { ran, ...endpoint } = pageOf({ query: undefined, body: undefined } as never);
    expect((await visit(endpoint, { token: TOKEN, query: { utm: 'x' } })).status).toBe(200);
    expect(ran.mock.calls).toMatchObject([[{ query: {}, body: undefined }]]);
  });

  test.each(['', 'short', `${TOKEN}x`, 'abcdefghij ABCDEFGHI-1'])(
    'is 404 without a call for the link %j, which none can be',
    async (token) => {
      answerWith({});
      expect(refusalOf(await visit(pageOf(), { token }))).toEqual(of(errors.notFound));
      expect(names()).toEqual([]);
    },
  );

  test.each<[string, object, number[], { status: number; code: string }]>([
    ['404 where there is no such link', { 'BatchGetItem LINK': rowsAtKeys(null) }, [3, 2], errors.notFound],
    [
      '404 where the link is for something else',
      { 'BatchGetItem LINK': linkTo('file') },
      [3, 2],
      errors.notFound,
    ],
    ['429 where the link was visited too often', {}, [4, 1], errors.tooManyVisits],
    ['429 where the address visits too often', {}, [1, 3], errors.tooManyVisits],
    [
      '429 where both are so, and there is no such link',
      { 'BatchGetItem LINK': rowsAtKeys(null) },
      [4, 3],
      errors.tooManyVisits,
    ],
  ])('is %s', async (_, answers, [ofLink, ofAddress], error) => {
    answerWith({ ...open(), 'UpdateItem VISITS': counted(ofLink!, ofAddress!), ...answers });
    const { ran, ...endpoint } = pageOf({ id: `show${ofLink}${ofAddress}${error.status}${_.length}` });
    expect(refusalOf(await visit(endpoint, { token: TOKEN, form }))).toEqual(of(error));
    expect(ran).not.toHaveBeenCalled();
  });

  test('is 429 where its network has used up its share of a link, and uses up none of the others’', async () => {
    answerWith({ ...open(), 'UpdateItem VISITS': counted(1, 3) });
    const visits = { perLink: 10, perAddress: 9, isShared: true } as const;
    const endpoint = pageOf({ id: 'showShared', visits });
    expect(refusalOf(await visit(endpoint, { token: TOKEN, form }))).toEqual(of(errors.tooManyVisits));
    expect(names().filter((name) => name === 'UpdateItem VISITS')).toHaveLength(2);
  });

  test('is 429 without a call where this process knows that it is too many', async () => {
    answerWith({ ...open(), 'UpdateItem VISITS': counted(1, 3) });
    const endpoint = pageOf({ id: 'showOften' });
    const sourceIp = anyAddress();
    await visit(endpoint, { token: TOKEN, form, sourceIp });
    answerWith({});
    expect(refusalOf(await visit(endpoint, { token: TOKEN, form, sourceIp }))).toEqual(
      of(errors.tooManyVisits),
    );
    expect(names()).toEqual([]);
  });

  test('fails where the visit cannot be counted, whether there is such a link or not', async () => {
    for (const row of [null, { org_id: ORG, purpose: 'share', target: TARGET }]) {
      answerWith({
        'UpdateItem VISITS': sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } }),
        'BatchGetItem LINK': rowsAtKeys(row),
      });
      expect((await visit(pageOf(), { token: TOKEN, form })).status).toBe(500);
    }
  });

  test.each<[string, { type: string; bytes: string }, Record<string, string>, number, unknown]>([
    ['is not a form', { type: 'text/plain', bytes: 'x' }, {}, 400, errors.wrongContentType.code],
    [
      'is too large',
      { type: 'application/json', bytes: `{"name":"${'a'.repeat(10)}"}` },
      {},
      400,
      errors.bodyTooLarge.code,
    ],
    [
      'cannot be stored',
      { type: 'application/json', bytes: String.raw`{"name":"\u0007"}` },
      {},
      422,
      ['body.name'],
    ],
    [
      'is not what the page asks for',
      { type: 'application/json', bytes: '{"name":5}' },
      {},
      422,
      ['body.name'],
    ],
    [
      'has another query as well',
      { type: 'application/json', bytes: '{}' },
      { page: '3' },
      422,
      ['query.page', 'body.name'],
    ],
  ])('is refused where what is sent %s', async (_, raw, query, status, expected) => {
    answerWith(open());
    const { ran, ...endpoint } = pageOf();
    const answer = await visit(endpoint, { token: TOKEN, raw, query, headers: { Accept: '*/*' } });
    const { detail } = JSON.parse(answer.text) as { detail: { loc: string[] }[] };
    expect([
      answer.status,
      status === 422 ? detail.map(({ loc }) => loc.join('.')) : answer.headers['x-error-code'],
    ]).toEqual([status, expected]);
    expect(ran).not.toHaveBeenCalled();
  });

  test('may send a form that is as large as it may be', async () => {
    answerWith(open());
    const raw = { type: 'application/json', bytes: `{"name":"${'a'.repeat(9)}"}` };
    expect((await visit(pageOf(), { token: TOKEN, raw })).status).toBe(200);
  });

  test('that fails is told so by a page in the reader’s language, or by JSON', async () => {
    const french = { Accept: 'text/html', 'Accept-Language': 'fr' };
    const read = async (headers: Record<string, string>) => {
      const { status, headers: sent, text } = await visit(pageOf(), { token: 'x', headers });
      return { status, code: sent['x-error-code'], type: sent['content-type'], text };
    };
    answerWith({});
    const { code, detail } = errors.notFound('link');
    expect(await read(french)).toEqual({
      status: 404,
      code,
      type: 'text/html; charset=utf-8',
      text: expect.stringMatching(/^<!doctype html>\s*<html lang="fr"/i),
    });
    expect(await read({ Accept: '*/*' })).toEqual({
      status: 404,
      code,
      type: 'application/json',
      text: JSON.stringify({ detail }),
    });
  });
});

describe('a reply that may not fit', () => {
  const MAX_BYTES = 6 * 1024 ** 2 - 16 * 1024;
  const event = (accepted: string) => ({ headers: { 'Accept-Encoding': accepted } }) as never;
  const reply = (body: string) => ({ statusCode: 200, headers: { etag: '"1"' }, body });
  /** A text whose JSON has this many bytes. */
  const textOf = (bytes: number) => 'a'.repeat(bytes - 2);

  test('is sent as it is while it fits', () => {
    for (const body of ['', 'a', textOf(MAX_BYTES)])
      expect(fitted(event('gzip'), reply(body))).toEqual(reply(body));
  });

  test.each([
    ['is one byte longer', textOf(MAX_BYTES + 1)],
    ['has quotes, which count twice', '"'.repeat(MAX_BYTES / 2)],
    ['has characters of three bytes', '€'.repeat(MAX_BYTES / 3 + 1)],
  ])('is compressed where it %s', (_, body) => {
    expect(fitted(event('gzip'), reply(body))).toEqual({
      statusCode: 200,
      headers: { etag: '"1"', 'content-encoding': 'gzip' },
      body: gzipSync(body).toString('base64'),
      isBase64Encoded: true,
    });
  });

  test.each<[string, object]>([
    ['the client takes no gzip', [event('br'), reply(textOf(MAX_BYTES + 1))]],
    ['it is a file', [event('gzip'), { ...reply(textOf(MAX_BYTES + 1)), isBase64Encoded: true }]],
    ['it is too large even so', [event('gzip'), reply(anyBytes(MAX_BYTES).toString('latin1'))]],
  ])('is 409 where %s', (_, given) => {
    expect(() => fitted(...(given as Parameters<typeof fitted>))).toThrow(errors.replyTooLarge());
  });

  test('is a stream, which any length fits', () => {
    const streamed = { ...reply(''), body: Readable.from(['a']) };
    expect(fitted(event('br'), streamed)).toBe(streamed);
  });
});
