import * as z from 'zod';
import { handler, operation } from '../../../functions/client-accounts/create-client-account.ts';
import {
  handler as listHandler,
  operation as list,
} from '../../../functions/client-accounts/list-client-accounts.ts';
import {
  handler as updateHandler,
  operation as update,
} from '../../../functions/client-accounts/update-client-account.ts';
import { type Grant, grantsOf } from '../../../infra/grants.ts';
import { recordedOf } from '../../../infra/recorded.ts';
import * as errors from '../../../shared/base/errors.ts';
import { createHandler } from '../../../shared/http/handler.ts';
import { multipart } from '../../../shared/http/operation/forms.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import * as apiKeys from '../../../shared/organizations/api-keys.ts';
import { change, workOf } from '../../../shared/table/change.ts';
import { newResource } from '../../../shared/table/collection.ts';
import { keys } from '../../../shared/table/keys.ts';
import * as write from '../../../shared/table/writes.ts';
import { type Answer, as, call, type Endpoint, type Request } from '../../support/call.ts';
import { anyBytes } from '../../support/chance.ts';
import {
  type Fault,
  first,
  impatient,
  installFaults,
  loseReply,
  on,
  sdkError,
  timeout,
  withFault,
} from '../../support/faults.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';

installFaults();
installRecorder();
impatient();

const accounts = { operation, handler };

let person: Person;

/** The grants that the middlewares before the operation have used. */
const used = new Set<Grant>();

const send = async (endpoint: Endpoint, request: Request): Promise<Answer> => {
  const { result, sent } = await recording(() => call(endpoint, request));
  for (const grant of sent.grants) used.add(grant);
  return result;
};

const post = (body: unknown, idempotencyKey: string, as = person.key): Promise<Answer> =>
  send(accounts, { as, body, headers: { 'Idempotency-Key': idempotencyKey } });

const count = async (): Promise<number> =>
  (await as(person).must({ operation: list, handler: listHandler })).length;

/** A fault that affects only the transaction of a change. */
const onChange = (fault: Fault): Fault => on(({ command }) => command === 'TransactWriteItems', fault);

const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

beforeEach(async () => {
  person = await newPerson('Repeater');
});

afterEach(() => {
  jest.restoreAllMocks();
});

const DAY_MS = 24 * 3_600_000;

/** The real clock, without the mocks of a test. */
const clock = Date.now.bind(Date);

/** Sets the clock forward for the rest of the test. */
const later = (milliseconds: number): void => {
  jest.spyOn(Date, 'now').mockImplementation(() => clock() + milliseconds);
};

describe('a repeated Idempotency-Key', () => {
  test('201 again with exactly the same bytes, even if the JSON is laid out differently', async () => {
    const answer = await post({ name: 'Acme', notes: 'n' }, 'k');
    const again = await post({ notes: 'n', name: 'Acme' }, 'k');
    expect([answer.status, again.status, again.text]).toEqual([201, 201, answer.text]);
    expect([isReplay(answer), isReplay(again)]).toEqual([false, true]);
    expect(await count()).toBe(1);
    // The other headers are the same too, such as the ETag.
    expect(again.headers).toEqual({
      ...answer.headers,
      etag: expect.stringMatching(/^"1-/),
      'idempotent-replayed': 'true',
      'x-request-id': expect.any(String),
    });
  });

  test('422 with another body', async () => {
    await post({ name: 'Acme' }, 'k');
    const { status, body } = await post({ name: 'Other' }, 'k');
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      { loc: ['header', 'idempotency-key'], type: 'value_error', msg: expect.any(String) },
    ]);
    expect(await count()).toBe(1);
  });

  test.each(['', ' ', 'é', 'a b', 'x'.repeat(256)])('422 for the key %j', async (key) => {
    const { status, headers } = await post({ name: 'Acme' }, key);
    expect([status, headers['x-error-code']]).toEqual([422, 'idempotency_key_invalid']);
  });

  test('201 for the same key of another organization, and of another API key of this one', async () => {
    const other = await newPerson('Other');
    const colleague = await apiKeys.create(person.caller, {
      name: 'Colleague',
      access: 'read_write',
      expires: 'never',
    });
    const answers = [
      await post({ name: 'Acme' }, 'k'),
      await post({ name: 'Acme' }, 'k', other.key),
      await post({ name: 'Acme' }, 'k', colleague.key),
    ];
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(
      Array.from({ length: 3 }, () => [201, false]),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3);
  });

  test('201 with the first reply for a day, and then for a new resource', async () => {
    const { body } = await post({ name: 'Acme' }, 'k');
    later(DAY_MS - 60_000);
    const kept = await post({ name: 'Acme' }, 'k');
    expect([kept.status, isReplay(kept), kept.body]).toEqual([201, true, body]);
    later(DAY_MS + 1_000);
    const next = await post({ name: 'Acme' }, 'k');
    expect([next.status, isReplay(next)]).toEqual([201, false]);
    expect(next.body.id).not.toBe(body.id);
  });

  test('201 once, and 409 for all other requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({ name: 'Acme' }, 'k')));
    const fresh = answers.filter((answer) => answer.status === 201 && !isReplay(answer));
    expect(fresh).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.text).toBe(fresh[0]!.text);
      else
        expect([answer.status, answer.body]).toEqual([
          409,
          { detail: errors.idempotentRequestRunning().detail },
        ]);
    }
    expect(await count()).toBe(1);
  });
});

