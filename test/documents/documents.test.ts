import { HeadObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import * as errors from '../../shared/base/errors.ts';
import * as documents from '../../shared/files/documents.ts';
import {
  documentKey,
  getObject,
  objectKey,
  PENDING_PREFIX,
  putObject,
  signedUrl,
} from '../../shared/files/objects.ts';
import { MAX_OPEN_UPLOADS } from '../../shared/files/pending-uploads.ts';
import { uploadKey } from '../../shared/files/uploads.ts';
import { Document, DownloadableDocument } from '../../shared/schemas/document.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { type Answer, as } from '../support/call.ts';
import { interceptCommands } from '../support/commands.ts';
import {
  between,
  type Fault,
  impatient,
  installFaults,
  loseReply,
  on,
  sdkError,
  throttled,
  withFault,
} from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { age, documentForm, newDocument, newUpload, refuseCommit } from './scenarios.ts';

// The local engine does not check the condition of a copy, so this answers as S3 does.
interceptCommands('copies', async ({ command, input, send }) => {
  if (command !== 'CopyObject' || input['CopySourceIfMatch'] === undefined) return send();
  const [Bucket, ...Key] = String(input['CopySource']).split('/');
  const source = new HeadObjectCommand({ Bucket, Key: Key.join('/') });
  const { ETag } = await withFault(
    (passing) => passing.send(),
    () => new S3Client({ forcePathStyle: true }).send(source),
  );
  if (ETag !== input['CopySourceIfMatch']) throw sdkError('PreconditionFailed');
  return send();
});

installFaults();

let person: Person;

beforeAll(async () => {
  impatient();
  person = await newPerson('Harbour');
});

const objectsOf = async ({ caller }: Person, prefix = ''): Promise<string[]> => {
  const { Contents = [] } = await new S3Client({ forcePathStyle: true }).send(
    new ListObjectsV2Command({
      Bucket: process.env['BUCKET_NAME'],
      Prefix: `${prefix}${objectKey(caller)}/`,
    }),
  );
  return Contents.map(({ Key }) => Key!);
};

const use = ({ caller }: Person, id: string, delta: number) =>
  change(caller, () => ({ writes: [documents.use(caller, id, delta, 'value')], reply: undefined }));

const png = () =>
  sharp({ create: { width: 4, height: 4, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();

describe('POST /documents', () => {
  test('201 with exactly the fields of the contract', async () => {
    await person.me.updateMyProfile({ body: { name: 'Ada' } });
    const bytes = await png();
    const form = documentForm(bytes, { title: ' Guard rail ', category: 'Cranes' }, '/photos/rail.JPG');
    const { status, body } = await person.try.documents.create({ form });
    expect(status).toBe(201);
    expect(Document.parse(body)).toEqual({
      id: body.id,
      title: 'Guard rail',
      description: '',
      tags: [],
      category: 'Cranes',
      file_name: 'rail.JPG',
      mime_type: 'image/png',
      size_bytes: bytes.length,
      uploaded_by: person.caller.user_id,
      uploaded_by_name: 'Ada',
      used_by_count: 0,
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    expect(await getObject(person.caller, documentKey(person.caller, body.id))).toEqual(
      new Uint8Array(bytes),
    );
  });

  test('201 with tags as repeated fields or as JSON', async () => {
    const tagsOf = async (tags: string | string[]) => (await newDocument(person, { title: 'T', tags })).tags;
    expect(await tagsOf(['Crane', ' hoist '])).toEqual(['Crane', 'hoist']);
    expect(await tagsOf('["Crane","hoist"]')).toEqual(['Crane', 'hoist']);
    expect(await tagsOf('Crane')).toEqual(['Crane']);
  });

  test('201 with the type of the bytes, whatever the file name says', async () => {
    const typeOf = async (bytes: Uint8Array | string, name: string) =>
      (await person.documents.create({ form: documentForm(bytes, { title: 'T' }, name) })).mime_type;
    expect(await typeOf('<html><script>alert(1)</script></html>', 'page.html')).toBe('text/plain');
    expect(await typeOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'x.png')).not.toMatch(/svg|png|html/);
    expect(await typeOf('<?xml version="1.0"?><svg/>', 'x.svg')).toBe('application/xml');
    expect(await typeOf('%PDF-1.7\n%', 'x.exe')).toBe('application/pdf');
    expect(await typeOf('a,b\n1,2', 'list.CSV')).toBe('text/csv');
    expect(await typeOf('καλημέρα', 'greeting')).toBe('text/plain');
    expect(await typeOf(Buffer.from([0, 1, 2, 3, 255]), 'notes.txt')).toBe('application/octet-stream');
  });

  test('422 for executables of any operating system, whatever the file name, and nothing is stored', async () => {
    const other = await newPerson('Quay');
    const installer = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(600),
      Buffer.from('84100c0000000000c000000000000046', 'hex'),
      Buffer.alloc(600),
    ]);
    const programs: (string | Buffer)[] = [
      'MZ',
      `MZ${'\0'.repeat(200)}PE`,
      '#!/bin/sh\nrm -rf /',
      '\uFEFF#!/usr/bin/env node',
      Buffer.from('7f454c46020101', 'hex'),
      Buffer.from('cffaedfe07000001', 'hex'),
      Buffer.from('cafebabe00000002', 'hex'),
      Buffer.from('0061736d01000000', 'hex'),
      installer,
    ];
    for (const bytes of programs) {
      const form = documentForm(bytes, { title: 'T' }, 'photo.jpg');
      const { status, body } = await other.try.documents.create({ form });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'file']]);
    }
    expect(await objectsOf(other)).toEqual([]);
    expect(await other.documents.list()).toEqual([]);
  });

  test('422 for every problem at once', async () => {
    const form = new FormData();
    form.append('tags', '["a", 1, "A"]');
    form.append('category', 'x'.repeat(101));
    form.append('used_by_count', '5');
    const { status, body } = await person.try.documents.create({ form });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.join('.')).toSorted()).toEqual([
      'body.category',
      'body.file',
      'body.tags.1',
      'body.title',
      'body.used_by_count',
    ]);
  });

  test('422 for an empty file and for one larger than 4 MB', async () => {
    for (const bytes of ['', Buffer.alloc(4 * 1024 * 1024 + 1, 'a')]) {
      const { status, body } = await person.try.documents.create({ form: documentForm(bytes) });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'file']]);
    }
    expect(
      (await person.try.documents.create({ form: documentForm(Buffer.alloc(4 * 1024 * 1024, 'a')) })).status,
    ).toBe(201);
  });

  test('400 for a form that is cut off, has a part without a name, two files, or no boundary', async () => {
    const type = 'multipart/form-data; boundary=b';
    const part = (headers: string, body: string) =>
      `--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${body}\r\n`;
    const file = part('name="file"; filename="a.txt"', 'x');
    const title = part('name="title"', 'T');
    const malformed: [string, string][] = [
      [`${title}${file}`, type],
      [`${title}${part('filename="a.txt"', 'x')}--b--`, type],
      [`${title}${file}${file}--b--`, type],
      [`${title}${file}--b--`, 'multipart/form-data'],
      ['--b--', `${type}x`],
    ];
    for (const [text, contentType] of malformed) {
      const { status } = await person.try.documents.create({
        raw: Buffer.from(text),
        headers: { 'Content-Type': contentType },
      });
      expect([text, status]).toEqual([text, 400]);
    }
  });

  test('500 if the record cannot be stored, and the object is deleted again', async () => {
    const other = await newPerson('Refused');
    const request = { form: documentForm('x') };
    expect((await withFault(refuseCommit, () => other.try.documents.create(request))).status).toBe(500);
    expect(await objectsOf(other)).toEqual([]);
  });

  test('503 in an outage, and the object exists only if its record does', async () => {
    const other = await newPerson('Outage');
    const isCommit = ({ command }: { command: string }) => command === 'TransactWriteItems';
    const request = () => ({ form: documentForm('x') });
    const refused = await withFault(
      on(isCommit, () => Promise.reject(throttled())),
      () => other.try.documents.create(request()),
    );
    expect([refused.status, await objectsOf(other)]).toEqual([503, []]);
    await withFault(on(isCommit, loseReply), () => other.try.documents.create(request()));
    const recorded: Document[] = await other.documents.list();
    expect(await objectsOf(other)).toEqual(recorded.map(({ id }) => documentKey(other.caller, id)));
  });
});

