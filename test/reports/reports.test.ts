import { gunzipSync } from 'node:zlib';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as createReportExport from '../../functions/reports/create-report-export.ts';
import * as createReport from '../../functions/reports/create-report.ts';
import * as getReportExport from '../../functions/reports/get-report-export.ts';
import * as getReportPayload from '../../functions/reports/get-report-payload.ts';
import * as getReport from '../../functions/reports/get-report.ts';
import * as listReports from '../../functions/reports/list-reports.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as reports from '../../shared/db/reports/reports.ts';
import { reportFile } from '../../shared/reports/files.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { getObject } from '../../shared/storage/objects.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { call, made } from '../support/call.ts';
import { deliver, deliverLast, outboxOf } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';

const reportOf = async (person: Person, body: Record<string, unknown> = {}) => {
  const inspection = await newInspection(person, body);
  const report = await made(createReport, {
    as: person.key,
    params: { inspection_id: inspection.id },
    body: {},
  });
  const task = (await outboxOf(person.caller)).find(({ data }) => data['report_id'] === report.id)!;
  return { inspection, report, task };
};

const rendered = async (person: Person, body: Record<string, unknown> = {}) => {
  const made = await reportOf(person, body);
  expect(await deliver(renderReport.handler, made.task)).toBe(true);
  return made;
};

const read = (person: Person, report: { id: string }) =>
  made(getReport, { as: person.key, params: { report_id: report.id } });

let inspector: Person;
let outsider: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

describe('POST /inspections/{inspection_id}/reports', () => {
  it('202 queues a report and leaves its task in the same change', async () => {
    const { inspection, report, task } = await reportOf(inspector);
    expect(report).toMatchObject({
      inspection_id: inspection.id,
      layout_id: null,
      version: 1,
      status: 'queued',
      is_current: true,
      is_stale: false,
      page_count: null,
      requested_by: inspector.caller.user_id,
    });
    expect(task).toMatchObject({
      outbox: 'render',
      data: { inspection_id: inspection.id, report_id: report.id },
    });
  });

  it('202 without a body takes the standard layout', async () => {
    const { id } = await newInspection(inspector);
    const { status } = await call(createReport, { as: inspector.key, params: { inspection_id: id } });
    expect(status).toBe(202);
  });

  it('202 counts the reports of an inspection, however many are asked for at once', async () => {
    const { id } = await newInspection(inspector);
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        call(createReport, { as: inspector.key, params: { inspection_id: id }, body: {} }),
      ),
    );
    const versions = made.map(({ body }) => body.version as number).toSorted((a, b) => a - b);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('400 for a layout that the family does not have', async () => {
    const { id } = await newInspection(inspector);
    const { status, body } = await call(createReport, {
      as: inspector.key,
      params: { inspection_id: id },
      body: { layout_id: inspector.adminId },
    });
    expect([status, body.detail]).toEqual([400, 'layout_id does not exist']);
  });

  it('404 for another organization’s inspection', async () => {
    const { id } = await newInspection(inspector);
    expect(
      (await call(createReport, { as: outsider.key, params: { inspection_id: id }, body: {} })).status,
    ).toBe(404);
  });
});

describe('the worker that renders reports', () => {
  it('stores the payload and the PDF before the report becomes ready', async () => {
    const { report } = await rendered(inspector, { name: 'Έλεγχος кухни' });
    const ready = await read(inspector, report);
    expect(ready).toMatchObject({
      status: 'ready',
      is_current: true,
      is_stale: false,
      warnings: [],
      error: null,
    });
    const pdf = Buffer.from(
      (await getObject(inspector.caller, reportFile(inspector.caller, report.id, 'report.pdf')))!,
    );
    const { pages } = await readPdf(pdf);
    expect(pages).toHaveLength(ready.page_count);
    expect(pages.join('\n')).toContain('Έλεγχος кухни');
    const payload = await getObject(
      inspector.caller,
      reportFile(inspector.caller, report.id, 'payload.json.gz'),
    );
    expect(ReportPayload.parse(JSON.parse(gunzipSync(payload!).toString())).report.version).toBe(1);
  });

  it('tells that a report is ready once, however often its task comes', async () => {
    const { report, task } = await rendered(inspector);
    const before = await read(inspector, report);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    expect(await read(inspector, report)).toEqual(before);
    const told = (await outboxOf(inspector.caller)).filter(
      ({ type, data }) => type === 'report.ready' && data['report_id'] === report.id,
    );
    expect(told).toHaveLength(1);
  });

  it('hands a failing task back until the last attempt, which says so', async () => {
    const { report, task } = await reportOf(inspector);
    const broken = { ...task, data: { ...task.data } };
    const bucket = process.env['BUCKET_NAME'];
    process.env['BUCKET_NAME'] = 'no-such-bucket';
    try {
      expect(await deliver(renderReport.handler, broken)).toBe(false);
      expect(await read(inspector, report)).toMatchObject({ status: 'rendering', error: null });
      expect(await deliverLast(renderReport.handler, broken)).toBe(false);
    } finally {
      process.env['BUCKET_NAME'] = bucket;
    }
    expect(await read(inspector, report)).toMatchObject({
      status: 'failed',
      error: 'the report could not be rendered',
    });
    const told = (await outboxOf(inspector.caller)).find(
      ({ type, data }) => type === 'report.failed' && data['report_id'] === report.id,
    );
    expect(told).toBeDefined();
  });

  it('takes up what a crash left while rendering', async () => {
    const { inspection, report, task } = await reportOf(inspector);
    await reports.begin(inspector.caller, inspection.id, report.id);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    expect(await read(inspector, report)).toMatchObject({ status: 'ready' });
  });
});

