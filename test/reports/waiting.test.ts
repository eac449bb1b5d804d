import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import type { QueueName } from '../../shared/base/queues.ts';
import type { SlotKind } from '../../shared/schemas/slots.ts';
import { setMaxSlots } from '../../shared/table/slots.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { installFaults, on, withFault } from '../support/faults.ts';
import { deliver, deliverLast, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { renderedReport } from './fixtures/reports.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();

let person: Person;

/** What an organization has waiting for one queue. */
interface Waiting {
  kind: SlotKind;
  queue: QueueName;
  handler: typeof renderReport.handler;
  /** Asks for one more. @returns status and body of the answer */
  ask: () => Promise<{ status: number; body: { detail: unknown } }>;
}

const report = async (): Promise<Waiting> => {
  const { id: inspection_id } = await newInspection(person);
  return {
    kind: 'RENDER',
    queue: 'render',
    handler: renderReport.handler,
    ask: () => person.try.reports.create({ params: { inspection_id }, body: {} }),
  };
};

const reportToSend = async (): Promise<Waiting> => {
  const ask = async () => {
    const { id: inspection_id } = await newInspection(person);
    return person.try.reports.send({ params: { inspection_id }, body: { to: ['a@example.com'] } });
  };
  return { kind: 'RENDER', queue: 'render', handler: renderReport.handler, ask };
};

const file = async (): Promise<Waiting> => {
  const ids = [(await renderedReport(person)).report.id, (await renderedReport(person)).report.id];
  const wanted = ids.flatMap((report_id) => ['csv', 'json'].map((format) => ({ report_id, format })));
  return {
    kind: 'EXPORT',
    queue: 'export',
    handler: exportReport.handler,
    ask: () => {
      const { report_id, format } = wanted.pop()!;
      return person.try.reports.createExport({ params: { report_id }, body: { format } });
    },
  };
};

const bundle = async (): Promise<Waiting> => {
  const { id } = await newInspection(person);
  return {
    kind: 'BULK_EXPORT',
    queue: 'bulk',
    handler: makeBulkExport.handler,
    ask: () => person.try.reports.createBulkExport({ body: { inspection_ids: [id] } }),
  };
};

const mail = async (): Promise<Waiting> => {
  const { report } = await renderedReport(person);
  return {
    kind: 'MAIL',
    queue: 'mail',
    handler: sendMail.handler,
    ask: () =>
      person.try.reports.createEmail({
        params: { report_id: report.id },
        body: { to: ['someone@example.com'] },
      }),
  };
};

const ALL = { report, reportToSend, file, bundle, mail };

/** The newest task for a queue. */
const taskOf = async ({ queue }: Waiting) =>
  (await waitingTasks(person.caller)).findLast(({ outbox }) => outbox === queue)!;

const prepare = async (prepared: () => Promise<Waiting>): Promise<Waiting> => {
  const waiting = await prepared();
  await setMaxSlots(person.caller, { [waiting.kind]: 1 });
  expect((await waiting.ask()).status).toBe(202);
  return waiting;
};

const statusOf = async ({ ask }: Waiting): Promise<number> => (await ask()).status;

beforeEach(async () => {
  person = await newPerson('Harbour Inspections');
});

describe.each(Object.entries(ALL))(
  'a request for a %s while one waits, which is all that may',
  (_, prepared) => {
    test('is a 429 that says how many wait', async () => {
      const { ask } = await prepare(prepared);
      const { status, body } = await ask();
      expect(status).toBe(429);
      expect(body).toEqual({ detail: expect.stringMatching(/already has 1 .+ the maximum is 1\./) });
    });

    test('is accepted once that is done', async () => {
      const waiting = await prepare(prepared);
      expect(await deliver(waiting.handler, await taskOf(waiting))).toBe(true);
      expect(await statusOf(waiting)).toBe(202);
    });

    test('is accepted once that has failed at every attempt', async () => {
      const waiting = await prepare(prepared);
      const task = await taskOf(waiting);
      const broken = on(
        ({ client }) => client === 'S3Client',
        () => Promise.reject(new Error('out of order')),
      );
      await withFault(broken, () => deliverLast(waiting.handler, task));
      expect(await statusOf(waiting)).toBe(202);
    });
  },
);

describe('what waits for a report that fails', () => {
  test('an export, has no slot any more', async () => {
    await setMaxSlots(person.caller, { EXPORT: 1 });
    const waiting = await report();
    const { body } = await waiting.ask();
    const ask = (format: string) =>
      person.try.reports.createExport({
        params: { report_id: (body as unknown as { id: string }).id },
        body: { format },
      });
    expect((await ask('csv')).status).toBe(202);
    expect((await ask('json')).status).toBe(429);
    const broken = on(
      ({ client }) => client === 'S3Client',
      () => Promise.reject(new Error('out of order')),
    );
    const task = await taskOf(waiting);
    await withFault(broken, () => deliverLast(renderReport.handler, task));
    const other = await renderedReport(person);
    const made = await person.try.reports.createExport({
      params: { report_id: other.report.id },
      body: { format: 'json' },
    });
    expect(made.status).toBe(202);
  });
});

test('a PDF is made with its report, and takes no slot of its own', async () => {
  await setMaxSlots(person.caller, { EXPORT: 1 });
  const waiting = await file();
  await waiting.ask();
  const { report } = await renderedReport(person);
  const params = { report_id: report.id };
  expect((await person.try.reports.createExport({ params, body: { format: 'pdf' } })).status).toBe(202);
});

test('what is deleted with its client has no slot any more', async () => {
  const client = await person.clientAccounts.create({ body: { name: 'Acme' } });
  await setMaxSlots(person.caller, { RENDER: 1, MAIL: 1, EXPORT: 1 });
  const { id: inspection_id } = await newInspection(person, { client_account_id: client.id });
  const { id: report_id } = await person.reports.create({ params: { inspection_id }, body: {} });
  await person.reports.createExport({ params: { report_id }, body: { format: 'csv' } });
  await person.reports.createEmail({ params: { report_id }, body: { to: ['someone@example.com'] } });
  await person.clientAccounts.delete({ params: { ca_id: client.id }, query: { cascade: true } });
  for (const task of (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup'))
    expect(await deliver(deleteRemains.handler, task)).toBe(true);
  for (const prepared of [mail, file, report]) expect(await statusOf(await prepared())).toBe(202);
});
