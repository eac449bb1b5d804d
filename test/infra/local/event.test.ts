import fc from 'fast-check';
import type { OperationEntry } from '../../../infra/catalogue.ts';
import { newEvent } from '../../../infra/local/event.ts';
import type { Incoming } from '../../../infra/local/event.ts';
import { newRouter } from '../../../infra/local/gateway/router.ts';
import type { Method } from '../../../shared/http/operation/operation.ts';

const entry = (method: Method, path: string): OperationEntry => ({
  file: '',
  area: '',
  operation: { id: `${method} ${path}`, method, path } as OperationEntry['operation'],
  handler: async () => ({ statusCode: 200 }),
});

const route = newRouter([
  entry('GET', '/inspections/{inspection_id}'),
  entry('DELETE', '/inspections/{inspection_id}'),
  entry('GET', '/inspections/summary'),
  entry('GET', '/inspections'),
  entry('POST', '/inspections/{inspection_id}/participants/me/reopen'),
  entry('GET', '/inspections/{inspection_id}/corrections/{correction_id}/revisions'),
]);

const incoming = (changes: Partial<Incoming> = {}): Incoming => ({
  method: 'GET',
  path: '/v1/inspections',
  query: '',
  rawHeaders: [],
  body: Buffer.alloc(0),
  sourceIp: '127.0.0.1',
  ...changes,
});

describe('newRouter', () => {
  test.each([
    ['GET', '/v1/inspections', 'GET /inspections', {}],
    ['GET', '/v1/inspections/summary', 'GET /inspections/summary', {}],
    ['GET', '/v1/inspections/summaries', 'GET /inspections/{inspection_id}', { inspection_id: 'summaries' }],
    ['DELETE', '/v1/inspections/7', 'DELETE /inspections/{inspection_id}', { inspection_id: '7' }],
    [
      'GET',
      '/v1/inspections/a%2Fb/corrections/%C3%A9/revisions',
      'GET /inspections/{inspection_id}/corrections/{correction_id}/revisions',
      { inspection_id: 'a%2Fb', correction_id: '%C3%A9' },
    ],
    ['HEAD', '/v1/inspections', 'GET /inspections', {}],
    ['GET', '/v1/inspections/%zz', 'GET /inspections/{inspection_id}', { inspection_id: '%zz' }],
  ])('routes %s %s to %s', (method, path, id, params) => {
    const found = route(method, path);
    expect(found?.entry.operation.id).toBe(id);
    expect(found?.params).toEqual(params);
  });

  test.each([
    ['GET', '/inspections'],
    ['GET', '/v1/inspections/'],
    ['GET', '/v1/inspections//corrections/1/revisions'],
    ['GET', '/v1/Inspections'],
    ['HEAD', '/v1/nothing'],
    ['OPTIONS', '/v1/inspections'],
    ['DELETE', '/v1/inspections/summary'],
    ['GET', '/v1'],
    ['GET', '/v1/constructor'],
  ])('finds no operation for %s %s', (method, path) => {
    expect(route(method, path)).toBeUndefined();
  });
});

describe('newEvent', () => {
  const found = route('GET', '/v1/inspections/7')!;

  test('has a body as base64, and null when there is no body', () => {
    const body = Buffer.from([0, 255, 128]);
    expect(newEvent(found, incoming({ body }))).toMatchObject({ body: 'AP+A', isBase64Encoded: true });
    expect(newEvent(found, incoming())).toMatchObject({ body: null, isBase64Encoded: false });
  });

  test('has all values of a repeated name, and the last one separately', () => {
    const { headers, multiValueHeaders, queryStringParameters, multiValueQueryStringParameters } = newEvent(
      found,
      incoming({
        query: 'status=a&status=b%20c&q=1+2&empty=',
        rawHeaders: ['X-Tag', 'one', 'x-tag', 'two', 'Connection', 'close'],
      }),
    );
    expect(headers).toMatchObject({ 'X-Tag': 'two', 'X-Forwarded-For': '127.0.0.1' });
    expect(headers).not.toHaveProperty('Connection');
    expect(multiValueHeaders['X-Tag']).toEqual(['one', 'two']);
    expect(queryStringParameters).toEqual({ status: 'b c', q: '1 2', empty: '' });
    expect(multiValueQueryStringParameters).toEqual({ status: ['a', 'b c'], q: ['1 2'], empty: [''] });
  });

  test('has null when there are no parameters', () => {
    expect(newEvent(route('GET', '/v1/inspections')!, incoming())).toMatchObject({
      resource: '/v1/inspections',
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      requestContext: {
        domainName: 'localhost',
        path: '/v1/inspections',
        identity: { sourceIp: '127.0.0.1' },
      },
    });
  });

  test('is valid JSON whatever a client sends', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor', '%', '%E0%A4'),
    );
    fc.assert(
      fc.property(text, text, fc.array(text), fc.uint8Array(), (segment, query, rawHeaders, bytes) => {
        const path = `/v1/inspections/${segment}`;
        const match = route('GET', path);
        if (!match) return;
        const event = newEvent(match, incoming({ path, query, rawHeaders, body: Buffer.from(bytes) }));
        expect(JSON.parse(JSON.stringify(event)).resource).toBe(match.resource);
        expect(Buffer.from(event.body ?? '', 'base64')).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
