import * as renderReport from '../../functions/workers/render-report.ts';
import * as errors from '../../shared/base/errors.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { queuedReport, readReport, renderedReport } from './fixtures/reports.ts';

let inspector: Person;
let outsider: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

describe('POST /inspections/{inspection_id}/reports', () => {
  it('202 queues a report, and writes its task in the same transaction', async () => {
    const { inspection, report, task } = await queuedReport(inspector);
    expect(report).toMatchObject({
      inspection_id: inspection.id,
      layout_id: null,
      version: 1,
      status: 'queued',
      is_current: true,
      is_stale: false,
      is_draft: true,
      language: null,
      page_count: null,
      requested_by: inspector.caller.user_id,
    });
    expect(task).toMatchObject({
      outbox: 'render',
      data: { inspection_id: inspection.id, report_id: report.id },
    });
  });

  it('202 draws it in the requested language, else in the layout’s or the organization’s', async () => {
    const { report, task } = await queuedReport(inspector, {}, { language: 'el' });
    expect(report.language).toBe('el');
    expect(await deliver(renderReport.handler, task)).toBe(true);
    expect(await readReport(inspector, report)).toMatchObject({
      status: 'ready',
      language: 'el',
      is_draft: true,
    });
    const usual = await renderedReport(inspector);
    expect(await readReport(inspector, usual.report)).toMatchObject({ language: 'en' });
  });

  it('422 for a language that there are no texts in', async () => {
    const { id } = await newInspection(inspector);
    const { status, body } = await inspector.try.reports.create({
      params: { inspection_id: id },
      body: { language: 'tlh' },
    });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'language']]);
  });

  it('202 without a body uses the default layout', async () => {
    const { id } = await newInspection(inspector);
    const { status } = await inspector.try.reports.create({ params: { inspection_id: id } });
    expect(status).toBe(202);
  });

  it('202 numbers the reports of an inspection, even if ten are requested at once', async () => {
    const { id } = await newInspection(inspector);
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        inspector.try.reports.create({ params: { inspection_id: id }, body: {} }),
      ),
    );
    const versions = made.map(({ body }) => body.version as number).toSorted((a, b) => a - b);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('400 for a layout that is not in the template family', async () => {
    const { id } = await newInspection(inspector);
    const { status, body } = await inspector.try.reports.create({
      params: { inspection_id: id },
      body: { layout_id: inspector.adminId },
    });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('layout_id').detail]);
  });

  it('404 for another organization’s inspection', async () => {
    const { id } = await newInspection(inspector);
    expect((await outsider.try.reports.create({ params: { inspection_id: id }, body: {} })).status).toBe(404);
  });
});

describe('GET /reports/{report_id}', () => {
  it('200 shows that the inspection has changed and that there is a newer report', async () => {
    const { inspection, report } = await renderedReport(inspector);
    await inspector.inspections.update({
      params: { inspection_id: inspection.id },
      body: { name: 'Renamed' },
    });
    await inspector.reports.create({ params: { inspection_id: inspection.id }, body: {} });
    expect(await readReport(inspector, report)).toMatchObject({ is_stale: true, is_current: false });
  });

  it('404 for another organization’s report', async () => {
    const { report } = await queuedReport(inspector);
    expect((await outsider.try.reports.get({ params: { report_id: report.id } })).status).toBe(404);
  });
});

describe('GET /inspections/{inspection_id}/reports', () => {
  it('200 lists the reports in pages, newest first', async () => {
    const { inspection, report } = await queuedReport(inspector);
    const params = { inspection_id: inspection.id };
    const second = await inspector.reports.create({ params, body: {} });
    expect((await inspector.reports.list({ params })).map(({ id }: { id: string }) => id)).toEqual([
      second.id,
      report.id,
    ]);
    const first = await inspector.try.reports.list({ params, query: { limit: 1 } });
    const cursor = new URLSearchParams(/\?(.*)>/.exec(first.headers['link']!)![1]).get('cursor')!;
    const rest = await inspector.try.reports.list({ params, query: { limit: 1, cursor } });
    expect(rest.body).toMatchObject([{ id: report.id, is_current: false }]);
    expect(rest.headers['link']).toBeUndefined();
  });
});