describe('a request that ends in the middle', () => {
  test('409 during its lease of a minute, then 201; and 409 when the first request continues after that', async () => {
    const asleep = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const slow = withFault(
      onChange(async ({ send }) => {
        reached.resolve();
        await asleep.promise;
        return send();
      }),
      () => post({ name: 'Acme' }, 'k'),
    );
    await reached.promise;
    later(55_000);
    expect((await post({ name: 'Acme' }, 'k')).status).toBe(409);
    later(60_001);
    const taken = await post({ name: 'Acme' }, 'k');
    asleep.resolve();
    expect([taken.status, (await slow).status]).toEqual([201, 409]);
    expect(await count()).toBe(1);
    const replay = await post({ name: 'Acme' }, 'k');
    expect([isReplay(replay), replay.text]).toEqual([true, taken.text]);
  });

  test('201 when the reply to its change is lost once', async () => {
    const answer = await withFault(onChange(first(1, loseReply)), () => post({ name: 'Acme' }, 'k'));
    expect(answer.status).toBe(201);
    expect((await post({ name: 'Acme' }, 'k')).text).toBe(answer.text);
    expect(await count()).toBe(1);
  });

  test('503 when every reply is lost, and the repeated request gets the stored reply', async () => {
    expect((await withFault(onChange(loseReply), () => post({ name: 'Acme' }, 'k'))).status).toBe(503);
    const again = await post({ name: 'Acme' }, 'k');
    expect([again.status, isReplay(again)]).toEqual([201, true]);
    const [only, ...others] = await as(person).must({ operation: list, handler: listHandler });
    expect([only.id, others]).toEqual([again.body.id, []]);
  });

  test('201 when the reply to its claim is lost', async () => {
    const onClaim: Fault = on(({ command }) => command === 'PutItem', first(1, loseReply));
    expect((await withFault(onClaim, () => post({ name: 'Acme' }, 'k'))).status).toBe(201);
    expect(await count()).toBe(1);
  });

  test.each([
    ['503 for an outage', 503, onChange(() => Promise.reject(timeout()))],
    ['500 for a crash', 500, onChange(() => Promise.reject(new Error('a bug')))],
    ['500 for a refused call', 500, onChange(() => Promise.reject(sdkError('ValidationException')))],
  ])('%s gives the key back', async (_, status, fault) => {
    expect((await withFault(fault, () => post({ name: 'Acme' }, 'k'))).status).toBe(status);
    const next = await post({ name: 'Other' }, 'k');
    expect([next.status, isReplay(next)]).toEqual([201, false]);
  });

  test('409 for a conflict releases the key', async () => {
    const { id } = await as(person).must(accounts, { body: { name: 'First', external_ref: 'e' } });
    expect((await post({ name: 'Acme', external_ref: 'e' }, 'k')).status).toBe(409);
    await as(person).must(
      { operation: update, handler: updateHandler },
      { params: { ca_id: id }, body: { external_ref: null } },
    );
    expect((await post({ name: 'Acme', external_ref: 'e' }, 'k')).status).toBe(201);
  });
});

/** An operation with everything that a request can differ in. Each call of its logic has another reply. */
const lendOperation = defineOperation({
  id: 'lendBook',
  method: 'POST',
  path: '/shelves/{shelf_id}/books/{book_id}/loans',
  summary: 'Lend a book',
  access: 'write',
  params: z.strictObject({ shelf_id: z.string(), book_id: z.string() }),
  query: z.strictObject({ weeks: z.coerce.number().optional(), tag: z.array(z.string()).optional() }),
  body: z.strictObject({ reader: z.string().optional() }),
  success: 201,
  response: z.string(),
});
const lend = {
  operation: lendOperation,
  handler: createHandler(lendOperation, () => anyBytes(4).toString('hex')),
};
/** The same operation under another name. */
const giveOperation = { ...lendOperation, id: 'giveBook' } as const;
const give = {
  operation: giveOperation,
  handler: createHandler(giveOperation, () => anyBytes(4).toString('hex')),
};

