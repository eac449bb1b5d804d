import { parse } from 'csv-parse/sync';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as inspections from '../../shared/inspections/create.ts';
import { continueBulkExport } from '../../shared/reports/bulk-export.ts';
import type * as preview from '../../shared/reports/preview-payload.ts';
import { type Inspection, NewInspection } from '../../shared/schemas/inspections/inspection.ts';
import type { BulkExport } from '../../shared/schemas/reports/report-export.ts';
import { unzipped } from '../support/archives.ts';
import { field, section } from '../support/content.ts';
import { type Fault, installFaults, withFault } from '../support/faults.ts';
import { MemoryMeter } from '../support/memory.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { killedAtPlaces } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';

type Making = typeof preview.previewPayload;

/** How the payload of each inspection is made, and the names of those that were made. */
let make: Making;
let made: string[] = [];

jest.mock('../../shared/reports/preview-payload.ts', () => ({
  ...jest.requireActual<typeof preview>('../../shared/reports/preview-payload.ts'),
  previewPayload: ((material, language) => {
    made.push(material.inspection.name);
    return make(material, language);
  }) satisfies Making,
}));

const { previewPayload } = jest.requireActual<typeof preview>('../../shared/reports/preview-payload.ts');

installFaults();

/** Inspections of the largest export. Some are made in each of several turns, and three of them fail. */
const MANY = scaled(60, 100);
const MERGED = scaled(5, 50);

/** Characters of the texts of each report, a byte each in memory. */
const REPORT_TEXT = 200_000;
const LONG = Array.from({ length: REPORT_TEXT / 5_000 }, (_, n) =>
  section(n + 1, [field(n + 100)], { description: String.fromCodePoint(97 + n).repeat(5_000) }),
);

/** A lease of a worker that was killed ends after this time, in milliseconds. */
const LEASE = 311_000;
let passed = 0;

let person: Person;
beforeAll(async () => {
  person = await newPerson('Bulk');
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
});
beforeEach(() => {
  make = previewPayload;
  made = [];
});

/** Made without requests, of which a key may send only so many in a minute. */
const newInspections = async (count: number, family: { id: string }): Promise<Inspection[]> => {
  const made: Inspection[] = [];
  while (made.length < count) {
    const some = Array.from({ length: Math.min(10, count - made.length) }, (_, n) =>
      inspections.create(
        person.caller,
        NewInspection.parse({ template_family_id: family.id, name: `Visit ${made.length + n}` }),
      ),
    );
    made.push(...(await Promise.all(some)));
  }
  return made;
};

const ask = (visits: readonly Inspection[], body: object): Promise<BulkExport> =>
  person.reports.createBulkExport({
    body: { inspection_ids: visits.map(({ id }) => id), ...body },
  });

const read = ({ id }: { id: string }): Promise<BulkExport> =>
  person.reports.getBulkExport({ params: { export_id: id } });

const download = async ({ url }: BulkExport): Promise<Buffer> =>
  Buffer.from(await (await fetch(url!)).arrayBuffer());

/** Lets the worker take its newest task. @param fault what its commands go through. @returns whether it accepts the task */
const work = async ({ id }: { id: string }, fault: Fault = ({ send }) => send()): Promise<boolean> => {
  const tasks = await waitingTasks(person.caller);
  const task = tasks.findLast(({ data }) => data['bulk_export_id'] === id)!;
  return withFault(fault, () => deliver(makeBulkExport.handler, task));
};

/** Measures the most memory in use, in bytes, at every 50th command. */
const memoryMeter = () => {
  let commands = 0;
  const most = new MemoryMeter();
  const measure: Fault = ({ send }) => {
    commands += 1;
    if (commands % 50 === 0) most.measure();
    return send();
  };
  return { measure, most };
};