describe('GET /reports/{report_id}', () => {
  it('200 says that the inspection has changed since, and that there is a newer report', async () => {
    const { inspection, report } = await rendered(inspector);
    await made(updateInspection, {
      as: inspector.key,
      params: { inspection_id: inspection.id },
      body: { name: 'Renamed' },
    });
    await made(createReport, { as: inspector.key, params: { inspection_id: inspection.id }, body: {} });
    expect(await read(inspector, report)).toMatchObject({ is_stale: true, is_current: false });
  });

  it('404 for another organization’s report', async () => {
    const { report } = await reportOf(inspector);
    expect((await call(getReport, { as: outsider.key, params: { report_id: report.id } })).status).toBe(404);
  });
});

describe('GET /inspections/{inspection_id}/reports', () => {
  it('200 lists the newest first, page by page', async () => {
    const { inspection, report } = await reportOf(inspector);
    const params = { inspection_id: inspection.id };
    const second = await made(createReport, { as: inspector.key, params, body: {} });
    expect(
      (await made(listReports, { as: inspector.key, params })).map(({ id }: { id: string }) => id),
    ).toEqual([second.id, report.id]);
    const first = await call(listReports, { as: inspector.key, params, query: { limit: 1 } });
    const cursor = new URLSearchParams(/\?(.*)>/.exec(first.headers['link']!)![1]).get('cursor')!;
    const rest = await call(listReports, { as: inspector.key, params, query: { limit: 1, cursor } });
    expect(rest.body).toMatchObject([{ id: report.id, is_current: false }]);
    expect(rest.headers['link']).toBeUndefined();
  });
});

describe('GET /inspections/{inspection_id}/report-payload', () => {
  it('200 is what the renderer would draw now', async () => {
    const { id, number } = await newInspection(inspector, { name: 'Cold store' });
    const payload = await made(getReportPayload, { as: inspector.key, params: { inspection_id: id } });
    expect(payload).toMatchObject({
      organization: { name: 'Harbour Inspections' },
      report: { id: null },
      inspection: { id, number, name: 'Cold store', status: 'scheduled' },
      summary: { progress: { answered: 0 } },
    });
  });

  it('404 for another organization’s inspection', async () => {
    const { id } = await newInspection(inspector);
    expect((await call(getReportPayload, { as: outsider.key, params: { inspection_id: id } })).status).toBe(
      404,
    );
  });
});

describe('POST /reports/{report_id}/exports', () => {
  it('202 returns the one there is, however many ask at once', async () => {
    const { report } = await rendered(inspector);
    const params = { report_id: report.id };
    const made = await Promise.all(
      Array.from({ length: 8 }, () =>
        call(createReportExport, { as: inspector.key, params, body: { format: 'pdf' } }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    expect(made[0]!.body).toMatchObject({ report_id: report.id, format: 'pdf', status: 'ready', url: null });
  });

  it('409 names the state of a report that failed', async () => {
    const { report, inspection } = await reportOf(inspector);
    const begun = (await reports.begin(inspector.caller, inspection.id, report.id))!;
    await reports.end(inspector.caller, begun, { status: 'failed', error: 'no' });
    const { status, body } = await call(createReportExport, {
      as: inspector.key,
      params: { report_id: report.id },
      body: {},
    });
    expect([status, body.detail]).toEqual([409, 'report is failed; create another one']);
  });
});

describe('GET /reports/{report_id}/exports/{export_id}', () => {
  it('200 gives a URL of the file, made anew, once the report is ready', async () => {
    const { report, task } = await reportOf(inspector);
    const exported = await made(createReportExport, {
      as: inspector.key,
      params: { report_id: report.id },
      body: {},
    });
    const params = { report_id: report.id, export_id: exported.id };
    expect(await made(getReportExport, { as: inspector.key, params })).toMatchObject({
      status: 'queued',
      url: null,
    });
    await deliver(renderReport.handler, task);
    const ready = await made(getReportExport, { as: inspector.key, params });
    expect(ready).toMatchObject({ status: 'ready', format: 'pdf' });
    const response = await fetch(ready.url);
    const pdf = Buffer.from(await response.arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf).toHaveLength(ready.size_bytes);
    expect(new URL(ready.url).searchParams.get('X-Amz-Expires')).toBe('900');
    expect(new URL(ready.url).pathname).toContain(`org/${inspector.caller.org_id}/reports/${report.id}/`);
  });

  it('200 says that it has expired, and another one may be made', async () => {
    const { report } = await rendered(inspector);
    const params = { report_id: report.id };
    const first = await made(createReportExport, { as: inspector.key, params, body: {} });
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse(first.expires_at) + 1);
    try {
      const later = await made(getReportExport, {
        as: inspector.key,
        params: { ...params, export_id: first.id },
      });
      expect(later).toMatchObject({ status: 'expired', url: null });
      const second = await made(createReportExport, { as: inspector.key, params, body: {} });
      expect(second.id).not.toBe(first.id);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('404 for another organization’s, and for another report’s export', async () => {
    const [one, other] = [await rendered(inspector), await rendered(inspector)];
    const { id } = await made(createReportExport, {
      as: inspector.key,
      params: { report_id: one.report.id },
      body: {},
    });
    const tries = [
      call(getReportExport, { as: outsider.key, params: { report_id: one.report.id, export_id: id } }),
      call(getReportExport, { as: inspector.key, params: { report_id: other.report.id, export_id: id } }),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([404, 404]);
  });
});