describe('GET /documents', () => {
  test('200 filtered by text, category and any of the tags', async () => {
    const other = await newPerson('Library');
    const titles = async (query = {}) =>
      (await as(other.readOnlyKey).documents.list({ query })).map(({ title }: Document) => title);
    await newDocument(other, { title: 'Load chart', category: 'Cranes', tags: ['Lift', 'plan'] });
    await newDocument(other, { title: 'Ｓｉｔｅ map', category: 'Cranes', tags: 'map' });
    await newDocument(other, { title: 'Permit' });
    expect(await titles()).toEqual(['Load chart', 'Ｓｉｔｅ map', 'Permit']);
    expect(await titles({ q: 'SITE' })).toEqual(['Ｓｉｔｅ map']);
    expect(await titles({ q: 'chart.txt', category: 'Cranes' })).toEqual(['Load chart', 'Ｓｉｔｅ map']);
    expect(await titles({ tag: ['LIFT', 'MAP'] })).toEqual(['Load chart', 'Ｓｉｔｅ map']);
    expect(await titles({ category: '' })).toEqual(['Permit']);
  });
});

describe('GET /documents/{document_id}', () => {
  test('200 with a URL that downloads the file with its name and type', async () => {
    const name = 'Prüf"plan; ✓.html';
    const form = documentForm('<b>x</b>', { title: 'T' }, name);
    const { id } = await person.documents.create({ form });
    const { status, body } = await as(person.readOnlyKey).try.documents.get({ params: { document_id: id } });
    expect(status).toBe(200);
    const { download_url, file_name } = DownloadableDocument.parse(body);
    const url = new URL(download_url);
    expect(url.searchParams.get('response-content-type')).toBe('text/plain');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('900');
    const disposition = url.searchParams.get('response-content-disposition')!;
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\w%.~!-]+$/);
    expect(decodeURIComponent(disposition.split("UTF-8''")[1]!)).toBe(file_name);
    expect(await (await fetch(download_url)).text()).toBe('<b>x</b>');
  });

  test('404 for a document of another organization', async () => {
    const { id } = await newDocument(await newPerson('Quay'));
    expect((await person.try.documents.get({ params: { document_id: id } })).status).toBe(404);
  });
});

