import * as exportReport from '../../functions/workers/export-report.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import * as errors from '../../shared/base/errors.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { startClock } from '../support/clock.ts';
import { first, installFaults, on, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { queuedReport, renderedReport } from './fixtures/reports.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();

/** The commands by which a worker stores what it has made. */
const STORING = new Set(['PutObject', 'TransactWriteItems', 'UpdateItem', 'PutItem']);

let inspector: Person;
let outsider: Person;
beforeAll(async () => {
  inspector = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

describe('POST /reports/{report_id}/exports', () => {
  it('202 returns the existing export, even for requests at the same time', async () => {
    const { report } = await renderedReport(inspector);
    const params = { report_id: report.id };
    const made = await Promise.all(
      Array.from({ length: 8 }, () =>
        inspector.try.reports.createExport({ params, body: { format: 'pdf' } }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    const [{ body: ready }] = made as [(typeof made)[0]];
    expect(ready).toMatchObject({ report_id: report.id, format: 'pdf', status: 'ready' });
    expect((await fetch(ready.url)).status).toBe(200);
    // The report was ready before its export was asked for.
    expect(ready.updated_at >= ready.created_at).toBe(true);
  });

  it('202 creates one export and one task for requests while the report becomes ready', async () => {
    const { report, task } = await queuedReport(inspector);
    const params = { report_id: report.id };
    const ask = () => inspector.reports.createExport({ params, body: { format: 'csv' } });
    const asking = [ask()];
    const whileRendering = on(
      ({ command }) => STORING.has(command),
      ({ send }) => {
        asking.push(withFault(({ send }) => send(), ask));
        return send();
      },
    );
    expect(await withFault(whileRendering, () => deliver(renderReport.handler, task))).toBe(true);
    const made = await Promise.all(asking);
    expect(made.length).toBeGreaterThan(3);
    const ids = new Set([...made, await ask()].map(({ id }) => id));
    expect(ids.size).toBe(1);
    const tasks = (await waitingTasks(inspector.caller)).filter(({ data }) => ids.has(data['export_id']));
    expect(tasks).toHaveLength(1);
    const [one, again] = await Promise.all([1, 2].map(() => deliver(exportReport.handler, tasks[0]!)));
    expect([one, again]).toEqual([true, true]);
    const [export_id] = ids;
    const ready = await inspector.reports.getExport({ params: { ...params, export_id } });
    const bytes = Buffer.from(await (await fetch(ready.url)).arrayBuffer());
    expect(ready).toMatchObject({ status: 'ready', sha256: sha256(bytes) });
  });

  it('202 has the file of the attempt that ended it, when another one is late', async () => {
    const { report } = await renderedReport(inspector);
    const params = { report_id: report.id };
    const { id: export_id } = await inspector.reports.createExport({
      params,
      body: { format: 'docx' },
    });
    const task = (await waitingTasks(inspector.caller)).find(({ data }) => data['export_id'] === export_id)!;
    // A document names the time at which it was made, so that the two files differ.
    const whileStoring = on(
      ({ command }) => command === 'PutObject',
      first(1, async ({ send }) => {
        startClock(Date.now() + 60_000);
        expect(await deliver(exportReport.handler, task)).toBe(true);
        jest.useRealTimers();
        return send();
      }),
    );
    expect(await withFault(whileStoring, () => deliver(exportReport.handler, task))).toBe(true);
    const ready = await inspector.reports.getExport({ params: { ...params, export_id } });
    const bytes = Buffer.from(await (await fetch(ready.url)).arrayBuffer());
    expect(ready).toMatchObject({ status: 'ready', sha256: sha256(bytes), size_bytes: bytes.length });
  });

  it('409 for a failed report, and says so', async () => {
    const { report, inspection } = await queuedReport(inspector);
    const begun = (await reports.begin(inspector.caller, inspection.id, report.id))!;
    await reports.end(inspector.caller, begun, { status: 'failed', error: 'no' });
    const { status, body } = await inspector.try.reports.createExport({
      params: { report_id: report.id },
      body: {},
    });
    expect([status, body.detail]).toEqual([409, errors.reportFailed().detail]);
  });
});

describe('GET /reports/{report_id}/exports/{export_id}', () => {
  it('200 has a new URL of the file once the report is ready', async () => {
    const { report, task } = await queuedReport(inspector);
    const exported = await inspector.reports.createExport({
      params: { report_id: report.id },
      body: {},
    });
    const params = { report_id: report.id, export_id: exported.id };
    expect(await inspector.reports.getExport({ params })).toMatchObject({
      status: 'queued',
      url: null,
    });
    await deliver(renderReport.handler, task);
    const ready = await inspector.reports.getExport({ params });
    expect(ready).toMatchObject({ status: 'ready', format: 'pdf' });
    const response = await fetch(ready.url);
    const pdf = Buffer.from(await response.arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf).toHaveLength(ready.size_bytes);
    expect(new URL(ready.url).searchParams.get('X-Amz-Expires')).toBe('900');
    expect(new URL(ready.url).pathname).toContain(
      `org/${aliasOf(inspector.caller)}/reports/${aliasOf(inspector.caller, report.id)}/`,
    );
  });

  it('200 shows after 30 days that the export has expired; a new one can then be created', async () => {
    const { report } = await renderedReport(inspector);
    const params = { report_id: report.id };
    const before = Date.now();
    const first = await inspector.reports.createExport({ params, body: {} });
    const end = Date.parse(first.expires_at);
    const from = end - 30 * 86_400_000;
    expect([from >= before, from <= Date.now()]).toEqual([true, true]);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(end - 60_000);
    try {
      const earlier = await inspector.reports.getExport({
        params: { ...params, export_id: first.id },
      });
      expect(earlier.status).toBe(first.status);
      clock.mockReturnValue(end + 1_000);
      const later = await inspector.reports.getExport({
        params: { ...params, export_id: first.id },
      });
      expect(later).toMatchObject({ status: 'expired', url: null });
      const second = await inspector.reports.createExport({ params, body: {} });
      expect(second.id).not.toBe(first.id);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('404 for an export of another organization or of another report', async () => {
    const [one, other] = [await renderedReport(inspector), await renderedReport(inspector)];
    const { id } = await inspector.reports.createExport({
      params: { report_id: one.report.id },
      body: {},
    });
    const tries = [
      outsider.try.reports.getExport({ params: { report_id: one.report.id, export_id: id } }),
      inspector.try.reports.getExport({ params: { report_id: other.report.id, export_id: id } }),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([404, 404]);
  });
});
