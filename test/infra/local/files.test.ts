import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FILES_PATH, filesMount } from '../../../infra/local/files.ts';
import type { Caller } from '../../../shared/base/caller.ts';
import {
  getObject,
  objectKey,
  pendingKey,
  putObject,
  signedForm,
  signedUpload,
  signedUrl,
} from '../../../shared/files/objects.ts';
import { useClock } from '../../support/clock.ts';
import { newPerson } from '../../support/people.ts';

const clock = useClock();

let caller: Caller;
let server: Server;
let key: string;
/** By which the file can be read for 15 minutes. */
let url: URL;

const before = { ...process.env };

beforeAll(async () => {
  ({ caller } = await newPerson('Files'));
  const mount = filesMount(() => process.env['AWS_ENDPOINT_URL_S3']!)[`/${FILES_PATH}`]!;
  server = createServer((request, response) => mount(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env['FILES_PATH'] = FILES_PATH;
  process.env['PUBLIC_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  process.env['PUBLIC_URL'] = before['PUBLIC_URL'];
  delete process.env['FILES_PATH'];
});

beforeEach(async () => {
  key = objectKey(caller, 'files', 'plän (1).txt');
  await putObject(caller, key, Buffer.from('secret'), 'text/plain');
  url = new URL(await signedUrl(caller, key, { fileName: 'Plän, neu.txt', contentType: 'text/plain' }));
});

/** The status of an answer, and the code of S3's error. */
const outcome = async (target: URL | string, request: RequestInit = {}) => {
  const answer = await fetch(target, { redirect: 'manual', ...request });
  const text = await answer.text();
  return [answer.status, /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? text];
};

const without = (...names: string[]): URL => {
  const changed = new URL(url);
  for (const name of names) changed.searchParams.delete(name);
  return changed;
};

const withParameter = (name: string, value: string): URL => {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed;
};

describe('a file below the service’s own origin', () => {
  test('is read by its signed address until that ends', async () => {
    expect(url.pathname.startsWith(`/${FILES_PATH}/`)).toBe(true);
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([200, 'secret']);
    clock.pass(899);
    expect(await outcome(url)).toEqual([200, 'secret']);
    clock.pass(3);
    expect(await outcome(url)).toEqual([403, 'AccessDenied']);
  });

  test('is read in part', async () => {
    expect(await outcome(url, { headers: { range: 'bytes=0-2' } })).toEqual([206, 'sec']);
  });

  test.each([
    ['no signature at all', () => new URL(url.pathname, url), 'AccessDenied'],
    ['no X-Amz-Signature', () => without('X-Amz-Signature'), 'AccessDenied'],
    ['no end', () => without('X-Amz-Expires'), 'AccessDenied'],
    ['no time', () => without('X-Amz-Date'), 'AccessDenied'],
    ['no signed headers', () => without('X-Amz-SignedHeaders'), 'AccessDenied'],
    ['a later end', () => withParameter('X-Amz-Expires', '86400'), 'SignatureDoesNotMatch'],
    ['another signature', () => withParameter('X-Amz-Signature', 'a'.repeat(64)), 'SignatureDoesNotMatch'],
    ['a short signature', () => withParameter('X-Amz-Signature', 'a'), 'SignatureDoesNotMatch'],
    ['another parameter', () => withParameter('list-type', '2'), 'SignatureDoesNotMatch'],
    ['a parameter less', () => without('response-content-type'), 'SignatureDoesNotMatch'],
    [
      'another path',
      () => new URL(`${url.pathname.replace('files/pl', 'files/xl')}${url.search}`, url),
      'SignatureDoesNotMatch',
    ],
    [
      'the path of the bucket',
      () => new URL(`/${FILES_PATH}/${process.env['BUCKET_NAME']}${url.search}`, url),
      'SignatureDoesNotMatch',
    ],
  ])('403 with %s', async (_, target, code) => {
    expect(await outcome(target())).toEqual([403, code]);
  });

  test('403 for another method than the signed one', async () => {
    expect(await outcome(url, { method: 'PUT', body: 'theirs' })).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await outcome(url, { method: 'DELETE' })).toEqual([403, 'SignatureDoesNotMatch']);
    expect((await outcome(url, { method: 'HEAD' }))[0]).toBe(403);
    expect(Buffer.from((await getObject(caller, key))!).toString()).toBe('secret');
  });

  test('403 for a header of S3 that was not signed', async () => {
    const headers = { 'x-amz-copy-source': `/${process.env['BUCKET_NAME']}/other` };
    expect(await outcome(url, { headers })).toEqual([403, 'AccessDenied']);
  });
});

describe('an upload below the service’s own origin', () => {
  const at = (name: string) => pendingKey(caller, name);
  const signed = (name: string) => signedUpload(caller, at(name), { size: 4, contentType: 'text/plain' });

  test('is stored by its signed address, with the size, the type and the condition that were signed', async () => {
    const { url: target, headers } = await signed('one');
    const { 'content-length': _, ...sent } = headers;
    const put = (body: string, more: object = {}) =>
      outcome(target, { method: 'PUT', body, headers: { ...sent, ...more } });
    expect(await put('12345')).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await put('1234', { 'content-type': 'text/html' })).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await put('1234', { 'if-none-match': 'x' })).toEqual([403, 'SignatureDoesNotMatch']);
    expect(await getObject(caller, at('one'))).toBeUndefined();
    expect((await put('1234'))[0]).toBe(200);
    expect(Buffer.from((await getObject(caller, at('one')))!).toString()).toBe('1234');
    clock.pass(901);
    expect(await put('1234')).toEqual([403, 'AccessDenied']);
  });

  const send = async (name: string, change: (form: FormData) => void = () => undefined, size = 4) => {
    const { url: target, fields } = await signedForm(caller, at(name), {
      maxBytes: 10,
      returnTo: 'http://localhost:3000/done',
    });
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', new Blob(['x'.repeat(size)]), 'a.txt');
    change(form);
    return outcome(target, { method: 'POST', body: form });
  };

  test('is stored by a signed form', async () => {
    expect((await send('form'))[0]).toBe(303);
    expect(await getObject(caller, at('form'))).toHaveLength(4);
  });

  test.each<[string, (form: FormData) => void, string]>([
    ['without a policy', (form) => form.delete('Policy'), 'AccessDenied'],
    ['without a signature', (form) => form.delete('X-Amz-Signature'), 'AccessDenied'],
    [
      'with another signature',
      (form) => form.set('X-Amz-Signature', '0'.repeat(64)),
      'SignatureDoesNotMatch',
    ],
    ['with another policy', (form) => form.set('Policy', 'e30='), 'SignatureDoesNotMatch'],
    ['with another key', (form) => form.set('key', at('other')), 'AccessDenied'],
    ['with a second key', (form) => form.append('KEY', at('other')), 'AccessDenied'],
    ['with a field more', (form) => form.append('Content-Type', 'text/html'), 'AccessDenied'],
    [
      'that returns elsewhere',
      (form) => form.set('success_action_redirect', 'http://x.example'),
      'AccessDenied',
    ],
    ['that has ended', () => clock.pass(901), 'AccessDenied'],
  ])('403 for a form %s', async (_, change, code) => {
    expect(await send('refused', change)).toEqual([403, code]);
    expect(await getObject(caller, at('refused'))).toBeUndefined();
    expect(await getObject(caller, at('other'))).toBeUndefined();
  });

  test('400 for a file that is larger than the form allows, and for no form', async () => {
    expect(await send('large', undefined, 11)).toEqual([400, 'EntityTooLarge']);
    const { url: target } = await signedForm(caller, at('x'), { maxBytes: 10, returnTo: 'http://x.example' });
    expect(await outcome(target, { method: 'POST', body: 'x' })).toEqual([400, 'MalformedPOSTRequest']);
  });
});