describe('DELETE /documents/{document_id}', () => {
  test('204, and both the record and the object are deleted', async () => {
    const { id } = await newDocument(person);
    const params = { document_id: id };
    expect((await person.try.documents.delete({ params })).status).toBe(204);
    expect((await person.try.documents.get({ params })).status).toBe(404);
    expect(await getObject(person.caller, documentKey(person.caller, id))).toBeUndefined();
    expect((await person.try.documents.delete({ params })).status).toBe(404);
  });

  test('409 while the document is used, 204 afterwards', async () => {
    const { id } = await newDocument(person);
    const params = { document_id: id };
    await use(person, id, 2);
    expect((await person.documents.get({ params })).used_by_count).toBe(2);
    expect((await person.try.documents.delete({ params })).status).toBe(409);
    expect(await getObject(person.caller, documentKey(person.caller, id))).toBeDefined();
    await use(person, id, -2);
    expect((await person.try.documents.delete({ params })).status).toBe(204);
  });

  test('204 or 409 in parallel with twenty uses, and a deleted document is never used', async () => {
    const { id } = await newDocument(person);
    const [deleted, ...uses] = await Promise.allSettled([
      person.try.documents.delete({ params: { document_id: id } }),
      ...Array.from({ length: 20 }, () => use(person, id, 1)),
    ]);
    const { status } = (deleted as PromiseFulfilledResult<{ status: number }>).value;
    const used = uses.filter((each) => each.status === 'fulfilled').length;
    const [left] = await documents.getMany(person.caller, [id]);
    expect([status, left?.used_by_count ?? 0]).toEqual(used > 0 ? [409, used] : [204, 0]);
  });
});