describe('the fingerprint of a request with an Idempotency-Key', () => {
  const params = { shelf_id: 'a', book_id: 'b' };
  const request = (different: Partial<Request>): Request => ({
    as: person.key,
    params,
    query: { weeks: 2, tag: ['x', 'y'] },
    body: { reader: 'Ana' },
    headers: { 'Idempotency-Key': 'k' },
    ...different,
  });

  test('201 again for the same path, query and body', async () => {
    const answer = await send(lend, request({}));
    const again = await send(lend, request({ query: { tag: ['x', 'y'], weeks: 2 } }));
    expect([again.status, isReplay(again), again.text]).toEqual([201, true, answer.text]);
  });

  test.each<[string, Partial<Request>]>([
    ['path', { params: { ...params, shelf_id: 'b' } }],
    ['path, with the same values in another order', { params: { shelf_id: 'b', book_id: 'a' } }],
    ['query', { query: { weeks: 3, tag: ['x', 'y'] } }],
    ['query, without a parameter', { query: { tag: ['x', 'y'] } }],
    ['query, without the first of two values', { query: { weeks: 2, tag: ['y'] } }],
    ['body', { body: { reader: 'Ben' } }],
    ['body, which is empty', { body: {} }],
  ])('422 for the same key with another %s', async (_, different) => {
    expect((await send(lend, request({}))).status).toBe(201);
    const answer = await send(lend, request(different));
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['header', 'idempotency-key']]);
    expect(answer.headers['x-error-code']).toBe('idempotency_key_reused');
  });

  test('201 for the same request to another operation', async () => {
    const [lent, given] = [await send(lend, request({})), await send(give, request({}))];
    expect([lent.status, given.status, isReplay(given)]).toEqual([201, 201, false]);
    expect(given.text).not.toBe(lent.text);
  });
});

/** An operation with a form, which replies with a long text or changes nothing. */
const printOperation = defineOperation({
  id: 'printBook',
  method: 'POST',
  path: '/books',
  summary: 'Print a book',
  access: 'write',
  body: multipart(z.strictObject({ pages: z.int().optional() }), {
    cover: { required: true, maxBytes: 1_000, description: 'The cover.' },
  }),
  success: 201,
  response: z.string(),
});
const print = {
  operation: printOperation,
  handler: createHandler(printOperation, ({ body, caller }) => {
    // Random text can hardly be compressed, so this much takes several rows.
    const text = anyBytes(body.pages ?? 0).toString('base64');
    if (!body.pages) return `${body.cover.name} ${anyBytes(4).toString('hex')}`;
    const { id } = newResource(workOf(caller), {});
    return change(caller, () => ({
      writes: [write.create(keys.one(caller, 'DOCUMENT', id) as never)],
      reply: text,
    }));
  }),
};

const form = (cover: string, pages?: number): Request => {
  const data = new FormData();
  if (pages !== undefined) data.append('pages', String(pages));
  data.append('cover', new Blob([cover]), 'cover.txt');
  return { as: person.key, form: data, headers: { 'Idempotency-Key': 'k' } };
};

describe('a form with an Idempotency-Key', () => {
  test('201 again with another boundary', async () => {
    const [answer, again] = [await send(print, form('red')), await send(print, form('red'))];
    expect([answer.status, again.status, again.text]).toEqual([201, 201, answer.text]);
    expect(isReplay(again)).toBe(true);
  });

  test('422 with another file or field', async () => {
    await send(print, form('red'));
    expect((await send(print, form('blue'))).status).toBe(422);
    expect((await send(print, form('red', 1))).status).toBe(422);
  });

  test('201 again for a reply of a megabyte, which does not fit into one row', async () => {
    const answer = await send(print, form('red', 1_000_000));
    const again = await send(print, form('red', 1_000_000));
    expect([answer.status, again.status, isReplay(again)]).toEqual([201, 201, true]);
    expect(again.text.length).toBeGreaterThan(1_300_000);
    expect(again.text === answer.text).toBe(true);
  });
});

/** An operation whose reply is larger than a function may return, but easy to compress. */
const copyOperation = defineOperation({
  id: 'copyBook',
  method: 'POST',
  path: '/books/copy',
  summary: 'Copy a book',
  access: 'write',
  success: 201,
  response: z.string(),
});
const copy = {
  operation: copyOperation,
  handler: createHandler(copyOperation, () => 'x'.repeat(7 * 1024 ** 2)),
};

test('201 again, compressed as the first time, for a reply of 7 MB', async () => {
  const request = { as: person.key, headers: { 'Idempotency-Key': 'k', 'Accept-Encoding': 'gzip' } };
  const answer = await send(copy, request);
  const again = await send(copy, request);
  expect([answer.status, again.status, isReplay(again)]).toEqual([201, 201, true]);
  expect(again.headers['content-encoding']).toBe('gzip');
  expect(again.text === answer.text).toBe(true);
});

test('a POST has exactly the grants that these tests used', () => {
  expect([...used].toSorted()).toEqual(
    grantsOf({ operation, recorded: recordedOf(operation.id) }).toSorted(),
  );
});
