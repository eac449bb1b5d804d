import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { runningOn } from '../../../infra/local/attach.ts';
import { contentWith, field } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { endServices, start } from '../../support/processes/service.ts';
import { scaled } from '../../support/scale.ts';
import { inline, sheetXml, workbookParts, zipOf } from '../../support/workbooks.ts';
import { formUpload } from '../../xlsform/sample-forms.ts';

/**
 * How long the service may compute, in all its threads, while a small request of another organization waits, in
 * milliseconds of one processor. A busy machine makes the wait longer, but not this.
 */
const MAX_COMPUTED = 2_000;

/** How much the service may grow above its memory at rest, in MB. */
const MAX_GROWTH = 256;

let dataDir: string;
let service: Awaited<ReturnType<typeof start>>;
let attacker: Person;
let neighbour: Person;

/** Resident memory of the service, in MB. */
const memory = async (): Promise<number> => {
  const status = await readFile(`/proc/${service.service.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / 1_024;
};

/** A tick of the times in /proc, in milliseconds (proc_pid_stat(5)). */
const TICK = 10;

/** How long the service has computed, in milliseconds of one processor. */
const computed = async (): Promise<number> => {
  const status = await readFile(`/proc/${service.service.pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may contain spaces. The third value follows it.
  const [user, system] = status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK;
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'hostile-test-'));
  service = await start({ DATA_DIR: dataDir });
  Object.assign(process.env, await runningOn(dataDir));
  [attacker, neighbour] = await Promise.all([newPerson('Attacker'), newPerson('Neighbour')]);
  // So that the functions are loaded, in the threads as well.
  await Promise.all([1, 2].map(() => send(attacker, 'templates/import', json({ survey: [] }))));
  await send(neighbour, 'org');
});
afterAll(async () => {
  endServices();
  await rm(dataDir, { recursive: true, force: true });
});

const json = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const file = (bytes: Uint8Array<ArrayBuffer>, name: string): RequestInit => ({
  method: 'POST',
  body: formUpload(bytes, {}, name),
});

const send = async ({ key }: Person, path: string, request: RequestInit = {}) => {
  const headers = new Headers(request.headers);
  headers.set('Authorization', `Bearer ${key}`);
  const response = await fetch(`${service.url}/v1/${path}`, { ...request, headers });
  return { status: response.status, body: await response.text() };
};

/** Sends hostile requests, and meanwhile small ones of another organization. @returns the replies to the hostile ones */
const attack = async (requests: readonly [path: string, request: RequestInit][]) => {
  const atRest = await memory();
  let most = 0;
  let highest = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const before = await computed();
      const { status } = await send(neighbour, 'org');
      // The rate limit of the neighbour is not what is tested.
      expect([200, 429]).toContain(status);
      most = Math.max(most, (await computed()) - before);
      highest = Math.max(highest, await memory());
      await sleep(250, undefined, over).catch(() => undefined);
    }
  })();
  const replies = await Promise.all(requests.map(([path, request]) => send(attacker, path, request)));
  over.abort();
  await watching;
  for (const { status, body } of replies) {
    expect(status).toBeLessThan(500);
    if (status >= 400) expect(JSON.parse(body)).toEqual({ detail: expect.anything() });
  }
  expect(most).toBeLessThan(MAX_COMPUTED);
  expect(highest - atRest).toBeLessThan(MAX_GROWTH);
  return replies.map(({ status }) => status);
};

const survey = (xml: string, shared?: string) =>
  workbookParts({ sheets: { survey: xml }, ...(shared === undefined ? {} : { shared }) });

const row = (count: number, cell = inline('a')) => `<row>${cell.repeat(count)}</row>`;

/** Workbooks that make a careless reader slow or large. */
const WORKBOOKS: Record<string, () => Uint8Array<ArrayBuffer>> = {
  'a part of 500 MB': () => zipOf(survey(sheetXml(''), ' '.repeat(500_000_000))),
  'a part that claims to be small': () =>
    zipOf(survey(sheetXml(`<a${' '.repeat(60_000)}/>`.repeat(5_000))), { unpackedSize: 100 }),
  'ZIP64 records': () => zipOf(survey(sheetXml('')), { directoryOffset: 0xff_ff_ff_ff, hasLocator: true }),
  'two cells at opposite corners': () =>
    zipOf(survey(sheetXml('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'))),
  'sheets whose names differ in case': () =>
    zipOf(workbookParts({ sheets: { survey: sheetXml(row(3)), SURVEY: sheetXml(row(3)) } })),
  'eight million empty cells': () => zipOf(survey(sheetXml(row(8_000_000, '<c/>')))),
  'too many cells': () => zipOf(survey(sheetXml(row(1_000, '<c><v>1</v></c>').repeat(601)))),
  'column definitions': () =>
    zipOf(survey(`<worksheet><cols>${'<col min="1" max="16384"/>'.repeat(1_000_000)}</cols></worksheet>`)),
  'deep elements': () => zipOf(survey('<a>'.repeat(5_000_000))),
  'one long text in many cells': () =>
    zipOf(survey(sheetXml(row(600_000, '<c t="s"><v>0</v></c>')), `<sst><si><t>${'x'.repeat(32_767)}</t></si></sst>`)),
  'entities within entities': () =>
    zipOf(survey(`<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${sheetXml(row(1, inline('&b;')))}`)),
  'many wide rows': () => zipOf(survey(sheetXml(row(1_990).repeat(250)))),
  'a thousand styles that are no formats': () => zipOf(survey(sheetXml(row(10, '<c s="4294967295"><v>1</v></c>')))),
  'an image as a workbook': () => Uint8Array.from([0x89, 0x50, 0x4e, 0x47, ...new Uint8Array(1_000)]),
}; // prettier-ignore