describe('POST /documents/uploads', () => {
  test('201 with a URL that accepts only this file', async () => {
    const body = { file_name: 'lift.mp4', size_bytes: 5_000_000, mime_type: 'video/mp4' };
    const before = Date.now();
    const { status, body: upload } = await person.try.documents.createUpload({ body });
    const after = Date.now();
    expect(status).toBe(201);
    expect(upload.headers).toEqual({
      'content-type': 'video/mp4',
      'content-length': '5000000',
      'if-none-match': '*',
    });
    const url = new URL(upload.url);
    expect(url.searchParams.get('X-Amz-SignedHeaders')!.split(';')).toEqual(
      expect.arrayContaining(['content-length', 'content-type', 'host', 'if-none-match']),
    );
    expect(url.pathname).toContain(`${objectKey(person.caller)}/`);
    const from = Date.parse(upload.expires_at) - 900_000;
    expect(from).toBeGreaterThanOrEqual(before);
    expect(from).toBeLessThanOrEqual(after);
    expect(url.searchParams.get('X-Amz-Expires')).toBe('900');
  });

  test('201, and uploads that were not completed for a day are deleted with their files', async () => {
    const other = await newPerson('Forgetful');
    const first = await newUpload(other, Buffer.from('one'));
    const second = await newUpload(other, Buffer.from('two'));
    await age(other, first, 25);
    await age(other, second, 23);
    const open = () => newUpload(other, Buffer.from('three'));
    await open();
    const left = await objectsOf(other, PENDING_PREFIX);
    expect(left).not.toContain(uploadKey(other.caller, first.upload_id));
    expect(left).toContain(uploadKey(other.caller, second.upload_id));
  });

  test('201 while an abandoned file cannot be deleted: its upload is not forgotten', async () => {
    const other = await newPerson('Stuck');
    const first = await newUpload(other, Buffer.from('one'));
    await age(other, first, 25);
    const stuck = on(
      ({ command }) => command === 'DeleteObject',
      () => Promise.reject(sdkError('InternalError')),
    );
    const isThere = async () =>
      (await objectsOf(other, PENDING_PREFIX)).includes(uploadKey(other.caller, first.upload_id));
    await withFault(stuck, () => newUpload(other, Buffer.from('two')));
    expect(await isThere()).toBe(true);
    await newUpload(other, Buffer.from('three'));
    expect(await isThere()).toBe(false);
  });

  test('409 for more open uploads of the last day than an organization can have', async () => {
    const other = await newPerson('Hoarder');
    const ids = Array.from({ length: MAX_OPEN_UPLOADS }, () => uuidv7());
    const opened_at = new Date().toISOString();
    for (let start = 0; start < ids.length; start += 100) {
      const writes = ids.slice(start, start + 100).map((id) =>
        write.put({
          ...keys.one(other.caller, 'UPLOAD', id),
          id,
          file_name: 'a',
          size_bytes: 1,
          opened_at,
        }),
      );
      await change(other.caller, () => ({ writes, reply: undefined }));
    }
    const body = { file_name: 'a.txt', size_bytes: 10, mime_type: 'text/plain' };
    const refused = await other.try.documents.createUpload({ body });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      errors.tooManyUploads(MAX_OPEN_UPLOADS).detail,
    ]);
    const drop = write.drop(keys.one(other.caller, 'UPLOAD', ids[0]!));
    await change(other.caller, () => ({ writes: [drop], reply: undefined }));
    expect((await other.try.documents.createUpload({ body })).status).toBe(201);
  });

  test('422 for more than 100 MB, for a path as the name, and for a malformed type', async () => {
    const body = { file_name: '../etc/passwd', size_bytes: 100 * 1024 * 1024 + 1, mime_type: 'video' };
    const { status, body: answer } = await person.try.documents.createUpload({ body });
    expect([status, answer.detail.length]).toEqual([422, 3]);
  });
});

