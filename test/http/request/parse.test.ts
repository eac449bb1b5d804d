import * as z from 'zod';
import { formOrJson, multipart, webForm } from '../../../shared/http/operation/forms.ts';
import { defineOperation, type Operation } from '../../../shared/http/operation/operation.ts';
import { parseRequest } from '../../../shared/http/request/parse.ts';
import { NO_TEXT } from '../../../shared/http/request/storable.ts';
import { resourceVersion } from '../../../shared/schemas/common.ts';
import { eventOf } from './reading.ts';

const common = { summary: 'Change a thing', access: 'write', success: 200 } as const;
const change = defineOperation({
  ...common,
  id: 'changeThing',
  method: 'PATCH',
  path: '/things/{id}',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({ tags: z.array(z.string()).optional() }),
  body: z.strictObject({
    name: z.string().optional(),
    other: z.string().optional(),
    expected_version: z.int().optional(),
  }),
  response: z.null(),
});
const JSON_TYPE = 'application/json';
const FORM = multipart(z.strictObject({ name: z.string() }), {
  file: { required: true, maxBytes: 99, description: 'A file.' },
});
const upload = defineOperation({
  ...common,
  id: 'upload',
  method: 'POST',
  path: '/uploads',
  body: formOrJson(FORM, z.strictObject({ name: z.string() })),
  response: z.null(),
});
const formOnly = defineOperation({ ...upload, body: FORM });
const get = defineOperation({
  ...common,
  id: 'getThing',
  method: 'GET',
  path: '/thing',
  access: 'read',
  response: z.object({ version: resourceVersion() }),
});

interface Sent {
  body?: string;
  type?: string;
  query?: string;
  id?: string;
  headers?: Record<string, string>;
}
const parsed = (
  operation: Operation,
  { body = '', type = JSON_TYPE, query = '', id, headers = {} }: Sent = {},
) => {
  const event = eventOf(operation, { body: Buffer.from(body), type, query, params: id ? { id } : {} });
  Object.assign(event.headers, headers);
  for (const [name, value] of Object.entries(headers)) event.multiValueHeaders[name] = [value];
  return parseRequest(operation, event);
};
const refusal = (...request: Parameters<typeof parsed>) => {
  try {
    return parsed(...request);
  } catch (error) {
    return (error as { detail: unknown }).detail;
  }
};
const form = (file: string, name = 'a.txt') =>
  `--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nN\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${file}\r\n--b--\r\n`;
const FORM_TYPE = 'multipart/form-data; boundary=b';

describe('a value of the path', () => {
  test.each([
    ['a%2Fb%20%C3%A9', 'a/b é'],
    ['100%2525', '100%25'],
    ['a+b:c', 'a+b:c'],
    ['%zz', '%zz'],
  ])('%s is decoded once, as API Gateway passes it on: %s', (id, value) => {
    expect(parsed(change, { id, body: '{}' }).params).toEqual({ id: value });
  });
});

describe('the fingerprint of a request', () => {
  const of = (sent: Sent) => parsed(change, { id: '1', body: '{"name":"a"}', ...sent }).fingerprint;
  const ofForm = (body: string) => parsed(upload, { body, type: FORM_TYPE }).fingerprint;

  test('is the same however the JSON is laid out, and wherever the version stands', () => {
    expect(of({ body: ' {"other":"b", "name":"a"}' })).toBe(of({ body: '{"name":"a","other":"b"}' }));
    expect(of({})).toBe(of({}));
  });

  test.each<[string, Sent]>([
    ['path', { id: '2' }],
    ['query', { query: 'tags=x' }],
    ['body', { body: '{"name":"b"}' }],
    ['expected version', { headers: { 'If-Match': '"3"' } }],
  ])('differs with the %s', (_, sent) => expect(of(sent)).not.toBe(of({})));

  test('differs from version to version', () => {
    const ofVersion = (version: string) => of({ headers: { 'If-Match': version } });
    expect(ofVersion('"3"')).not.toBe(ofVersion('"4"'));
    expect(ofVersion('"3"')).toBe(ofVersion('3'));
  });

  test('of a form differs with the bytes of a file, and with its name', () => {
    expect(ofForm(form('x'))).toBe(ofForm(form('x')));
    expect(ofForm(form('y'))).not.toBe(ofForm(form('x')));
    expect(ofForm(form('x', 'b.txt'))).not.toBe(ofForm(form('x')));
  });
});

