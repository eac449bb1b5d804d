import * as z from 'zod';
import { SAFE_HEADERS } from '../../../shared/base/headers.ts';
import type { Operation } from '../../../shared/http/operation/operation.ts';
import { file } from '../../../shared/http/operation/responses.ts';
import * as replies from '../../../shared/http/reply/reply.ts';
import type { KnownReplies } from '../../../shared/http/versions.ts';
import { resourceVersion } from '../../../shared/schemas/common.ts';

const operation = (changes: Partial<Operation> = {}): Operation => ({
  id: 'getThing',
  method: 'GET',
  path: '/things',
  summary: 'Get a thing',
  access: 'read',
  success: 200,
  response: z.object({ name: z.string(), version: resourceVersion() }),
  ...changes,
});
const { Existing, textOf } = replies;

/** The reply to a request of an API's own address. @param resource the path that it matched */
const success = (op: Operation, value: unknown, knownReplies?: KnownReplies, resource = '/v1/things') =>
  replies.success(op, value, {
    event: {
      resource,
      path: resource,
      requestContext: { domainName: 'a.example', path: `/live${resource}` },
    },
    internal: { parsed: { knownReplies, params: { place_id: 'p' } } },
  } as never);
const thing = { version: 3, name: 'a' };
const JSON_REPLY = { 'content-type': 'application/json', ...SAFE_HEADERS };

describe('success', () => {
  test('is JSON in the order of its schema, with the status that the operation declares', () => {
    const created = operation({ method: 'POST', success: 201 });
    expect(success(created, thing)).toEqual({
      statusCode: 201,
      headers: { ...JSON_REPLY, etag: success(operation(), thing).headers['etag'] },
      body: '{"name":"a","version":3}',
    });
    expect(success(operation({ response: z.null() }), undefined)).toEqual({
      statusCode: 200,
      headers: JSON_REPLY,
      body: 'null',
    });
    expect(textOf(operation({ response: z.null() }), undefined)).toBe('null');
  });

  test('has a tag that changes with the reply, and not with the order of its fields', () => {
    const tag = (value: object) => success(operation(), value).headers['etag'];
    expect(tag(thing)).toMatch(/^"3-[\w-]{16}"$/);
    expect(tag({ name: 'a', version: 3 })).toBe(tag(thing));
    expect(tag({ ...thing, name: 'b' })).not.toBe(tag(thing));
  });

  test('says where a new resource can be read, below the stage, on /v1 only', () => {
    const create = operation({
      method: 'POST',
      success: 201,
      existing: 200,
      location: '/places/{place_id}/things/{thing_id}',
      response: z.object({ id: z.string() }),
    });
    const where = (value: unknown, resource?: string) =>
      success(create, value, undefined, resource).headers['location'];
    expect(where({ id: 't' })).toBe('https://a.example/live/v1/places/p/things/t');
    expect(where(new Existing({ id: 't' }))).toBeUndefined();
    expect(where({ id: 't' }, '/app/things')).toBeUndefined();
  });

  test('is 304 without a body when the client has the reply, by its tag', () => {
    const { etag } = success(operation(), thing).headers;
    for (const known of ['*', [etag!.slice(1, -1)], ['x', etag!.slice(1, -1)]] as const)
      expect(success(operation(), thing, known)).toEqual({
        statusCode: 304,
        headers: { ...SAFE_HEADERS, etag },
        body: '',
      });
    for (const known of [undefined, [], ['2', '3-x']])
      expect(success(operation(), thing, known).statusCode).toBe(200);
  });

  test('has no body for a 204', () =>
    expect(success(operation({ success: 204, response: z.null() }), undefined)).toEqual({
      statusCode: 204,
      headers: SAFE_HEADERS,
      body: '',
    }));

  test('has another status for what existed already', () => {
    const put = operation({ method: 'PUT', success: 201, existing: 200 });
    expect(success(put, new Existing(thing))).toMatchObject({
      statusCode: 200,
      body: '{"name":"a","version":3}',
    });
    expect(success(operation({ success: 201 }), new Existing(thing)).statusCode).toBe(201);
  });

  test.each([
    ['application/pdf', {}],
    [
      'text/html; charset=utf-8',
      {
        'content-security-policy':
          "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
        'referrer-policy': 'no-referrer',
      },
    ],
  ])('is a file of %s as it is, under its name', (media_type, headers) =>
    expect(
      success(operation({ response: file('A file.', media_type) }), {
        bytes: Buffer.from('é'),
        media_type,
        file_name: 'a.x',
      }),
    ).toEqual({
      statusCode: 200,
      headers: {
        'content-type': media_type,
        'content-disposition': `inline; filename="a.x"; filename*=UTF-8''a.x`,
        ...headers,
        ...SAFE_HEADERS,
      },
      body: 'w6k=',
      isBase64Encoded: true,
    }),
  );
});