describe('hostile workbooks', () => {
  test.each(Object.keys(WORKBOOKS))('%s', async (name) => {
    const [status] = await attack([['templates/import', file(WORKBOOKS[name]!(), 'form.xlsx')]]);
    expect([201, 409, 422]).toContain(status);
  });

  test('workbooks that are cut off or changed at random places', async () => {
    const valid = zipOf(survey(sheetXml('<row><c t="inlineStr"><is><t>type</t></is></c></row>')));
    let seed = 20_260_302;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (let round = 0; round < scaled(6, 40); round += 1) {
      const changed = Uint8Array.from(valid.subarray(0, round % 3 === 0 ? random(valid.length) : undefined));
      for (let change = 0; change < 4 && changed.length > 0; change += 1)
        changed[random(changed.length)] = random(256);
      const [status] = await attack([['templates/import', file(changed, 'form.xlsx')]]);
      expect([201, 400, 422]).toContain(status);
    }
  });
});

describe('hostile images', () => {
  const logo = (bytes: Uint8Array): [string, RequestInit] => [
    'org/logo',
    file(Uint8Array.from(bytes), 'logo.png'),
  ];

  test('images of very many pixels, and ones that claim them', async () => {
    const large = await sharp({ create: { width: 16_000, height: 16_000, channels: 3, background: 'red' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const interlaced = await sharp({
      create: { width: 6_300, height: 6_300, channels: 4, background: 'red' },
    })
      .png({ compressionLevel: 9, progressive: true })
      .toBuffer();
    const webp = await sharp({ create: { width: 6_300, height: 6_300, channels: 4, background: 'red' } })
      .webp({ lossless: true, effort: 0 })
      .toBuffer();
    const claiming = Buffer.from(interlaced);
    claiming.writeUInt32BE(0x7f_ff_ff_ff, 16);
    const polyglot = Buffer.concat([interlaced.subarray(0, 200), zipOf(survey(sheetXml('')))]);
    for (const bytes of [large, interlaced, webp, claiming, polyglot]) await attack([logo(bytes)]);
  });
});

describe('hostile contents', () => {
  const PATTERNS = [
    `a*a*a*${'(?<=a{60})'.repeat(7)}`,
    `a*a*a*${'(?<=a{60})'.repeat(40)}`,
    '(a+)+b',
    '(.*a){20}',
    `${'(?:'.repeat(80)}a${')*'.repeat(80)}b`,
    '(?:[ab]?){240}b',
    '(a+)\\1b',
    `${'(?:'.repeat(50)}a${'{200})'.repeat(50)}`,
  ];

  test.each(PATTERNS)('the pattern %s', async (pattern) => {
    const content = contentWith(field(2, 'text', { pattern, default_value: `${'a'.repeat(199)}!` }));
    const reply = await send(attacker, 'templates/families', json({ name: 'Pattern', content }));
    expect(reply.status).toBe(201);
    const { id, draft_version_id } = JSON.parse(reply.body);
    await attack([
      [`templates/${draft_version_id}/publish`, json({})],
      [`templates/families/${id}/report-preview-payload`, json({})],
    ]);
  });

  test('a content of 5,000 fields with patterns', async () => {
    const pattern = '(?:[a-z]?){9}!';
    const fields = Array.from({ length: 5_000 }, (_, i) => field(i + 2, 'text', { pattern }));
    const reply = await send(
      attacker,
      'templates/families',
      json({ name: 'Wide', content: contentWith(...fields) }),
    );
    expect(reply.status).toBe(201);
    const { id } = JSON.parse(reply.body);
    await attack([[`templates/families/${id}/report-preview-payload`, json({})]]);
  });

  test('many imports at once', async () => {
    const survey = Array.from({ length: 10_000 }, (_, i) => ({
      type: 'text',
      name: `q${i}`,
      label: `Question ${i}`,
    }));
    await attack(Array.from({ length: 2 }, () => ['templates/import', json({ survey })] as const));
  });
});
