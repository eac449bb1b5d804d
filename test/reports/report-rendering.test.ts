import { gunzipSync } from 'node:zlib';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as errors from '../../shared/base/errors.ts';
import { QUEUE_DELIVERIES } from '../../shared/base/queues.ts';
import { OutOfTime } from '../../shared/base/time-limit.ts';
import { deleteObject, documentKey, getObject } from '../../shared/files/objects.ts';
import { reportFile } from '../../shared/reports/files.ts';
import { giveUpReport } from '../../shared/reports/render.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { newFinding } from '../corrective-actions/fixtures.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { deliver, deliverLast, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { readPdf } from '../support/pdf.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newPicture } from '../templates/fixtures.ts';
import { queuedReport, readReport, renderedReport } from './fixtures/reports.ts';

let inspector: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
});

describe('the worker that renders reports', () => {
  it('stores the payload and the PDF, then marks the report as ready', async () => {
    const { report } = await renderedReport(inspector, { name: 'Έλεγχος кухни' });
    const ready = await readReport(inspector, report);
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

  it('shows in the API what the typesetter could not draw, and the images that could not be opened', async () => {
    const photo = await newPicture(inspector.key);
    const content = { media: [{ document_id: photo }] };
    const inspection = await newInspection(inspector, { name: 'Temple \u{13000}' });
    await newFinding(inspector, { content }, inspection);
    await deleteObject(inspector.caller, documentKey(inspector.caller, photo));
    const report = await inspector.reports.create({
      params: { inspection_id: inspection.id },
      body: {},
    });
    const task = (await waitingTasks(inspector.caller)).find(({ data }) => data['report_id'] === report.id)!;
    expect(await deliver(renderReport.handler, task)).toBe(true);
    const { status, warnings } = await readReport(inspector, report);
    expect(status).toBe('ready');
    expect(warnings).toEqual([
      expect.stringContaining('U+13000'),
      expect.stringMatching(/^The image ".*" was not found\.$/),
    ]);
  });

  it('sends report.ready once, even if the task is delivered twice', async () => {
    const { report, task } = await renderedReport(inspector);
    const before = await readReport(inspector, report);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    expect(await readReport(inspector, report)).toEqual(before);
    const events = (await waitingEvents(inspector.caller)).filter(
      ({ type, data }) => type === 'report.ready' && data.id === report.id,
    );
    expect(events.map(({ data }) => data)).toEqual([before]);
  });

  it('returns a failing task to the queue, and marks the report as failed after the last attempt', async () => {
    const { report, task } = await queuedReport(inspector);
    const broken = { ...task, data: { ...task.data } };
    const bucket = process.env['BUCKET_NAME'];
    process.env['BUCKET_NAME'] = 'no-such-bucket';
    try {
      expect(await deliver(renderReport.handler, broken)).toBe(false);
      expect(await readReport(inspector, report)).toMatchObject({ status: 'rendering', error: null });
      expect(await deliverLast(renderReport.handler, broken)).toBe(false);
    } finally {
      process.env['BUCKET_NAME'] = bucket;
    }
    expect(await readReport(inspector, report)).toMatchObject({
      status: 'failed',
      error: 'The report could not be rendered. Request a new one.',
    });
    const event = (await waitingEvents(inspector.caller)).find(
      ({ type, data }) => type === 'report.failed' && data.id === report.id,
    );
    expect(event?.data).toEqual(await readReport(inspector, report));
  });

  it.each([
    [
      'took too long',
      new OutOfTime(),
      'The report took too long to render. Request one with fewer photos or sections.',
    ],
    [
      'had no dependency',
      errors.unavailable('The database'),
      'The report could not be rendered, because a service it needs was unavailable. Request a new one.',
    ],
  ])('names the reason of a report whose last attempt %s', async (_, cause, error) => {
    const { inspection, report } = await queuedReport(inspector);
    await giveUpReport(inspector.caller, inspection.id, report.id, cause);
    expect(await readReport(inspector, report)).toMatchObject({ status: 'failed', error });
    // The last delivery of the task does not know the cause, and changes nothing.
    await giveUpReport(inspector.caller, inspection.id, report.id);
    expect(await readReport(inspector, report)).toMatchObject({ status: 'failed', error });
  });

  it('marks a report as failed when every attempt has crashed, by the last delivery of its task', async () => {
    const { inspection, report, task } = await queuedReport(inspector);
    await reports.begin(inspector.caller, inspection.id, report.id);
    expect(await deliver(renderReport.handler, task, QUEUE_DELIVERIES)).toBe(false);
    expect(await readReport(inspector, report)).toMatchObject({ status: 'failed', page_count: null });
  });

  it('renders a report that a crashed attempt left as rendering', async () => {
    const { inspection, report, task } = await queuedReport(inspector);
    await reports.begin(inspector.caller, inspection.id, report.id);
    expect(await deliver(renderReport.handler, task)).toBe(true);
    expect(await readReport(inspector, report)).toMatchObject({ status: 'ready' });
  });
});