describe('POST /documents/uploads/{upload_id}/complete', () => {
  const complete = (by: string, upload_id: string) =>
    as(by).try.documents.completeUpload({
      params: { upload_id },
      body: { title: 'Lift plan', tags: ['plan'] },
    });

  test('201 with the new document', async () => {
    const bytes = Buffer.concat([await png(), Buffer.alloc(200_000)]);
    const { upload_id } = await newUpload(person, bytes, 'big.bin');
    const { status, body } = await complete(person.key, upload_id);
    expect(status).toBe(201);
    expect(Document.parse(body)).toMatchObject({
      id: upload_id,
      mime_type: 'image/png',
      size_bytes: bytes.length,
      file_name: 'big.bin',
    });
    const { download_url } = await person.documents.get({ params: { document_id: upload_id } });
    expect((await (await fetch(download_url)).bytes()).length).toBe(bytes.length);
  });

  test('201, and nothing can be stored for the document by the link of its upload, even once it is deleted', async () => {
    const { upload_id, url, headers } = await newUpload(person, Buffer.from('plan'));
    expect((await complete(person.key, upload_id)).status).toBe(201);
    // The link is signed for an unused key only, which the local engine does not check, and the key stays used.
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toContain('if-none-match');
    expect(headers['if-none-match']).toBe('*');
    expect(await getObject(person.caller, uploadKey(person.caller, upload_id))).toHaveLength(0);
    await person.documents.delete({ params: { document_id: upload_id } });
    const { 'content-length': _, ...sent } = headers;
    await fetch(url, { method: 'PUT', headers: sent, body: 'evil' });
    expect(await getObject(person.caller, documentKey(person.caller, upload_id))).toBeUndefined();
    expect((await complete(person.key, upload_id)).status).toBe(404);
  });

  test('201 for one of twenty parallel requests, 409 for the others', async () => {
    const { upload_id } = await newUpload(person, Buffer.from('once'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => complete(person.key, upload_id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 19 }, () => 409));
    // Nobody is told that the file is missing, which the first one has taken away.
    const told = new Set(others.map(({ body }) => body.detail as string));
    for (const { detail } of [errors.alreadyExists('document'), errors.uploadCompleted()])
      told.delete(detail);
    expect([...told]).toEqual([]);
  });

  test('404 for an upload of another organization, and after 23 hours', async () => {
    const upload = await newUpload(person, Buffer.from('mine'));
    const other = await newPerson('Quay');
    expect((await complete(other.key, upload.upload_id)).status).toBe(404);
    // An upload is deleted a day after it was opened, so a completion must not begin shortly before.
    await age(person, upload, 23.02);
    expect((await complete(person.key, upload.upload_id)).status).toBe(404);
    await age(person, upload, 22.98);
    expect((await complete(person.key, upload.upload_id)).status).toBe(201);
  });

  test('409 before the file has arrived, and if it has another size', async () => {
    const body = { file_name: 'a.txt', size_bytes: 10, mime_type: 'text/plain' };
    const { upload_id } = await person.documents.createUpload({ body });
    expect((await complete(person.key, upload_id)).status).toBe(409);
    await putObject(person.caller, uploadKey(person.caller, upload_id), Buffer.from('short'), 'text/plain');
    const { status, body: answer } = await complete(person.key, upload_id);
    expect([status, answer.detail]).toEqual([409, errors.fileSizeMismatch(5, 10).detail]);
  });

  test('201 with what was checked, or 409, for a file that is replaced between any two calls', async () => {
    const first = Buffer.from('%PDF-1.7 the file that was checked');
    const second = Buffer.alloc(first.length, 'MZ\u0090');
    const answers: Answer[] = [];
    const places = await between({
      prepare: async () => (await newUpload(person, first)).upload_id,
      work: async (upload_id) => answers.push(await complete(person.key, upload_id)),
      act: (upload_id) => putObject(person.caller, uploadKey(person.caller, upload_id), second, 'text/html'),
      check: async (upload_id) => {
        const stored = await getObject(person.caller, documentKey(person.caller, upload_id));
        const isTaken = answers.at(-1)!.status === 201;
        expect(stored && Buffer.from(stored)).toEqual(isTaken ? first : undefined);
      },
    });
    expect(places).toBeGreaterThan(4);
    // Before it was read, between that and the copy, and after it.
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422, 409, 201]));
  });

  test('201 with the type of the bytes, whatever the upload was stored as', async () => {
    const { upload_id } = await newUpload(person, await png());
    expect((await complete(person.key, upload_id)).status).toBe(201);
    const { ContentType } = await new S3Client({ forcePathStyle: true }).send(
      new HeadObjectCommand({
        Bucket: process.env['BUCKET_NAME'],
        Key: documentKey(person.caller, upload_id),
      }),
    );
    expect(ContentType).toBe('image/png');
  });

  test('500 if the record cannot be stored, and its file is deleted; kept where nobody knows', async () => {
    const key = async () => {
      const { upload_id } = await newUpload(person, Buffer.from('plan'));
      return { upload_id, file: documentKey(person.caller, upload_id) };
    };
    const refused = await key();
    expect((await withFault(refuseCommit, () => complete(person.key, refused.upload_id))).status).toBe(500);
    expect(await getObject(person.caller, refused.file)).toBeUndefined();
    const unknown = await key();
    let isOver = false;
    // The transaction is refused, and so is every question after it.
    const away: Fault = ({ command, client, send }) => {
      isOver ||= command === 'TransactWriteItems';
      return isOver && client === 'DynamoDBClient' ? Promise.reject(sdkError('ValidationException')) : send();
    };
    expect((await withFault(away, () => complete(person.key, unknown.upload_id))).status).toBe(500);
    expect(await getObject(person.caller, unknown.file)).toHaveLength(4);
  });

  test('422 for an executable', async () => {
    const { upload_id } = await newUpload(person, Buffer.from('MZ\u0090'), 'photo.jpg');
    expect((await complete(person.key, upload_id)).status).toBe(422);
    expect((await person.try.documents.get({ params: { document_id: upload_id } })).status).toBe(404);
  });
});

describe('the separation of organizations', () => {
  test('403 for any object key outside the own organization', async () => {
    const other = await newPerson('Quay');
    const { id } = await newDocument(other);
    const theirs = documentKey(other.caller, id);
    for (const key of [
      theirs,
      `${PENDING_PREFIX}${theirs}`,
      'x',
      objectKey(person.caller),
      `${objectKey(person.caller)}x/y`,
      `org/${person.caller.org_id}/documents/${id}`,
    ]) {
      await expect(getObject(person.caller, key)).rejects.toMatchObject({ status: 403 });
      expect(() => signedUrl(person.caller, key)).toThrow(errors.rowLevelSecurity().detail);
    }
  });
});
