import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { deleteObject } from '../../shared/files/objects.ts';
import { reportFile } from '../../shared/reports/files.ts';
import { countExportedBytes, MAX_EXPORTED_BYTES } from '../../shared/reports/rows/exports.ts';
import { change } from '../../shared/table/change.ts';
import { unzipped } from '../support/archives.ts';
import { deliver, deliverLast, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { queuedReport, renderedReport } from './fixtures/reports.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

let inspector: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
});

const ask = async (report: { id: string }, format: string) => {
  const params = { report_id: report.id };
  const { id } = await inspector.reports.createExport({ params, body: { format } });
  return { params: { ...params, export_id: id as string } };
};

const taskOf = async (exportId: string) =>
  (await waitingTasks(inspector.caller)).find(({ data }) => data['export_id'] === exportId);

const read = (request: { params: { report_id: string; export_id: string } }) =>
  inspector.reports.getExport(request);

/** A file in a format, made by the worker, as a client downloads it. */
const exported = async (report: { id: string }, format: string) => {
  const request = await ask(report, format);
  expect(await deliver(exportReport.handler, (await taskOf(request.params.export_id))!)).toBe(true);
  const ready = await read(request);
  const response = await fetch(ready.url);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(ready).toMatchObject({
    status: 'ready',
    size_bytes: bytes.length,
    sha256: sha256(bytes),
    error: null,
  });
  return { ready, bytes, response };
};

describe('POST /reports/{report_id}/exports', () => {
  it('202 makes a CSV of the answers', async () => {
    const { report, inspection } = await renderedReport(inspector, { name: '=Kitchen/1' });
    const { ready, bytes, response } = await exported(report, 'csv');
    expect(ready.filename).toBe(`${inspection.number} =Kitchen 1.csv`);
    expect(new URL(ready.url).searchParams.get('response-content-type')).toContain('text/csv');
    expect(response.status).toBe(200);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const [header, ...rows] = parse(bytes, { bom: true });
    expect(header!.slice(0, 5)).toEqual(['section', 'number', 'question', 'type', 'answer']);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('202 makes a workbook with its five sheets', async () => {
    const { report, inspection } = await renderedReport(inspector);
    const { bytes } = await exported(report, 'xlsx');
    const { sheets } = await readXlsx(bytes);
    expect(sheets.map(({ name }) => name)).toEqual([
      'Inspection',
      'Answers',
      'Findings',
      'Corrective actions',
      'Score',
    ]);
    expect(sheets[0]!.rows[1]!.slice(0, 2)).toEqual([inspection.number, inspection.name]);
  });

  it('202 makes the payload, and an archive with the PDF and the payload', async () => {
    const { report, inspection } = await renderedReport(inspector);
    const { bytes: json } = await exported(report, 'json');
    expect(JSON.parse(json.toString())).toMatchObject({
      inspection: { id: inspection.id },
      report: { id: report.id },
    });
    const { bytes } = await exported(report, 'zip');
    const files = await unzipped(bytes);
    expect([...files.keys()].slice(0, 2)).toEqual([
      `${inspection.number} ${inspection.name}.pdf`,
      'payload.json',
    ]);
    expect([...files.values()][0]!.subarray(0, 5).toString()).toBe('%PDF-');
    expect(JSON.parse([...files.values()][1]!.toString())).toEqual(JSON.parse(json.toString()));
  });

  it('202 waits for a report that is not rendered yet, and is made once it is', async () => {
    const { report, task } = await queuedReport(inspector);
    const request = await ask(report, 'html');
    expect(await read(request)).toMatchObject({ status: 'queued', url: null, filename: null });
    expect(await taskOf(request.params.export_id)).toBeUndefined();
    await deliver(renderReport.handler, task);
    expect(await read(request)).toMatchObject({ status: 'queued' });
    await deliver(exportReport.handler, (await taskOf(request.params.export_id))!);
    const ready = await read(request);
    expect(ready.status).toBe('ready');
    expect(await (await fetch(ready.url)).text()).toMatch(/^<!doctype html>/);
  });

  it('202 makes a file once, however often its task is delivered', async () => {
    const { report } = await renderedReport(inspector);
    const request = await ask(report, 'csv');
    const task = (await taskOf(request.params.export_id))!;
    await Promise.all([1, 2, 3].map(() => deliver(exportReport.handler, task)));
    const { updated_at, sha256: hash } = await read(request);
    await deliver(exportReport.handler, task);
    expect(await read(request)).toMatchObject({ status: 'ready', updated_at, sha256: hash });
  });

  it('202 makes a new export after one that failed', async () => {
    const { report } = await renderedReport(inspector);
    const first = await ask(report, 'zip');
    await deleteObject(inspector.caller, reportFile(inspector.caller, report.id, 'payload.json.gz'));
    await deliverLast(exportReport.handler, (await taskOf(first.params.export_id))!);
    expect(await read(first)).toMatchObject({
      status: 'failed',
      error: 'The file could not be made. Request the export again.',
      url: null,
    });
    const second = await ask(report, 'zip');
    expect(second.params.export_id).not.toBe(first.params.export_id);
  });

  it('409 when the exports of the last month have as many bytes as there may be', async () => {
    const person = await newPerson('Full');
    const { report } = await renderedReport(person);
    const used = (bytes: number) =>
      change(person.caller, (work) => ({ writes: [countExportedBytes(work, bytes)], reply: undefined }));
    const post = (format: string) =>
      person.try.reports.createExport({ params: { report_id: report.id }, body: { format } });
    await used(MAX_EXPORTED_BYTES - 1);
    expect((await post('csv')).status).toBe(202);
    await used(1);
    expect((await post('json')).status).toBe(409);
    expect((await post('pdf')).status).toBe(202);
  });

  it('422 for a format that there is not', async () => {
    const { report } = await renderedReport(inspector);
    const params = { report_id: report.id };
    expect((await inspector.try.reports.createExport({ params, body: { format: 'rtf' } })).status).toBe(422);
  });
});
