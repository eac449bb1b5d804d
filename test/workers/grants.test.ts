import { marshall } from '@aws-sdk/util-dynamodb';
import * as deleteClientAccount from '../../functions/client-accounts/delete-client-account.ts';
import * as createDocument from '../../functions/documents/create-document.ts';
import * as createFinding from '../../functions/findings/create-finding.ts';
import * as deleteSource from '../../functions/integrations/delete-source.ts';
import * as startSync from '../../functions/integrations/start-sync.ts';
import * as uploadLogo from '../../functions/organization/upload-logo.ts';
import * as createBulkReportExport from '../../functions/reports/create-bulk-report-export.ts';
import * as createReportEmail from '../../functions/reports/create-report-email.ts';
import * as createReportExport from '../../functions/reports/create-report-export.ts';
import * as createReport from '../../functions/reports/create-report.ts';
import * as deleteFamily from '../../functions/templates/families/delete-family.ts';
import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as deliverWebhooks from '../../functions/workers/deliver-webhooks.ts';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as generateInspections from '../../functions/workers/generate-inspections.ts';
import * as handOnOutbox from '../../functions/workers/hand-on-outbox.ts';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as notifyDue from '../../functions/workers/notify-due.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import * as startDueSyncs from '../../functions/workers/start-due-syncs.ts';
import * as syncSource from '../../functions/workers/sync-source.ts';
import * as takeDueWebhooks from '../../functions/workers/take-due-webhooks.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { sendTest } from '../../shared/db/webhooks/deliveries.ts';
import { deleteReportFiles } from '../../shared/reports/files.ts';
import { createWebhook, updateWebhook } from '../../shared/webhooks/endpoints.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newAction } from '../corrective-actions/fixtures.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newSource, sync, work } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { dateIn, interrupted, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { installFaults, UNDECLARED, undeclaredAttributes, withFault } from '../support/faults.ts';
import { mailOut, mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, deliverLast, outboxOf, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { familyOfVersions } from '../templates/fixtures.ts';
import {
  answers,
  emitEvents,
  handOnEvents,
  newAdmin,
  newReceiver,
  newWebhook,
  overdue,
  tasksOf as webhookTasksOf,
} from '../webhooks/fixtures.ts';

installRecorder();
installFaults();
const vendor = useMemoryVendor();
vendor.put('b', {
  i1: { name: 'One', kind: null, where: null },
  i2: { name: 'Two', kind: null, where: null },
});

jest.setTimeout(20_000);

/** The grants that the work uses, on rows that hold what may not leave the service. */
const used = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { sent } = await recording(() => withFault(undeclaredAttributes, work));
  return [...sent.grants].toSorted();
};

const declared = ({ worker }: { worker: { grants: readonly string[] } }): string[] =>
  [...worker.grants].toSorted();

/** An inspection of a client account, with a finding that shows a photo and a report that waits to be rendered. */
const reported = async (person: Person) => {
  const { id: client_account_id } = await newClientAccount(person);
  const { id: inspection_id } = await newInspection(person, { client_account_id });
  const form = new FormData();
  form.set('title', 'Crack');
  form.set('file', new File([new Uint8Array(await drawSignature(1))], 'crack.png'));
  const { id: document_id } = await as(person).must.post(createDocument, { form });
  const content = { media: [{ document_id, caption: 'Left side' }] };
  await as(person).must.post(createFinding, { params: { inspection_id }, body: { label: 'Crack', content } });
  await as(person).must.post(createReport, { params: { inspection_id }, body: {} });
  return { client_account_id };
};

const taskFor = async ({ caller }: Person, queue: string) =>
  (await waitingTasks(caller)).find(({ outbox }) => outbox === queue)!;

describe('each worker uses exactly its grants', () => {
  test('renderReport', async () => {
    const person = await newPerson('Renderer');
    await reported(person);
    const task = await taskFor(person, 'render');
    expect(await used(() => deliver(renderReport.handler, task))).toEqual(declared(renderReport));
  });

  test('exportReport', async () => {
    const person = await newPerson('Exporter');
    await reported(person);
    await deliver(renderReport.handler, await taskFor(person, 'render'));
    const task = (await waitingTasks(person.caller)).find(({ outbox }) => outbox === 'render')!;
    const params = { report_id: task.data['report_id'] as string };
    await as(person).must.post(createReportExport, { params, body: { format: 'zip' } });
    await as(person).must.post(createReportExport, { params, body: { format: 'csv' } });
    const [made, failing] = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'export');
    const work = async () => {
      await deliver(exportReport.handler, made!);
      await deleteReportFiles(person.caller, [params.report_id]);
      // The worker writes the dead letter of a task that failed at every attempt.
      await deliverLast(exportReport.handler, failing!);
    };
    // The test itself deletes the files.
    expect(await used(work)).toEqual([...declared(exportReport), 'bucket:DeleteObject'].toSorted());
  });

  test('makeBulkExport', async () => {
    const person = await newPerson('Bundler');
    await reported(person);
    const body = { filter: {}, format: 'html' };
    await as(person).must.post(createBulkReportExport, { body });
    const task = await taskFor(person, 'bulk');
    expect(await used(() => deliver(makeBulkExport.handler, task))).toEqual(declared(makeBulkExport));
  });

  test('handOnOutbox, with events and a task for every queue', async () => {
    const person = await newPerson('Teller');
    const { client_account_id } = await reported(person);
    const params = { ca_id: client_account_id };
    await as(person).must.delete(deleteClientAccount, { params, query: { cascade: true } });
    await tell(person);
    const other = await newInspection(person);
    await as(person).must.post(createBulkReportExport, { body: { inspection_ids: [other.id] } });
    await as(person).must.post(createReport, { params: { inspection_id: other.id }, body: {} });
    const rendering = (await waitingTasks(person.caller)).findLast(({ outbox }) => outbox === 'render')!;
    await deliver(renderReport.handler, rendering);
    const report = { report_id: rendering.data['report_id'] as string };
    await as(person).must.post(createReportExport, { params: report, body: { format: 'csv' } });
    await as(person).must.post(startSync, { params: { source_id: (await newSource(person)).id } });
    const { id } = await createWebhook(person.caller, {
      url: 'https://a.example.org/',
      types: ['*'],
      description: '',
    });
    await sendTest(person.caller, id);
    const rows = await outboxOf(person.caller);
    const Records = rows.map((row) => ({
      dynamodb: { NewImage: marshall(row, { removeUndefinedValues: true }) },
    }));
    expect(await used(() => handOnOutbox.handler({ Records } as never))).toEqual(declared(handOnOutbox));
    // The events lead to a further task, for their deliveries.
    expect((await outboxOf(person.caller)).map(({ outbox }) => outbox)).toEqual(['webhooks']);
  });

  test('sendMail', async () => {
    const person = await newPerson('Told');
    const form = new FormData();
    form.set('file', new File([new Uint8Array(await drawSignature(1))], 'logo.png'));
    await as(person).must.post(uploadLogo, { form });
    const emails = [`${crypto.randomUUID()}@client.example`];
    await tell(person, { event: 'completed', user_ids: [await newMember(person, 'Ana')], emails });
    const task = await taskFor(person, 'mail');
    const { id: inspection_id } = await newInspection(person);
    const { id: report_id } = await as(person).must.post(createReport, {
      params: { inspection_id },
      body: {},
    });
    const body = { to: ['client@example.com'] };
    await as(person).must.post(createReportEmail, { params: { report_id }, body });
    expect(await deliver(renderReport.handler, await taskFor(person, 'render'))).toBe(true);
    const rest = async () => {
      for (const each of await mailTasks(person)) expect(await deliver(sendMail.handler, each)).toBe(true);
    };
    const sent = await used(async () => {
      expect(await mailOut(person, task)).toBe(true);
      await rest();
    });
    expect(sent).toEqual(declared(sendMail));
  });

  test('notifyDue, for an inspection and an action', async () => {
    const person = await newPerson('Late');
    const due_at = new Date(Date.now() - 60_000).toISOString();
    await newInspection(person, { due_at });
    await newAction(person, { due_at });
    expect(await used(() => notifyDue.handler())).toEqual(declared(notifyDue));
  });

  test('generateInspections, also for an override that was interrupted', async () => {
    const person = await newPerson('Planner');
    const schedule = await newSchedule(person, { create_ahead_days: 1 });
    await generateInspections.handler();
    await interrupted(person, schedule, { occurrence_date: dateIn(0), action: 'skip' });
    await newSchedule(person, { create_ahead_days: 1 });
    expect(await used(() => generateInspections.handler())).toEqual(declared(generateInspections));
  });

  test('syncSource, for what is new, changed, missing, and left by a deleted source', async () => {
    const person = await newPerson('Syncer');
    const source = await newSource(person);
    const params = { source_id: source.id };
    await sync(person, source);
    vendor.put('b', { i1: { name: 'First', kind: null, where: null } });
    vendor.take('b', 'i2');
    await as(person).must.post(startSync, { params });
    const sent = await used(async () => {
      expect(await work(person)).toBe(true);
      await as(person).must.delete(deleteSource, { params });
      expect(await work(person)).toBe(true);
    });
    vendor.put('b', { i2: { name: 'Two', kind: null, where: null } });
    expect(sent).toEqual(declared(syncSource));
  });

  test('deliverWebhooks, for an endpoint that works, one that fails and one that was disabled', async () => {
    const admin = await newAdmin('Posted');
    const receiver = await newReceiver();
    process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
    await newWebhook(admin, receiver.url);
    const { id } = await newWebhook(admin, 'http://127.0.0.1:1025/');
    await emitEvents(admin, 2);
    await handOnEvents(admin);
    const work = async () => {
      for (let round = 0; round < 2; round += 1) {
        for (const task of await webhookTasksOf(admin)) {
          expect(await deliver(deliverWebhooks.handler, task)).toBe(true);
        }
      }
    };
    const sent = new Set(await used(work));
    // While the task of an endpoint waits in its queue, more events only check that it does.
    await emitEvents(admin, 1);
    await handOnEvents(admin);
    await emitEvents(admin, 1);
    await handOnEvents(admin);
    for (const grant of await used(work)) sent.add(grant);
    await updateWebhook(admin.caller, id, { status: 'disabled' });
    for (const grant of await used(work)) sent.add(grant);
    receiver.behave(answers(410));
    await emitEvents(admin, 1);
    await handOnEvents(admin);
    for (const grant of await used(work)) sent.add(grant);
    delete process.env['ALLOW_LOOPBACK_WEBHOOKS'];
    receiver.close();
    for (const { body } of receiver.received) expect(body).not.toContain(UNDECLARED);
    expect([...sent].toSorted()).toEqual(declared(deliverWebhooks));
  });

  test('takeDueWebhooks', async () => {
    const admin = await newAdmin('Forgotten');
    const { id } = await newWebhook(admin, 'https://hooks.example.org/');
    await overdue(admin, id);
    expect(await used(() => takeDueWebhooks.handler())).toEqual(declared(takeDueWebhooks));
  });

  test('startDueSyncs', async () => {
    await newSource(await newPerson('Due'), { schedule_minutes: 15 });
    expect(await used(() => startDueSyncs.handler())).toEqual(declared(startDueSyncs));
  });

  test('deleteRemains, and no more when it leaves a part for the next task', async () => {
    const person = await newPerson('Cleaner');
    const { client_account_id } = await reported(person);
    const params = { ca_id: client_account_id };
    await as(person).must.delete(deleteClientAccount, { params, query: { cascade: true } });
    const task = await taskFor(person, 'cleanup');
    const granted = declared(deleteRemains);
    const sent = await used(() => deliver(deleteRemains.handler, task));
    expect(sent.filter((grant) => !granted.includes(grant))).toEqual([]);
    expect(sent).toContain('table:DeleteItem');
  });

  test('deleteRemains, for a template family', async () => {
    const person = await newPerson('Tidier');
    const { id: family_id } = await familyOfVersions(person.key, 11);
    await as(person).must.delete(deleteFamily, { params: { family_id } });
    const task = await taskFor(person, 'cleanup');
    const sent = await used(() => deliver(deleteRemains.handler, task));
    expect(declared(deleteRemains)).toEqual(expect.arrayContaining(sent));
    expect(sent).toContain('table:DeleteItem');
  });
});
