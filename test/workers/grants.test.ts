import { marshall } from '@aws-sdk/util-dynamodb';
import * as beginDueTransfers from '../../functions/workers/begin-due-transfers.ts';
import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as deliverWebhooks from '../../functions/workers/deliver-webhooks.ts';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as generateInspections from '../../functions/workers/generate-inspections.ts';
import * as handOnOutbox from '../../functions/workers/hand-on-outbox.ts';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as notifyDue from '../../functions/workers/notify-due.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as sendDueMails from '../../functions/workers/send-due-mails.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import * as startDueSyncs from '../../functions/workers/start-due-syncs.ts';
import * as sweepOutbox from '../../functions/workers/sweep-outbox.ts';
import * as syncSource from '../../functions/workers/sync-source.ts';
import * as takeDueWebhooks from '../../functions/workers/take-due-webhooks.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { TASK_QUEUES } from '../../shared/base/queues.ts';
import * as addresses from '../../shared/organizations/addresses/addresses.ts';
import { deleteReportFiles } from '../../shared/reports/files.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { OutboxRow } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { dueAt } from '../../shared/table/outbox/due.ts';
import { enqueue } from '../../shared/table/outbox/outbox.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { sendTest } from '../../shared/webhooks/deliveries.ts';
import { createWebhook, updateWebhook } from '../../shared/webhooks/endpoints.ts';
import { hidingInspection, turnedByStart, workedInspection } from '../answers/hiding.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { completedAction, newAction } from '../corrective-actions/fixtures.ts';
import { completedInspection, newInspection, newLocation } from '../inspections/fixtures.ts';
import { leaveRun, newSource, sync, work } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { newIssue, newLink } from '../issues/fixtures.ts';
import { scheduledTransfer } from '../locations/scenarios.ts';
import { newWitnessLink } from '../public/fixtures.ts';
import { dateIn, generateAt, inspectionsOf, interrupted, newSchedule } from '../schedules/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, UNDECLARED, undeclaredAttributes, withFault } from '../support/faults.ts';
import { commit, fillDay, mailOut, mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, deliverLast, outboxOf, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { expectRecorded, usesOfWorker } from '../support/recorded.ts';
import { installRecorder, type Recording, recording } from '../support/recorder.ts';
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
// The mails of a day are counted: none of these tests goes on into the next one.
useClock();
const vendor = useMemoryVendor();
vendor.put('b', {
  i1: { name: 'One', kind: null, where: null },
  i2: { name: 'Two', kind: null, where: null },
});

/** What a run of a worker sends, on rows that hold what may not leave the service. */
const sentBy = async (run: () => Promise<unknown>): Promise<Recording> =>
  (await recording(() => withFault(undeclaredAttributes, run))).sent;

/** Expects that these runs of a worker together use what is recorded of it. */
const expectUses = ({ worker }: { worker: { id: string } }, ...sent: Recording[]): void =>
  expectRecorded(worker.id, usesOfWorker(sent));

/** Delivers a task, which the worker must accept. */
const accept = async (...task: Parameters<typeof deliver>): Promise<void> => {
  expect(await deliver(...task)).toBe(true);
};

/** An inspection of a client account, with a finding that shows a photo and a report that waits to be rendered. */
const reported = async (person: Person) => {
  const { id: client_account_id } = await newClientAccount(person);
  const { id: inspection_id } = await newInspection(person, { client_account_id });
  const form = new FormData();
  form.set('title', 'Crack');
  form.set('file', new File([new Uint8Array(await drawSignature(1))], 'crack.png'));
  const { id: document_id } = await person.documents.create({ form });
  const content = { media: [{ document_id, caption: 'Left side' }] };
  await person.findings.create({ params: { inspection_id }, body: { label: 'Crack', content } });
  await person.reports.create({ params: { inspection_id }, body: {} });
  return { client_account_id };
};

/** An outbox with events, and with a task for every queue. */
const filledOutbox = async (person: Person): Promise<OutboxRow[]> => {
  const { client_account_id } = await reported(person);
  // Its answers are counted.
  await completedInspection(person);
  const params = { ca_id: client_account_id };
  await person.clientAccounts.delete({ params, query: { cascade: true } });
  await tell(person);
  const other = await newInspection(person);
  await person.reports.createBulkExport({ body: { inspection_ids: [other.id] } });
  await person.reports.create({ params: { inspection_id: other.id }, body: {} });
  const rendering = (await waitingTasks(person.caller)).findLast(({ outbox }) => outbox === 'render')!;
  await deliver(renderReport.handler, rendering);
  const report = { report_id: rendering.data['report_id'] as string };
  await person.reports.createExport({ params: report, body: { format: 'csv' } });
  await person.integrations.startSync({ params: { source_id: (await newSource(person)).id } });
  const { id } = await createWebhook(person.caller, {
    url: 'https://a.example.org/',
    types: ['*'],
    description: '',
  });
  await sendTest(person.caller, id);
  const rows = await outboxOf(person.caller);
  expect(new Set(rows.map(({ outbox }) => outbox))).toEqual(new Set(['event', ...TASK_QUEUES]));
  return rows;
};

const taskFor = async ({ caller }: Person, queue: string) =>
  (await waitingTasks(caller)).find(({ outbox }) => outbox === queue)!;

describe('each worker', () => {
  test('renderReport, uses what is recorded', async () => {
    const person = await newPerson('Renderer');
    await reported(person);
    const task = await taskFor(person, 'render');
    expectUses(renderReport, await sentBy(() => deliver(renderReport.handler, task)));
  });

  test('exportReport, uses what is recorded', async () => {
    const person = await newPerson('Exporter');
    await reported(person);
    await deliver(renderReport.handler, await taskFor(person, 'render'));
    const task = (await waitingTasks(person.caller)).find(({ outbox }) => outbox === 'render')!;
    const params = { report_id: task.data['report_id'] as string };
    await person.reports.createExport({ params, body: { format: 'zip' } });
    await person.reports.createExport({ params, body: { format: 'csv' } });
    const [made, failing] = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'export');
    const sent = await sentBy(() => deliver(exportReport.handler, made!));
    await deleteReportFiles(person.caller, [params.report_id]);
    // The worker writes the dead letter of a task that failed at every attempt.
    expectUses(exportReport, sent, await sentBy(() => deliverLast(exportReport.handler, failing!)));
  });

  test('makeBulkExport, uses what is recorded', async () => {
    const person = await newPerson('Bundler');
    await reported(person);
    const body = { filter: {}, include_unanswered: true, format: 'html' };
    await person.reports.createBulkExport({ body });
    const task = await taskFor(person, 'bulk');
    expectUses(makeBulkExport, await sentBy(() => deliver(makeBulkExport.handler, task)));
  });

  test('handOnOutbox, with events and a task for every queue, uses what is recorded', async () => {
    const person = await newPerson('Teller');
    const Records = (await filledOutbox(person)).map((row) => ({
      dynamodb: { NewImage: marshall(row, { removeUndefinedValues: true }) },
    }));
    expectUses(handOnOutbox, await sentBy(() => handOnOutbox.handler({ Records } as never)));
    // The events lead to a further task, for their deliveries.
    expect((await outboxOf(person.caller)).map(({ outbox }) => outbox)).toEqual(['webhooks']);
  });

  test('sweepOutbox, with the same that the stream has left, uses what is recorded', async () => {
    const person = await newPerson('Swept');
    const by_due_at = new Date(Date.now() - 600_000).toISOString();
    for (const { id } of await filledOutbox(person)) {
      const due = write.update(keys.outbox(person.caller, id), { set: { by_due_at } });
      await change(person.caller, () => ({ writes: [due], reply: undefined }));
    }
    expectUses(sweepOutbox, await sentBy(() => sweepOutbox.handler()));
    expect((await outboxOf(person.caller)).map(({ outbox }) => outbox)).toEqual(['webhooks']);
  });

  test('sendMail, uses what is recorded', async () => {
    const person = await newPerson('Told');
    const form = new FormData();
    form.set('file', new File([new Uint8Array(await drawSignature(1))], 'logo.png'));
    await person.organization.uploadLogo({ form });
    const emails = [`${crypto.randomUUID()}@client.example`];
    await tell(person, { event: 'completed', user_ids: [await newMember(person, 'Ana')], emails });
    const task = await taskFor(person, 'mail');
    const { id: inspection_id } = await newInspection(person);
    const { id: report_id } = await person.reports.create({
      params: { inspection_id },
      body: {},
    });
    const body = { to: ['client@example.com'] };
    await person.reports.createEmail({ params: { report_id }, body });
    expect(await deliver(renderReport.handler, await taskFor(person, 'render'))).toBe(true);
    const address = `${crypto.randomUUID()}@contact.example`;
    await newAction(person, { contact: { email: address }, due_at: new Date().toISOString() });
    await change(person.caller, (at) => ({
      writes: [enqueue(at, 'mail', { what: 'contact_reminder', reminder_id: report_id, address })],
      reply: undefined,
    }));
    await newWitnessLink(person, { email: address });
    const rest = async () => {
      // A link's mail compares an object with what was read, which the undeclared attributes are in.
      const tasks = (await mailTasks(person)).filter(({ data }) => data['what'] !== 'contact_link');
      for (const each of tasks) expect(await deliver(sendMail.handler, each)).toBe(true);
    };
    const digest = { email: 'cara@example.com' };
    const { id: client_account_id } = await newClientAccount(person, { digest });
    await addresses.answer(person.caller, digest.email, 'confirmed');
    await completedInspection(person, { client_account_id });
    const [from, to] = [dateIn(-1), dateIn(2)];
    const told = { what: 'client_digest', client_account_id, from, to } as const;
    await commit(person, [enqueue(workOf(person.caller), 'mail', told)]);
    const sent = await sentBy(async () => {
      expect(await mailOut(person, task)).toBe(true);
      await rest();
    });
    expectUses(sendMail, sent);
  });

  /** A certificate that is to be reminded of now, or has expired. */
  const endingCertificate = async (person: Person, due_at: string, isOver: boolean): Promise<void> => {
    const { certificate } = await newCertificate(person);
    const { id, expires_at } = certificate;
    await change(person.caller, (at) => ({
      writes: [
        write.update(keys.certificateExpiry(at, expires_at, id), { set: dueAt('DEADLINE', id, due_at) }),
        ...(isOver
          ? [write.update(keys.one(at, 'CERTIFICATE', id), { set: { expires_at: due_at, remind_at: [] } })]
          : []),
      ],
      reply: undefined,
    }));
  };

  test('notifyDue, for inspections, an action and certificates, uses what is recorded', async () => {
    const person = await newPerson('Late');
    const due_at = new Date(Date.now() - 60_000).toISOString();
    await newInspection(person, { due_at });
    const schedule = await newSchedule(person, { create_ahead_days: 1, window: { miss_after: 'PT1H' } });
    await generateAt(person, 0);
    const [missed] = await inspectionsOf(person, schedule);
    await endingCertificate(person, due_at, false);
    await endingCertificate(person, due_at, true);
    const contact = { email: 'cara@contact.example' };
    await newAction(person, { due_at, contact });
    const reminder = {
      org_id: person.caller.org_id,
      address: 'ben@contact.example',
      sent_at: null,
      version: 1,
    };
    await change(person.caller, (at) => ({
      writes: [
        write.update(keys.unstarted(at, schedule.id, missed!.id), { set: { by_due_at: due_at } }),
        // Its action is gone.
        write.create({
          ...keys.actionDue(at, due_at, person.adminId),
          org_id: person.caller.org_id,
          inspection_id: person.adminId,
          corrective_action_id: person.adminId,
          due_at,
          version: 1,
          ...dueAt('DEADLINE', person.adminId, due_at),
        }),
        write.create({
          ...keys.contactReminder(at, reminder.address),
          ...reminder,
          ...dueAt('REMINDER', reminder.address, due_at),
        }),
      ],
      reply: undefined,
    }));
    const escalation = ['assignee', 'admins', 'place:manager'].map((to) => ({ after: 'P0D', to }));
    await newAction(person, { due_at, escalation });
    expectUses(notifyDue, await sentBy(() => notifyDue.handler()));
  });

  test('generateInspections, at a location and at many places, and for an override that was interrupted, uses what is recorded', async () => {
    const person = await newPerson('Planner');
    const schedule = await newSchedule(person, { create_ahead_days: 1 });
    await generateInspections.handler();
    await interrupted(person, schedule, { occurrence_date: dateIn(0), action: 'skip' });
    const { id } = await newLocation(person);
    await newSchedule(person, { create_ahead_days: 1, location_ids: [id] });
    const people = [{ user_id: person.caller.user_id, role: 'inspector' }];
    await person.locations.update({ params: { location_id: id }, body: { people } });
    await newSchedule(person, { create_ahead_days: 1, places: { within: id }, assignees: 'by_place' });
    await newSchedule(person, { create_ahead_days: 1, places: { location_ids: [id] } });
    expectUses(generateInspections, await sentBy(() => generateInspections.handler()));
  });

  test('syncSource, for what is new, changed, missing, and left by a deleted source, uses what is recorded', async () => {
    const person = await newPerson('Syncer');
    const source = await newSource(person);
    const params = { source_id: source.id };
    await sync(person, source);
    vendor.put('b', { i1: { name: 'First', kind: null, where: null } });
    vendor.take('b', 'i2');
    await person.integrations.startSync({ params });
    const run = async () => expect(await work(person)).toBe(true);
    const sent = await sentBy(run);
    await person.integrations.deleteSource({ params });
    expectUses(syncSource, sent, await sentBy(run));
    vendor.put('b', { i2: { name: 'Two', kind: null, where: null } });
  });

  test('deliverWebhooks, for an endpoint that works, one that fails and one that was disabled, uses what is recorded', async () => {
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
    const sent = [await sentBy(work)];
    // While the task of an endpoint waits in its queue, more events only check that it does.
    await emitEvents(admin, 1);
    await handOnEvents(admin);
    await emitEvents(admin, 1);
    await handOnEvents(admin);
    sent.push(await sentBy(work));
    await updateWebhook(admin.caller, id, { status: 'disabled' });
    sent.push(await sentBy(work));
    receiver.behave(answers(410));
    await emitEvents(admin, 1);
    await handOnEvents(admin);
    sent.push(await sentBy(work));
    delete process.env['ALLOW_LOOPBACK_WEBHOOKS'];
    receiver.close();
    for (const { body } of receiver.received) expect(body).not.toContain(UNDECLARED);
    expectUses(deliverWebhooks, ...sent);
  });

  test('takeDueWebhooks, uses what is recorded', async () => {
    const admin = await newAdmin('Forgotten');
    const { id } = await newWebhook(admin, 'https://hooks.example.org/');
    await overdue(admin, id);
    expectUses(takeDueWebhooks, await sentBy(() => takeDueWebhooks.handler()));
  });

  test('startDueSyncs, also for a run that its workers have left, uses what is recorded', async () => {
    const person = await newPerson('Due');
    await newSource(person, { schedule_minutes: 15 });
    await leaveRun(person, await newSource(person));
    expectUses(startDueSyncs, await sentBy(() => startDueSyncs.handler()));
  });

  test('beginDueTransfers, uses what is recorded', async () => {
    const person = await newPerson('Transfers');
    const { id } = await scheduledTransfer(person);
    const isDue = write.update(keys.one(person.caller, 'TRANSFER', id!), {
      set: { by_due_at: new Date().toISOString() },
    });
    await change(person.caller, () => ({ writes: [isDue], reply: undefined }));
    expectUses(beginDueTransfers, await sentBy(() => beginDueTransfers.handler()));
  });

  test('sendDueMails, also for a digest, uses what is recorded', async () => {
    const person = await newPerson('Patient');
    await fillDay(person, 'MEMBERS', DEFAULT_MAIL_LIMITS.to_members);
    await tell(person, { user_ids: [await newMember(person, 'Ana')] });
    expect(await mailOut(person, await taskFor(person, 'mail'))).toBe(true);
    const partition = keys.waitingMail.partition(person.caller);
    const [waiting] = await Array.fromAsync(queryRows(person.caller, { partition }));
    const isDue = write.update(write.keyOf(waiting!), { set: { by_due_at: new Date().toISOString() } });
    await change(person.caller, () => ({ writes: [isDue], reply: undefined }));
    await newClientAccount(person, { digest: { email: 'cara@example.com' } });
    expectUses(sendDueMails, await sentBy(() => sendDueMails.handler()));
  });

  test('deleteRemains, of a client account with a report and of a template family, for schedules of a location, and of a merge, a transfer, bulk changes and hidden questions, uses what is recorded', async () => {
    const person = await newPerson('Cleaner');
    const { client_account_id } = await reported(person);
    const params = { ca_id: client_account_id };
    await person.clientAccounts.delete({ params, query: { cascade: true } });
    const { id: family_id } = await familyOfVersions(person.key, 11);
    await person.families.delete({ params: { family_id } });
    const { id: location_id } = await newLocation(person);
    await newSchedule(person, { create_ahead_days: 1, location_ids: [location_id] });
    await generateInspections.handler();
    await person.locations.update({ params: { location_id }, body: { status: 'inactive' } });
    const [former, target] = [await newLocation(person), await newLocation(person)];
    await newInspection(person, { location_id: former.id });
    await person.locations.merge({ params: { location_id: former.id }, body: { into: target.id } });
    const { id: yard } = await newLocation(person, (await newClientAccount(person)).id);
    await newInspection(person, { location_id: yard });
    await newIssue(person, { location_id: yard });
    await newLink(person, { location_id: yard });
    await person.locations.transfer({ params: { location_id: yard }, body: { client_account_id: null } });
    await completedAction(person);
    const asset = await person.assets.create({ body: { name: 'Lift' } });
    await newInspection(person, { asset_id: asset.id });
    const bulk = (resource: string, action: object) =>
      person.bulkChanges.create({ body: { resource, filter: {}, action, dry_run: false } });
    await bulk('corrective_actions', { type: 'verify', resolve_finding: true });
    await bulk('assets', { type: 'archive' });
    await bulk('schedules', { type: 'archive' });
    await bulk('inspections', { type: 'move', location_id: target.id });
    await turnedByStart(person, await hidingInspection(person), 'short');
    await turnedByStart(person, await workedInspection(person), 'short');
    const shown = await hidingInspection(person, [], { start_answers: { kind: 'short' } });
    await turnedByStart(person, shown, 'full');
    const sent: Recording[] = [];
    // A task can leave a part, and the files of reports, to a further one.
    for (let done = 0; ; done += 1) {
      const task = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup')[done];
      if (!task) break;
      sent.push(await sentBy(() => accept(deleteRemains.handler, task)));
    }
    expectUses(deleteRemains, ...sent);
  });
});
