import { gunzipSync, gzipSync } from 'node:zlib';
import * as getPageFile from '../../functions/public/get-page-file.ts';
import { isPublic, routesOf } from '../../shared/http/operation/surface.ts';
import { programFile } from '../../shared/http/pages/web-files.ts';
import { invoke } from '../support/call.ts';
import { expectRecorded, usesOfOperation } from '../support/recorded.ts';
import { installRecorder, recording } from '../support/recorder.ts';

/** The most that a page and its program may weigh, in compressed bytes. */
const MAX_BYTES = 60 * 1024;

installRecorder();

const { operation } = getPageFile;

const get = (file: string, headers: Record<string, string> = {}) =>
  invoke(getPageFile, { params: { file } }, headers, Buffer.alloc(0));

describe('GET /assets/{file}', () => {
  test('200 for a program, which a browser may keep for ever', async () => {
    const { status, headers, text, bytes } = await get(programFile('issue'));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(text.length).toBeGreaterThan(0);
    expect(gzipSync(bytes).length).toBeLessThan(MAX_BYTES);
  });

  test('200 with the same bytes, compressed for a browser that takes it', async () => {
    const plain = await get(programFile('issue'));
    const packed = await get(programFile('issue'), { 'Accept-Encoding': 'gzip, br' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    expect(packed.text).toBe(plain.text);
    expect(gunzipSync(gzipSync(packed.bytes))).toEqual(plain.bytes);
  });

  test('404 for a program of another version, and for every file that is no program', async () => {
    for (const file of ['issue-00000000.js', 'manifest.json', '../manifest.json', '', '__proto__']) {
      const { status, text } = await get(file);
      expect([file, status, Object.keys(JSON.parse(text))]).toEqual([file, 404, ['detail']]);
    }
  });

  test('needs no key and no link, and uses what is recorded', async () => {
    expect(isPublic(operation)).toBe(false);
    const { sent } = await recording(() => get(programFile('issue')));
    expectRecorded(operation.id, usesOfOperation([sent]));
    expect(routesOf(operation)).toEqual([{ surface: 'asset', path: '/assets/{file}' }]);
  });
});
