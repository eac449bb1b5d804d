import fc from 'fast-check';
import * as z from 'zod';
import * as errors from '../../../shared/base/errors.ts';
import { multipart } from '../../../shared/http/operation/forms.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { parseRequest } from '../../../shared/http/request/parse.ts';
import { NO_TEXT } from '../../../shared/http/request/storable.ts';
import { runs } from '../../support/scale.ts';
import { eventOf, readOrRefuse, refusedBy } from './reading.ts';

describe('a form', () => {
  const operation = defineOperation({
    id: 'sendForm',
    method: 'POST',
    path: '/forms',
    summary: 'Send a form',
    access: 'write',
    body: multipart(
      z.strictObject({ title: z.string(), tags: z.array(z.string()).optional(), count: z.int().optional() }),
      {
        file: { required: true, maxBytes: 1_000, description: 'A file.' },
        pages: { required: false, maxBytes: 10, maxFiles: 2, description: 'Pages.' },
      },
    ),
    success: 201,
    response: z.null(),
  });
  const type = 'multipart/form-data; boundary=b';
  const part = (headers: string, content: string) => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
  const valid = `${part('Content-Disposition: form-data; name="title"', 'T')}${part(
    'Content-Disposition: form-data; name="file"; filename="../a\\b/c.txt"\r\nContent-Type: text/plain',
    'bytes',
  )}--b--\r\n`;

  test('is read, and its file’s name has no path', () => {
    const { body } = parseRequest(operation, eventOf(operation, { body: Buffer.from(valid), type }));
    expect(body).toEqual({ title: 'T', file: { name: 'c.txt', bytes: expect.any(Uint8Array) }, pages: [] });
  });

  const page = (name: string, content: string) =>
    part(`Content-Disposition: form-data; name="pages"; filename="${name}"`, content);
  const sent = (...pages: string[]) => ({ body: Buffer.from(pages.join('') + valid), type });

  test('may have several files of a name, in their order', () => {
    const read = (...pages: string[]) => parseRequest(operation, eventOf(operation, sent(...pages)));
    const [first, second] = [page('a', 'A'), page('b', 'B')];
    const { body, fingerprint } = read(first, second);
    expect((body as { pages: { name: string; bytes: Uint8Array }[] }).pages).toEqual([
      { name: 'a', bytes: new Uint8Array(Buffer.from('A')) },
      { name: 'b', bytes: new Uint8Array(Buffer.from('B')) },
    ]);
    expect(read(first, second).fingerprint).toBe(fingerprint);
    expect(read(second, first).fingerprint).not.toBe(fingerprint);
    expect(read(first).fingerprint).not.toBe(fingerprint);
  });

  test('is refused with more files of a name than it may have, or one that is empty or too large', () => {
    const refused = (...pages: string[]) => refusedBy(operation, sent(...pages));
    expect(refused(page('a', 'A'), page('b', 'B'), page('c', 'C'))).toMatch(/more than 2 files 'pages'/);
    expect(refused(page('a', ''), page('b', 'x'.repeat(11)))).toMatchObject([
      { loc: ['body', 'pages', '0'], msg: 'Value error, file is empty' },
      { loc: ['body', 'pages', '1'], ctx: { max_bytes: 10 } },
    ]);
  });

  const disposition = (parameters: string) => `Content-Disposition: form-data; ${parameters}`;
  const title = part(disposition('name="title"'), 'T');
  const sentFile = (name: string, content = 'bytes') =>
    part(disposition(`name="file"; filename="${name}"`), content);
  const readForm = (parts: string, contentType = type) =>
    parseRequest(
      operation,
      eventOf(operation, { body: Buffer.from(`${parts}--b--\r\n`), type: contentType }),
    );
  const refusalOf = (...form: Parameters<typeof readForm>): unknown => {
    try {
      return readForm(...form);
    } catch (error) {
      return (error as { detail: unknown }).detail;
    }
  };

  test.each([
    ['C:\\\\photos\\\\a.png', 'a.png'],
    ['a\tb.png', 'ab.png'],
    ['', 'file'],
    [' ', 'file'],
    ['photos/', 'file'],
    ['a'.repeat(300), 'a'.repeat(255)],
  ])('its file %j is named %j', (sentName, name) => {
    const { body } = readForm(title + sentFile(sentName)) as { body: { file: { name: string } } };
    expect(body.file.name).toBe(name);
  });

  test('its file is named “file” where the part names none', () =>
    expect(readForm(title + part(disposition('name="file"'), 'bytes')).body).toMatchObject({
      file: { name: 'file', bytes: new Uint8Array(Buffer.from('bytes')) },
    }));

  test.each(['multipart/form-data;boundary=b', 'multipart/form-data; charset=utf-8;  BOUNDARY="b"; x=y'])(
    'is read with the content type %s',
    (contentType) => expect(readForm(title + sentFile('a'), contentType).body).toMatchObject({ title: 'T' }),
  );

  test.each([
    ['"a b"', 'a b'],
    ['a-b; x=y', 'a-b'],
    ['b'.repeat(70), 'b'.repeat(70)],
  ])('is read with the boundary %s', (named, boundary) => {
    const parts = (title + sentFile('a')).replaceAll(/^--b\r/gm, `--${boundary}\r`);
    const body = Buffer.from(`${parts}--${boundary}--\r\n`);
    const contentType = `multipart/form-data; boundary=${named}`;
    expect(parseRequest(operation, eventOf(operation, { body, type: contentType })).body).toMatchObject({
      title: 'T',
    });
  });

  test.each<[string, string, string?]>([
    ['the content type names no boundary', title, 'multipart/form-data; boundary='],
    ['a part has no name', title + sentFile('a') + part('Content-Disposition: form-data', 'x')],
    ['a part has no name', title + sentFile('a') + part(disposition('name=""'), 'x')],
    ["it has more than one file 'file'", title + sentFile('a') + sentFile('b')],
  ])('is 400 where %s', (reason, parts, ...[contentType]) =>
    expect(refusalOf(parts, contentType)).toBe(errors.formNotReadable(reason).detail),
  );

  test('is 400 where a field is not valid UTF-8', () => {
    const body = Buffer.concat([
      Buffer.from(`--b\r\n${disposition('name="title"')}\r\n\r\n`),
      Buffer.from([0xff]),
      Buffer.from(`\r\n${sentFile('a')}--b--\r\n`),
    ]);
    expect(() => parseRequest(operation, eventOf(operation, { body, type }))).toThrow(
      expect.objectContaining({ detail: errors.formNotReadable('a field is not valid UTF-8').detail }),
    );
  });

  test('says what is wrong with its file', () => {
    const ofFile = (parts: string) => refusalOf(title + parts);
    const problem = { loc: ['body', 'file'], type: 'value_error' };
    expect(ofFile('')).toEqual([{ loc: ['body', 'file'], type: 'missing', msg: 'Field required' }]);
    expect(ofFile(sentFile('a', ''))).toEqual([{ ...problem, msg: 'Value error, file is empty' }]);
    expect(ofFile(sentFile('a', 'x'.repeat(1_000)))).toMatchObject({ body: { title: 'T' } });
    expect(ofFile(sentFile('a', 'x'.repeat(1_001)))).toEqual([
      { ...problem, msg: 'Value error, file should have at most 1000 bytes', ctx: { max_bytes: 1_000 } },
    ]);
    expect(ofFile(sentFile('a\uffff'))).toEqual([{ ...problem, msg: NO_TEXT }]);
  });

  test('is refused and never crashes, whatever its bytes are', () => {
    const pieces = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\r\n\r\n',
      '\n',
      'Content-Disposition: form-data; name="title"',
      'Content-Disposition: form-data; name="__proto__"',
      'Content-Disposition: form-data; name="file"; filename=""',
      'Content-Disposition: form-data; filename="a"',
      'content-disposition:',
      'Content-Disposition: form-data; name="file"; filename*=utf-8\'\'%ff',
      ':',
      '"',
      '\u0000',
      'x'.repeat(9_000),
    );
    const soup = fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 20 })
      .map((all) => Buffer.from(all.join('')));
    const cut = fc
      .tuple(fc.nat(valid.length), fc.nat(20), fc.uint8Array({ maxLength: 8 }))
      .map(([at, length, bytes]) =>
        Buffer.concat([Buffer.from(valid.slice(0, at)), bytes, Buffer.from(valid.slice(at + length))]),
      );
    const types = fc.constantFrom(
      type,
      'multipart/form-data; boundary="b"',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=b; boundary=c',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          soup,
          cut,
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        types,
        (body, type) => readOrRefuse(operation, { body, type }),
      ),
      { numRuns: runs(400) },
    );
  });

  test('is refused when it has ten thousand parts', () => {
    const body = Buffer.from(`${part('Content-Disposition: form-data; name="a"', '').repeat(10_000)}--b--`);
    expect(() => parseRequest(operation, eventOf(operation, { body, type }))).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  test.each([
    ['its file is missing', part('Content-Disposition: form-data; name="title"', 'T'), 'file', 'missing'],
    [
      'a field appears twice',
      valid.replace('--b--\r\n', '') + part('Content-Disposition: form-data; name="title"', 'U'),
      'title',
      'string_type',
    ],
    [
      'a number is malformed',
      valid.replace('--b--\r\n', '') + part('Content-Disposition: form-data; name="count"', '1x'),
      'count',
      'int_parsing',
    ],
  ])('is 422 when %s', (_, parts, name, problem) => {
    const body = Buffer.from(`${parts.replace(/--b--\r\n$/, '')}--b--\r\n`);
    expect(() => parseRequest(operation, eventOf(operation, { body, type }))).toThrow(
      expect.objectContaining({
        status: 422,
        detail: expect.arrayContaining([expect.objectContaining({ loc: ['body', name], type: problem })]),
      }),
    );
  });
});