describe('a bulk export of many inspections', () => {
  it('takes no more memory than one of 10, shows its progress, and names what failed', async () => {
    const family = await publishedFamily(person.key, { content: { sections: LONG } });
    const visits = await newInspections(MANY, family);
    const failing = visits.filter((_, index) => index % Math.floor(MANY / 3) === 5);
    make = (material, language) => {
      // So that the export takes several turns on any machine.
      passed += scaled(400, 200);
      if (failing.some(({ name }) => material.inspection.name === name)) throw new Error('It crashes.');
      return previewPayload(material, language);
    };

    const few = memoryMeter();
    const ten = await ask(visits.slice(6, 16), { format: 'json', bundle: 'merged' });
    await work(ten, few.measure);
    expect(await read(ten)).toMatchObject({ status: 'ready', done: 10, failed: 0 });

    const many = memoryMeter();
    const bulk = await ask(visits, { format: 'json', bundle: 'merged' });
    const progress: number[] = [];
    while (progress.at(-1) !== MANY && progress.length < MANY) {
      await withFault(many.measure, () => continueBulkExport(person.caller, bulk.id, Date.now() + 5_000));
      const { done, failed } = await read(bulk);
      progress.push(done + failed);
    }
    await work(bulk, many.measure);
    const ready = await read(bulk);
    expect(ready).toMatchObject({ status: 'ready', total: MANY, done: MANY - 3, failed: 3 });
    expect(progress.length).toBeGreaterThan(2);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));

    expect(ready.items.map(({ inspection_id }) => inspection_id)).toEqual(visits.map(({ id }) => id));
    expect(ready.items.filter(({ status }) => status === 'failed')).toEqual(
      failing.map(({ id }) => ({
        inspection_id: id,
        report_id: null,
        status: 'failed',
        error: 'The report could not be rendered. Request a new one.',
      })),
    );
    expect(made).toHaveLength(10 + MANY);
    const file = await download(ready);
    expect(JSON.parse(file.toString())).toHaveLength(MANY - 3);
    expect(file.length).toBeGreaterThan((MANY - 3) * REPORT_TEXT);
    expect(many.most.heap - few.most.heap).toBeLessThan(((MANY - 10) * REPORT_TEXT) / 2);
    // Beside the heap there are the parts of the upload.
    expect(many.most.buffers).toBeLessThan(100_000_000);

    const csv = await ask(visits, { format: 'csv', bundle: 'merged' });
    expect(await work(csv)).toBe(true);
    const rows = parse(await download(await read(csv)), { bom: true, columns: true }) as object[];
    expect(rows).toHaveLength((MANY - 3) * LONG.length);
  });

  it(`merges ${MERGED} PDFs into one`, async () => {
    const visits = await newInspections(MERGED, await publishedFamily(person.key));
    const bulk = await ask(visits, { bundle: 'merged' });
    expect(await work(bulk)).toBe(true);
    const { outline, pages } = await readPdf(await download(await read(bulk)));
    expect(outline.filter((title) => /: \d+ Visit \d+$/.test(title))).toHaveLength(MERGED);
    expect(pages.length).toBeGreaterThan(MERGED);
    expect(made).toHaveLength(MERGED);
  });
});

describe('a worker that is killed', () => {
  it.each([
    ['csv', 'merged'],
    ['html', 'zip'],
  ])('between any two calls leaves an export (%s, %s) that another one completes', async (format, bundle) => {
    const family = await publishedFamily(person.key);
    await killedAtPlaces(async ({ place, fault, isReached }) => {
      const visits = await newInspections(2, family);
      made = [];
      const bulk = await ask(visits, { format, bundle });
      await work(bulk, fault);
      if (isReached()) {
        passed += LEASE;
        // The worker may have ended everything but its own task.
        expect(await work(bulk)).toBe(true);
      }
      const ready = await read(bulk);
      expect([place, ready]).toMatchObject([place, { status: 'ready', done: 2, failed: 0, total: 2 }]);
      // Only the one that was being made is made again.
      expect(made.length).toBeLessThanOrEqual(3);
      for (const { id } of visits)
        expect(await person.reports.list({ params: { inspection_id: id } })).toEqual([]);
      const file = await download(ready);
      if (bundle === 'zip') expect((await unzipped(file)).size).toBe(2);
      else expect(file.length).toBe(ready.size_bytes);
    });
  });
});
