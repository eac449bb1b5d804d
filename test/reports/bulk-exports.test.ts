import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as errors from '../../shared/base/errors.ts';
import { QUEUE_DELIVERIES } from '../../shared/base/queues.ts';
import { getObject } from '../../shared/files/objects.ts';
import { deleteWhole } from '../../shared/inspections/deletion.ts';
import { continueBulkExport, giveUpBulkExport } from '../../shared/reports/bulk-export.ts';
import { bulkFile } from '../../shared/reports/files.ts';
import * as bulkExports from '../../shared/reports/rows/bulk-exports.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { BulkExport } from '../../shared/schemas/reports/report-export.ts';
import type { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { answer, newInspection, startedInspection } from '../inspections/fixtures.ts';
import { unzipped } from '../support/archives.ts';
import { uuid } from '../support/content.ts';
import { first, installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { deliver, deliverLast, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout } from '../templates/fixtures.ts';
import { newTermsLayout, renderedReport } from './fixtures/reports.ts';

installFaults();

let person: Person;
let outsider: Person;
let inspections: Inspection[];
beforeAll(async () => {
  person = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
  inspections = [];
  for (const name of ['Kitchen', 'Bar', 'Cellar']) inspections.push(await newInspection(person, { name }));
});

const ids = () => inspections.map(({ id }) => id);

const ask = (body: object): Promise<BulkExport> => person.reports.createBulkExport({ body });

const read = ({ id }: { id: string }): Promise<BulkExport> =>
  person.reports.getBulkExport({ params: { export_id: id } });

const tasksOf = async ({ id }: { id: string }) =>
  (await waitingTasks(person.caller)).filter(({ data }) => data['bulk_export_id'] === id);

const make = async (bulk: { id: string }) =>
  expect(await deliver(makeBulkExport.handler, (await tasksOf(bulk)).at(-1)!)).toBe(true);

/** The file of a bulk export that the worker makes. */
const made = async (body: object) => {
  const bulk = await ask(body);
  await make(bulk);
  const ready = await read(bulk);
  expect(ready).toMatchObject({ status: 'ready', done: ready.total, failed: 0, error: null });
  const bytes = Buffer.from(await (await fetch(ready.url!)).arrayBuffer());
  expect(bytes).toHaveLength(ready.size_bytes!);
  return { ready, bytes };
};

describe('POST /report-exports', () => {
  it('202 makes an archive with a PDF for each inspection, in the order of the request', async () => {
    // Its clocks are 14 hours ahead of UTC.
    await person.organization.update({ body: { timezone: 'Pacific/Kiritimati' } });
    const wanted = [inspections[2]!, inspections[0]!];
    const { ready, bytes } = await made({ inspection_ids: wanted.map(({ id }) => id) });
    expect(ready.items.map(({ inspection_id, status }) => [inspection_id, status])).toEqual(
      wanted.map(({ id }) => [id, 'ready']),
    );
    const there = new Date(Date.parse(ready.created_at) + 14 * 3_600_000).toISOString();
    expect(ready.filename).toBe(`inspections ${there.slice(0, 10)}.zip`);
    const files = await unzipped(bytes);
    expect([...files.keys()]).toEqual(wanted.map(({ number, name }) => `${number} ${name}.pdf`));
    for (const file of files.values()) expect(file.subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('202 merges the PDFs into one with tags, a first page of contents, and an entry of the outline for each', async () => {
    const { bytes } = await made({ inspection_ids: ids(), bundle: 'merged' });
    const { outline, isTagged, pages } = await readPdf(bytes);
    const entries = outline.map((entry) => entry.replace(/^\d+: /, ''));
    expect(entries.slice(0, 2)).toEqual(['Contents', 'Inspection reports']);
    const titles = inspections.map(({ number, name }) => `${number} ${name}`);
    expect(entries.filter((entry) => titles.includes(entry))).toEqual(titles);
    expect(isTagged).toBe(true);
    for (const { name } of inspections) expect(pages[0]).toContain(name);
  });

  it('202 merges answers into one CSV, and one workbook, which name the inspection of each row', async () => {
    const { bytes: csv } = await made({ inspection_ids: ids(), format: 'csv', bundle: 'merged' });
    const rows = parse(csv, { bom: true, columns: true }) as Record<string, string>[];
    const numbers = inspections.map(({ number }) => String(number));
    expect([...new Set(rows.map((row) => row['inspection_number']))]).toEqual(numbers);
    expect(rows[0]).toMatchObject({
      inspection_name: 'Kitchen',
      inspection_id: ids()[0],
      status: 'scheduled',
      result: '',
      score: '',
      completed_at: '',
      client: '',
      client_id: '',
      location: '',
      location_id: '',
    });
    const { bytes: workbook } = await made({ inspection_ids: ids(), format: 'xlsx', bundle: 'merged' });
    const { sheets } = await readXlsx(workbook);
    expect(sheets[0]!.rows.slice(1).map(([number]) => String(number))).toEqual(numbers);
  });

  it.each(['html', 'json', 'csv', 'xlsx'])(
    '202 makes an archive of files in the format %s',
    async (format) => {
      const { bytes } = await made({ inspection_ids: ids(), format });
      const names = inspections.map(({ number, name }) => `${number} ${name}.${format}`);
      expect([...(await unzipped(bytes)).keys()]).toEqual(names);
    },
  );

  it('202 takes the inspections that pass a filter, newest first', async () => {
    const wanted = { filter: { q: 'Kitchen' }, include_unanswered: true, format: 'csv' };
    const { items, total } = await ask(wanted);
    expect([total, items.map(({ inspection_id }) => inspection_id)]).toEqual([1, [ids()[0]]]);
    const all = await ask({ filter: {}, include_unanswered: true });
    expect(all.items.map(({ inspection_id }) => inspection_id)).toEqual(ids().toReversed());
    const [, second] = inspections;
    const body = { name: 'Bar, upstairs' };
    const { updated_at } = await person.inspections.update({ params: { inspection_id: second!.id }, body });
    const since = await ask({ filter: { updated_since: updated_at }, include_unanswered: true });
    expect(since.items.map(({ inspection_id }) => inspection_id)).toEqual([second!.id]);
    await make(since);
    await person.inspections.update({ params: { inspection_id: second!.id }, body: { name: 'Bar' } });
  });

  it('202 leaves out what a filter finds without an answer, unless it is asked for', async () => {
    const own = await newPerson('Drafts');
    const [untouched, answered] = [await startedInspection(own), await startedInspection(own)];
    await answer(own, answered, uuid(2), 'fine');
    const askAs = (body: object): Promise<BulkExport> => own.reports.createBulkExport({ body });
    const found = await askAs({ filter: {}, format: 'csv', bundle: 'merged' });
    expect(found).toMatchObject({ total: 1, skipped: 1, items: [{ inspection_id: answered.id }] });
    const every = [answered.id, untouched.id];
    const all = await askAs({ filter: {}, include_unanswered: true, format: 'csv', bundle: 'merged' });
    expect([all.skipped, all.items.map(({ inspection_id }) => inspection_id)]).toEqual([0, every]);
    const named = await askAs({ inspection_ids: [untouched.id], format: 'csv' });
    expect(named).toMatchObject({ total: 1, skipped: 0 });
    const none = await own.try.reports.createBulkExport({
      body: { filter: { q: String(untouched.number) }, format: 'csv' },
    });
    expect([none.status, none.body]).toEqual([409, { detail: errors.nothingToExport(1).message }]);
  });

  it.each(['csv', 'json', 'xlsx', 'pdf', 'zip'])(
    '202 changes nothing that anybody sees or hears of, as %s',
    async (format) => {
      const inspection = await newInspection(person);
      const params = { inspection_id: inspection.id };
      const state = async () => ({
        inspection: await person.inspections.get({ params }),
        reports: await person.reports.list({ params }),
        activity: await person.inspections.listActivity({ params }),
        events: (await waitingEvents(person.caller)).map(({ type }) => type),
        rows: await Array.fromAsync(
          queryRows(person.caller, { partition: keys.below(person.caller, 'INSPECTION', inspection.id) }),
        ),
      });
      const before = await state();
      const { ready } = await made({ inspection_ids: [inspection.id], format });
      expect(ready.items[0]!.report_id).toBeNull();
      expect(await state()).toEqual(before);
    },
  );

  it('202 takes each inspection once, and a report that is current as it is', async () => {
    const { report, inspection } = await renderedReport(person);
    const { ready } = await made({ inspection_ids: [inspection.id, inspection.id], format: 'json' });
    expect(ready.items).toEqual([
      { inspection_id: inspection.id, report_id: report.id, status: 'ready', error: null },
    ]);
  });

  it('202 takes the inspection as it is where the newest report is stale, or has another layout or language', async () => {
    const { report, inspection } = await renderedReport(person);
    const layout = await newLayout(person.key, inspection.template_family_id);
    const exported = async (body: object = {}) => {
      const { ready, bytes } = await made({
        inspection_ids: [inspection.id],
        format: 'json',
        bundle: 'merged',
        ...body,
      });
      const [payload] = JSON.parse(bytes.toString()) as [ReportPayload];
      return {
        report_id: ready.items[0]!.report_id,
        name: payload.inspection.name,
        language: payload.report.language,
      };
    };
    const { name } = inspection;
    expect(await exported()).toEqual({ report_id: report.id, name, language: 'en' });
    expect(await exported({ layout_id: layout.id })).toEqual({ report_id: null, name, language: 'en' });
    expect(await exported({ language: 'de' })).toEqual({ report_id: null, name, language: 'de' });
    await person.inspections.update({
      params: { inspection_id: inspection.id },
      body: { name: 'Renamed' },
    });
    expect(await exported()).toEqual({ report_id: null, name: 'Renamed', language: 'en' });
  });

  it('202 goes on where a worker stopped', async () => {
    const own = [await newInspection(person), await newInspection(person)];
    const bulk = await ask({ inspection_ids: own.map(({ id }) => id) });
    // The deadline passes before each report, so that every turn makes none but hands on.
    await continueBulkExport(person.caller, bulk.id, Date.now() - 1);
    expect(await read(bulk)).toMatchObject({ status: 'running', done: 0 });
    expect(await tasksOf(bulk)).toHaveLength(2);
    await make(bulk);
    expect(await read(bulk)).toMatchObject({ status: 'ready', done: 2, total: 2 });
  });

  it('202 is made by one worker at a time, and once', async () => {
    const bulk = await ask({ inspection_ids: ids(), format: 'json' });
    const [task] = await tasksOf(bulk);
    const accepted = await Promise.all([1, 2, 3].map(() => deliver(makeBulkExport.handler, task!)));
    expect(accepted).toContain(true);
    const ready = await read(bulk);
    expect(ready).toMatchObject({ status: 'ready', done: 3, failed: 0 });
    expect(await deliver(makeBulkExport.handler, task!)).toBe(true);
    expect((await read(bulk)).updated_at).toBe(ready.updated_at);
  });

  it('202 names a report that fails, and makes the others', async () => {
    const own = [await newInspection(person), await newInspection(person)];
    const bulk = await ask({ inspection_ids: own.map(({ id }) => id), format: 'json' });
    const work = (await bulkExports.begin(person.caller, bulk.id))!;
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await bulkExports.beginItem(person.caller, work, 0)).toBe(true);
    // The function crashed at each attempt at the first report.
    await bulkExports.release(person.caller, work, true);
    await make(bulk);
    const ready = await read(bulk);
    expect(ready).toMatchObject({ status: 'ready', done: 1, failed: 1 });
    expect(ready.items[0]).toMatchObject({
      status: 'failed',
      error: 'The report could not be made, although it was tried several times.',
    });
    const bytes = Buffer.from(await (await fetch(ready.url!)).arrayBuffer());
    expect([...(await unzipped(bytes)).keys()]).toEqual([`${own[1]!.number} ${own[1]!.name}.json`]);
  });

  it('202 fails as a whole when no attempt could make the file', async () => {
    const { id } = await newInspection(person);
    const bulk = await ask({ inspection_ids: [id], format: 'json' });
    const [task] = await tasksOf(bulk);
    const work = (await bulkExports.begin(person.caller, bulk.id))!;
    await bulkExports.beginItem(person.caller, work, 0);
    // The last attempt crashed, so that its lease has ended when the task is delivered for the last time.
    await bulkExports.release(person.caller, work, false);
    await deliver(makeBulkExport.handler, task!, QUEUE_DELIVERIES);
    expect(await read(bulk)).toMatchObject({ status: 'failed', url: null, filename: null });
  });

  it('202 is not failed by a task that is delivered again while another worker makes it', async () => {
    const bulk = await ask({ inspection_ids: ids(), format: 'json' });
    const [task] = await tasksOf(bulk);
    const work = (await bulkExports.begin(person.caller, bulk.id))!;
    expect(await deliver(makeBulkExport.handler, task!)).toBe(false);
    await deliverLast(makeBulkExport.handler, task!);
    await deliver(makeBulkExport.handler, task!, QUEUE_DELIVERIES);
    expect((await read(bulk)).status).toBe('running');
    await bulkExports.release(person.caller, work, true);
    // The rest was handed on, and the first task has nothing to do any more.
    const [, second] = await tasksOf(bulk);
    await bulkExports.begin(person.caller, bulk.id);
    expect(await deliver(makeBulkExport.handler, task!)).toBe(true);
    expect(await deliver(makeBulkExport.handler, second!)).toBe(false);
  });

  it('202 takes nothing from a worker that has lost its turn', async () => {
    const bulk = await ask({ inspection_ids: [ids()[0]], format: 'json' });
    const late = (await bulkExports.begin(person.caller, bulk.id))!;
    await bulkExports.release(person.caller, late, true);
    await make(bulk);
    const ready = await read(bulk);
    const { report_id } = ready.items[0]!;
    const held = { code: 'export_held' };
    await expect(bulkExports.beginItem(person.caller, late, 0)).rejects.toMatchObject(held);
    const tries = [
      bulkExports.endItem(person.caller, late, 0, { report_id, error: null }),
      bulkExports.release(person.caller, late, true),
      bulkExports.end(person.caller, late, { status: 'failed', error: 'late' }),
    ];
    for (const one of await Promise.allSettled(tries)) expect(one).toMatchObject({ reason: held });
    const { url: _url, ...as_it_was } = ready;
    expect(await read(bulk)).toMatchObject(as_it_was);
  });

  it('202 stays failed when the worker that was given up goes on', async () => {
    const bulk = await ask({ inspection_ids: [ids()[0]], format: 'json' });
    const slow = (await bulkExports.begin(person.caller, bulk.id))!;
    await bulkExports.beginItem(person.caller, slow, 0);
    await giveUpBulkExport(person.caller, bulk.id, new Error('the task took too long'));
    const failed = await read(bulk);
    const file = { size_bytes: 1, sha256: 'ab', filename: 'reports.zip' };
    const tries = [
      bulkExports.endItem(person.caller, slow, 0, { report_id: null, error: null }),
      bulkExports.release(person.caller, slow, true),
      bulkExports.end(person.caller, slow, { status: 'ready', ...file }),
    ];
    for (const one of await Promise.allSettled(tries)) {
      expect(one).toMatchObject({ reason: { code: 'export_held' } });
    }
    expect(failed.status).toBe('failed');
    expect(await read(bulk)).toEqual(failed);
  });

  it('202 names an inspection that is deleted before its report is made', async () => {
    const [gone, stays] = [await newInspection(person), await newInspection(person)];
    const bulk = await ask({ inspection_ids: [gone.id, stays.id], format: 'json' });
    await deleteWhole(person.caller, gone.id);
    await make(bulk);
    const { items, ...summary } = await read(bulk);
    expect(summary).toMatchObject({ status: 'ready', done: 1, failed: 1 });
    expect(items[0]).toEqual({
      inspection_id: gone.id,
      report_id: null,
      status: 'failed',
      error: 'The inspection was deleted.',
    });
  });

  it.each(['json', 'html'])(
    '202 names an inspection that is deleted before the file is made, as %s',
    async (format) => {
      const [gone, stays] = [await newInspection(person), await newInspection(person)];
      const bulk = await ask({ inspection_ids: [gone.id, stays.id], format });
      const atTheFile = on(
        ({ command, input }) => command === 'PutObject' && String(input['Key']).includes('bundle'),
        first(1, async () => {
          throw sdkError('AccessDenied', { $fault: 'client' });
        }),
      );
      const [task] = await tasksOf(bulk);
      expect(await withFault(atTheFile, () => deliver(makeBulkExport.handler, task!))).toBe(false);
      expect(await read(bulk)).toMatchObject({ status: 'running', done: 2 });
      await deleteWhole(person.caller, gone.id);
      await make(bulk);
      const ready = await read(bulk);
      expect(ready).toMatchObject({ status: 'ready', done: 1, failed: 1 });
      expect(ready.items[0]).toMatchObject({ status: 'failed', error: 'The inspection was deleted.' });
      const bytes = Buffer.from(await (await fetch(ready.url!)).arrayBuffer());
      expect([...(await unzipped(bytes)).keys()]).toEqual([`${stays.number} ${stays.name}.${format}`]);
    },
  );

  it('202 takes the default layout where the requested one is deleted meanwhile', async () => {
    const inspection = await newInspection(person);
    const { template_family_id } = inspection;
    const layout = await newTermsLayout(person, inspection, 'Old');
    const body = { inspection_ids: [inspection.id], layout_id: layout.id, format: 'json' };
    const bulk = await ask(body);
    await person.reportLayouts.delete({
      params: { family_id: template_family_id, layout_id: layout.id },
    });
    await make(bulk);
    const ready = await read(bulk);
    expect(ready).toMatchObject({ status: 'ready', done: 1, layout_id: layout.id });
    const bytes = Buffer.from(await (await fetch(ready.url!)).arrayBuffer());
    const [file] = (await unzipped(bytes)).values();
    expect(file!.toString()).not.toContain('Terms of Old');
  });

  it('202 counts what is kept of each inspection beside the file of all', async () => {
    const owner = await newPerson('Counted');
    const { id } = await newInspection(owner);
    const bulk = await owner.reports.createBulkExport({
      body: { inspection_ids: [id], format: 'html' },
    });
    const task = (await waitingTasks(owner.caller)).find(({ data }) => data['bulk_export_id'] === bulk.id);
    await deliver(makeBulkExport.handler, task!);
    const ready = await owner.reports.getBulkExport({ params: { export_id: bulk.id } });
    const bytes = Buffer.from(await (await fetch(ready.url)).arrayBuffer());
    const [file] = (await unzipped(bytes)).values();
    const partition = keys.exportedBytes.partition(owner.caller);
    const [day] = await Array.fromAsync(queryRows(owner.caller, { partition }));
    const prefix = bulkFile(owner.caller, bulk.id, id);
    const payload = await getObject(owner.caller, `${prefix}.payload.json.gz`);
    expect(day!.bytes).toBe(ready.size_bytes + file!.length + payload!.length);
  });

  it.each([
    ['neither ids nor a filter', {}],
    ['both', { inspection_ids: ['01a1fc9f-52d7-7303-8ce8-947f3f3f4f40'], filter: {} }],
    ['no ids', { inspection_ids: [] }],
    ['a format that cannot be merged', { filter: {}, format: 'html', bundle: 'merged' }],
    ['an unknown filter', { filter: { colour: 'red' } }],
  ])('422 for %s', async (_what, body) => {
    expect((await person.try.reports.createBulkExport({ body })).status).toBe(422);
  });

  it('400 for an inspection or a layout of another organization, or none', async () => {
    const theirs = await newInspection(outsider);
    const layout = await newLayout(outsider.key, theirs.template_family_id);
    const statuses = await Promise.all(
      [{ inspection_ids: [...ids(), theirs.id] }, { inspection_ids: ids(), layout_id: layout.id }].map(
        (body) => person.try.reports.createBulkExport({ body }),
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual([400, 400]);
  });

  it('409 for a filter that no inspection passes', async () => {
    const { status } = await person.try.reports.createBulkExport({ body: { filter: { q: 'nowhere' } } });
    expect(status).toBe(409);
  });
});

describe('GET /report-exports/{export_id}', () => {
  it('404 for another organization, and its list does not show it', async () => {
    const bulk = await ask({ inspection_ids: ids() });
    const { status } = await outsider.try.reports.getBulkExport({ params: { export_id: bulk.id } });
    expect(status).toBe(404);
    expect(await outsider.reports.listBulkExports({})).toEqual([]);
  });
});

describe('GET /report-exports', () => {
  it('200 lists the newest first, without items and URLs', async () => {
    const bulk = await ask({ inspection_ids: ids() });
    const { items: _items, ...summary } = bulk;
    const [newest] = await person.reports.listBulkExports({ query: { limit: 1 } });
    expect(newest).toEqual(summary);
  });

  it('200 gives each once, page by page', async () => {
    const all: BulkExport[] = await person.reports.listBulkExports({});
    const found: string[] = [];
    for (let after: string | undefined; ;) {
      const query = { limit: 9, ...(after && { cursor: after }) };
      const { body, headers } = await person.try.reports.listBulkExports({ query });
      found.push(...body.map(({ id }: BulkExport) => id));
      after = /cursor=([^>&]+)/.exec(headers['link'] ?? '')?.[1];
      if (after === undefined) break;
    }
    expect(found).toEqual(all.map(({ id }) => id));
  });
});