describe('a precondition', () => {
  test.each<[Operation, string]>([
    [get, 'If-Match'],
    [change, 'If-None-Match'],
  ])('is refused where it cannot be checked', (operation, name) =>
    expect(
      refusal(operation, { id: '1', body: operation === change ? '{}' : '', headers: { [name]: '"1"' } }),
    ).toBe(`This operation does not take ${name}.`),
  );

  test('is taken where it can be', () => {
    const { expectedVersion, body } = parsed(change, { id: '1', body: '{"name":"a","expected_version":3}' });
    expect([expectedVersion, body]).toEqual([3, { name: 'a' }]);
    expect(parsed(get, { headers: { 'If-None-Match': '"3"' } }).knownReplies).toEqual(['3']);
  });
});

describe('a body', () => {
  test.each<[string, Operation, Sent, unknown]>([
    ['JSON', upload, { body: '{"name":"N"}', type: 'application/json;charset=utf-8' }, { name: 'N' }],
    ['nothing where none is declared', get, {}, undefined],
    ['nothing, whatever its type', get, { type: 'application/json; charset=latin1' }, undefined],
  ])('is read: %s', (_, operation, sent, body) => expect(parsed(operation, sent).body).toEqual(body));

  test.each<[Operation, Sent, string]>([
    [change, { body: '{}', type: 'text/plain' }, 'The content type must be application/json.'],
    [change, { body: '{}', type: 'application/jsonx' }, 'The content type must be application/json.'],
    [change, { body: '{}', type: 'x/application/json' }, 'The content type must be application/json.'],
    [
      upload,
      { body: 'x', type: 'text/plain' },
      'The content type must be multipart/form-data or application/json.',
    ],
    [
      upload,
      { body: form('x'), type: `x${FORM_TYPE}` },
      'The content type must be multipart/form-data or application/json.',
    ],
    [formOnly, { body: '{}', type: JSON_TYPE }, 'The content type must be multipart/form-data.'],
  ])('is refused for its type', (operation, sent, text) =>
    expect(refusal(operation, { id: '1', ...sent })).toBe(text),
  );

  test('that cannot be stored is refused for that alone, with all that is wrong with the path and the query', () => {
    const sent = { id: 'a\u0007', body: String.raw`{"name":"\u0000","no":1}`, query: 'x=1' };
    const locs = (refusal(change, sent) as { loc: string[] }[]).map(({ loc }) => loc.join('.'));
    expect(locs).toEqual(['path.id', 'query.x', 'body.name']);
  });

  test('of a form that cannot be stored is refused for that alone', () => {
    const body = form('x').replace('\r\n\r\nN\r\n', '\r\n\r\na\u0007\r\n');
    const problem = { loc: ['body', 'name'], type: 'value_error', msg: NO_TEXT };
    expect(refusal(upload, { body, type: FORM_TYPE })).toEqual([problem]);
    const other = body.replace('name="name"', 'name="other"');
    expect(refusal(upload, { body: other, type: FORM_TYPE })).toEqual([
      { ...problem, loc: ['body', 'other'] },
    ]);
  });
});

describe('a form of a page', () => {
  const { read } = webForm(z.strictObject({ name: z.string(), yes: z.boolean().optional() }));
  const readText = (type: string, text: string) => read(type, Buffer.from(text));

  test.each([
    [
      'application/x-www-form-urlencoded',
      'name=J%C3%B6+B&yes=true&other=1',
      { name: 'Jö B', yes: true, other: '1' },
    ],
    ['APPLICATION/JSON ; charset=utf-8', '{"name":"Jö"}', { name: 'Jö' }],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nJö\r\n--b--\r\n',
      { name: 'Jö' },
    ],
  ])('is read as %s', (type, text, fields) => expect(readText(type, text)).toEqual({ fields, problems: [] }));

  test('is refused as anything else', () => {
    for (const type of ['text/plain', '', 'application/json; charset=latin1'])
      expect(() => readText(type, '{}')).toThrow(expect.objectContaining({ status: 400 }));
  });
});
