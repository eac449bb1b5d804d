import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { exportKey, getObject } from '../../../shared/files/objects.ts';
import { upload } from '../../../shared/reports/export.ts';
import { answersCsv } from '../../../shared/reports/formats/csv.ts';
import { reportWorkbook } from '../../../shared/reports/formats/report-workbook.ts';
import { workbook } from '../../../shared/reports/formats/workbook.ts';
import { installFaults, on, sdkError, withFault } from '../../support/faults.ts';
import { newPerson } from '../../support/people.ts';
import { wideInstances } from '../fixtures/hard-cases.ts';
import { noContent } from '../fixtures/material.ts';

installFaults();

const AT = new Date('2027-03-01T10:00:00.000Z');
const SHEET = { name: 'Answers', columns: [['answer', 20]] } as const;

/** Ends with an error, as when a payload is not stored any more. */
// oxlint-disable-next-line require-yield -- It throws before it has anything to yield.
const missing = async function* (): AsyncGenerator<never> {
  throw new Error('not in the storage');
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'streams-'));
  process.env['TMPDIR'] = folder;
});
afterAll(() => rm(folder, { recursive: true }));

describe('a file that is made as a stream', () => {
  test.each([
    ['CSV', () => answersCsv(missing(), { isMerged: true })],
    ['workbook', () => workbook([SHEET], missing(), AT)],
    [
      'workbook of reports',
      () => reportWorkbook(missing(), { at: AT, language: 'en', contentOf: noContent }),
    ],
  ])('fails as a %s when one of its reports is missing', async (_format, made) => {
    await expect(buffer(made())).rejects.toThrow('not in the storage');
    expect(await readdir(folder)).toEqual([]);
  });

  test('has as CSV the time of the service, and that of the client where it is known', async () => {
    const payload = wideInstances();
    const [field] = payload.sections[0]!.fields;
    field!.client_answered_at = '2026-03-12T15:30:00.000Z';
    const rows: Record<string, string>[] = parse(await buffer(answersCsv([payload], { isMerged: false })), {
      bom: true,
      columns: true,
    });
    const times = rows.slice(0, 2).map((row) => [row['answered_at'], row['client_answered_at']]);
    expect(times).toEqual([
      [field!.answered_at, '2026-03-12T15:30:00.000Z'],
      [expect.stringMatching(/Z$/), ''],
    ]);
  });

  test('has no formula as CSV, whoever has written the text, and leaves numbers as they are', async () => {
    const payload = wideInstances();
    const [field] = payload.sections[0]!.fields;
    const shown = async (answer: object): Promise<string | undefined> => {
      field!.answer = answer as NonNullable<typeof field>['answer'];
      const csv = await buffer(answersCsv([payload], { isMerged: false }));
      const [row]: Record<string, string>[] = parse(csv, { bom: true, columns: true, to: 1 });
      return row!['answer'];
    };
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])
      expect(await shown({ kind: 'text', text })).toBe(`'${text}`);
    expect(await shown({ kind: 'number', number: -5, unit: null, of: null })).toBe('-5');
  });

  test('fails as a workbook when the disk is full', async () => {
    const rows = async function* () {
      for (;;) yield { sheet: 0, cells: ['x'.repeat(1_000)] };
    };
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const write = jest.spyOn(fs, 'write').mockImplementation((...given: unknown[]) => {
      (given.at(-1) as (error: Error) => void)(full);
    });
    try {
      await expect(buffer(workbook([SHEET], rows(), AT))).rejects.toThrow('no space left');
    } finally {
      write.mockRestore();
    }
  });

  test('fails as a workbook rather than leave out rows that a sheet has no room for', async () => {
    const rows = async function* () {
      for (let row = 0; row < 12; row += 1) yield { sheet: 0, cells: [row] };
    };
    await expect(buffer(workbook([SHEET], rows(), AT, 10))).rejects.toThrow('too many rows');
  });

  test('is closed when it cannot be stored, and leaves nothing', async () => {
    const { caller } = await newPerson('Refused');
    const content = Readable.from(
      (async function* () {
        for (;;) yield Buffer.alloc(1_000_000);
      })(),
    );
    const closed = once(content, 'close').catch(() => undefined);
    const refuse = on(
      ({ client, command }) => client === 'S3Client' && command !== 'AbortMultipartUpload',
      async () => {
        throw sdkError('AccessDenied', { $fault: 'client' });
      },
    );
    const key = exportKey(caller, 'bulk', 'x', 'bundle');
    await expect(withFault(refuse, () => upload(caller, key, content, 'application/zip'))).rejects.toThrow(
      'AccessDenied',
    );
    await closed;
    expect(content.destroyed).toBe(true);
    expect(await getObject(caller, key)).toBeUndefined();
  });
});
