import { handler as exportReport } from '../../functions/workers/export-report.ts';
import { handler as makeBulkExport } from '../../functions/workers/make-bulk-export.ts';
import { handler as renderReport } from '../../functions/workers/render-report.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { handler as syncSource } from '../../functions/workers/sync-source.ts';
import { QUEUE_ATTEMPTS, QUEUE_DELIVERIES, type QueueName } from '../../shared/base/queues.ts';
import type { SyncRun } from '../../shared/schemas/integrations/run.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newSource, runOf } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { queuedReport, readReport, renderedReport } from '../reports/fixtures/reports.ts';
import { impatient, installFaults, on, sdkError, timeout, withFault } from '../support/faults.ts';
import { deliver, type WaitingTask, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
impatient(100);

const vendor = useMemoryVendor();

let person: Person;
/** A report that is ready. */
let params: { report_id: string };
/** The formats in which no test has asked for it. */
const formats = ['csv', 'json', 'xlsx'];

beforeAll(async () => {
  person = await newPerson('Harbour');
  params = { report_id: (await renderedReport(person)).report.id };
});

const newestTask = async (queue: QueueName): Promise<WaitingTask> =>
  (await waitingTasks(person.caller)).findLast(({ outbox }) => outbox === queue)!;

/** Work that somebody waits for. */
interface Awaited {
  handler: typeof renderReport;
  task: WaitingTask;
  /** What they see of it. */
  seen: () => Promise<{ status: string; error: unknown }>;
}

/** The work of each queue that somebody waits for; null where nobody does. */
const AWAITED: Readonly<Record<QueueName, (() => Promise<Awaited>) | null>> = {
  render: async () => {
    const { report, task } = await queuedReport(person);
    return { handler: renderReport, task, seen: () => readReport(person, report) };
  },
  export: async () => {
    const body = { format: formats.pop() };
    const { id } = await person.reports.createExport({ params, body });
    return {
      handler: exportReport,
      task: await newestTask('export'),
      seen: () => person.reports.getExport({ params: { ...params, export_id: id } }),
    };
  },
  bulk: async () => {
    const inspection_ids = [(await newInspection(person)).id];
    const { id } = await person.reports.createBulkExport({ body: { inspection_ids } });
    return {
      handler: makeBulkExport,
      task: await newestTask('bulk'),
      seen: () => person.reports.getBulkExport({ params: { export_id: id } }),
    };
  },
  mail: async () => {
    await person.reports.createEmail({ params, body: { to: ['admin@example.com'] } });
    return {
      handler: sendMail,
      task: await newestTask('mail'),
      seen: async () => (await person.reports.listEmails({ params }))[0],
    };
  },
  sync: async () => {
    vendor.put('b', { i1: { name: 'One', kind: null, where: null } });
    const source = await newSource(person);
    const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
    return {
      handler: syncSource,
      task: await newestTask('sync'),
      seen: () => runOf(person, run),
    };
  },
  cleanup: null,
  webhooks: null,
  feedback: null,
};

const queues = Object.entries(AWAITED).flatMap(([queue, prepare]) =>
  prepare ? [[queue, prepare] as const] : [],
);

/** Nothing outside of the table answers. */
const outage = on(
  ({ client }) => client !== 'DynamoDBClient',
  () => Promise.reject(timeout()),
);

test.each(queues)(
  '%s: whoever waits hears of the failure at the last attempt, and not before',
  async (_, prepare) => {
    const { handler, task, seen } = await prepare();
    const error = sdkError('AccessDeniedException', { $metadata: { httpStatusCode: 400 } });
    vendor.beforeCall = () => {
      throw error;
    };
    try {
      await withFault(outage, async () => {
        expect(await deliver(handler, task, QUEUE_ATTEMPTS - 1)).toBe(false);
        expect((await seen()).status).not.toBe('failed');
        expect(await deliver(handler, task, QUEUE_ATTEMPTS)).toBe(false);
      });
    } finally {
      vendor.beforeCall = () => {};
    }
    expect(await seen()).toMatchObject({ status: 'failed', error: expect.anything() });
  },
);

test.each(queues)(
  '%s: whoever waits hears of a worker that crashed at its last attempt',
  async (_, prepare) => {
    const { handler, task, seen } = await prepare();
    expect((await seen()).status).toBe('queued');
    expect(await deliver(handler, task, QUEUE_DELIVERIES)).toBe(false);
    expect(await seen()).toMatchObject({ status: 'failed', error: expect.anything() });
  },
);

test.each(queues)(
  '%s: whoever waits hears of a last attempt that took too long, and it stays ended when that goes on',
  async (_, prepare) => {
    const { handler, task, seen } = await prepare();
    const gate = Promise.withResolvers<void>();
    const waiting = on(
      ({ client }) => client !== 'DynamoDBClient' && client !== 'SQSClient',
      async ({ send }) => {
        await gate.promise;
        return send();
      },
    );
    // Its function keeps ten seconds for the end.
    const isAccepted = await withFault(waiting, () => deliver(handler, task, QUEUE_ATTEMPTS, 10_500));
    const ended = await seen();
    gate.resolve();
    expect(isAccepted).toBe(false);
    expect(ended).toMatchObject({ status: 'failed', error: expect.anything() });
    expect(await deliver(handler, task)).toBe(true);
    expect((await seen()).status).toBe('failed');
  },
);
