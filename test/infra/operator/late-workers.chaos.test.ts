import { handler as deleteRemains } from '../../../functions/workers/delete-remains.ts';
import { handler as deliverWebhooks } from '../../../functions/workers/deliver-webhooks.ts';
import { handler as exportReport } from '../../../functions/workers/export-report.ts';
import { handler as generateInspections } from '../../../functions/workers/generate-inspections.ts';
import { handler as makeBulkExport } from '../../../functions/workers/make-bulk-export.ts';
import { handler as renderReport } from '../../../functions/workers/render-report.ts';
import { handler as sendMail } from '../../../functions/workers/send-mail.ts';
import { handler as syncSource } from '../../../functions/workers/sync-source.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { LATE_WRITES } from '../../../infra/operator/organizations/delete.ts';
import { getObject, putObject } from '../../../shared/files/objects.ts';
import { allObjects } from '../../../shared/files/organization-files.ts';
import { handOn } from '../../../shared/outside/hand-on.ts';
import { putRows } from '../../../shared/table/bulk.ts';
import type { OutboxRow } from '../../../shared/table/entities/machinery.ts';
import type { Stored } from '../../../shared/table/forms.ts';
import { scanPage } from '../../../shared/table/scan.ts';
import { notifyOfDeadlines } from '../../../shared/upkeep/due-notices.ts';
import { newInspections } from '../../bulk-changes/fixtures.ts';
import { newAction } from '../../corrective-actions/fixtures.ts';
import { newClient, newInspection } from '../../inspections/fixtures.ts';
import { newSource } from '../../integrations/fixtures.ts';
import { useMemoryVendor } from '../../integrations/memory-vendor.ts';
import { render } from '../../public/fixtures.ts';
import { newSchedule } from '../../schedules/fixtures.ts';
import { impatient, installFaults, withFault } from '../../support/faults.ts';
import { newMember, tell } from '../../support/notices.ts';
import { deliver, outboxOf, waitingTasks } from '../../support/outbox.ts';
import { betweenSome } from '../../support/places.ts';
import { publishedFamily } from '../../templates/fixtures.ts';
import {
  type Admin,
  emitEvents,
  handOnEvents,
  newAdmin,
  newReceiver,
  newWebhook,
  type Receiver,
} from '../../webhooks/fixtures.ts';

jest.mock('../../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../../support/undrawn.ts'));

installFaults();
impatient(50);

const { 'org delete': deleting } = commands;

let admin: Admin;
let receiver: Receiver;
let outbox: OutboxRow[];
/** All of the organization, as it is before each piece of work. */
let rows: Stored[];
let files: (readonly [key: string, bytes: Uint8Array])[];

const allRows = async (org?: string): Promise<Stored[]> => {
  const found: Stored[] = [];
  let page = await scanPage(undefined, 1_000, org);
  for (; page.next; page = await scanPage(page.next, 1_000, org)) found.push(...page.rows);
  return [...found, ...page.rows];
};

/** The worker of a queue with the newest task that waits for it. It must accept that, unless the deletion comes first. */
const task =
  (handler: Parameters<typeof deliver>[0], queue: string, part: string) => async (): Promise<void> => {
    const found = outbox.findLast((row) => row.outbox === queue && JSON.stringify(row).includes(part));
    if (!(await deliver(handler, found!))) throw new Error(`not accepted: ${part}`);
  };

const IN_TWO_HOURS = 7_200_000;

/** What works for an organization without being asked by a request. */
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  'a report is rendered': task(renderReport, 'render', 'report_id'),
  'a file of a report is made': task(exportReport, 'export', 'export_id'),
  'a bulk export is made': task(makeBulkExport, 'bulk', 'bulk_export_id'),
  'a bulk change is carried out': task(deleteRemains, 'cleanup', 'bulk_change_id'),
  'what a client account has is deleted': task(deleteRemains, 'cleanup', 'client_account_id'),
  'a notice is mailed': task(sendMail, 'mail', '"notice"'),
  'a contact is mailed': task(sendMail, 'mail', '"contact_link"'),
  'a report is mailed': task(sendMail, 'mail', '"report"'),
  'an event is given to endpoints': task(deliverWebhooks, 'webhooks', '"fan_out"'),
  'events are sent to an endpoint': task(deliverWebhooks, 'webhooks', '"deliver"'),
  'a source is synced': task(syncSource, 'sync', '"sync"'),
  'events are counted and numbered': () => handOn(outbox.filter((row) => row.outbox === 'event')),
  'the inspections of a schedule are created': () => generateInspections(),
  'members are told of deadlines': () => notifyOfDeadlines(new Date(Date.now() + IN_TWO_HOURS), 60_000),
};

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
  receiver = await newReceiver();
  const vendor = useMemoryVendor();
  vendor.put('b', { one: { name: 'One', kind: null, where: null } });
  admin = await newAdmin('Late');
  const ana = await newMember(admin, 'Ana');
  await newWebhook(admin, receiver.url);
  await emitEvents(admin, 2);
  await handOnEvents(admin);
  const fanOut = (await waitingTasks(admin.caller)).find((row) => row.outbox === 'webhooks');
  await deliver(deliverWebhooks, fanOut!);
  const source = await newSource(admin);
  await admin.integrations.startSync({ params: { source_id: source.id } });
  const { id: client_account_id } = await newClient(admin);
  await newInspection(admin, { client_account_id });
  const family = await publishedFamily(admin.key);
  const [one, two] = await newInspections(admin, family, 2, () => ({
    tags: ['bulk'],
    due_at: new Date(Date.now() + IN_TWO_HOURS / 2).toISOString(),
    participants: [{ user_id: ana, role: 'lead' }],
  }));
  const { id: ready } = await admin.reports.create({ params: { inspection_id: one!.id } });
  await render(admin, ready);
  await admin.reports.createExport({ params: { report_id: ready }, body: { format: 'csv' } });
  await admin.reports.createEmail({ params: { report_id: ready }, body: { to: ['client@late.example'] } });
  await admin.reports.create({ params: { inspection_id: two!.id } });
  await admin.reports.createBulkExport({ body: { inspection_ids: [two!.id], format: 'html' } });
  await admin.bulkChanges.create({
    body: {
      resource: 'inspections',
      filter: { tag: ['bulk'] },
      action: { type: 'reassign', to: ana },
      dry_run: false,
    },
  });
  await newAction(admin, { contact: { email: 'cara@late.example' } });
  await tell(admin, { user_ids: [ana] });
  await newSchedule(admin, { create_ahead_days: 1, assignee_ids: [ana] });
  await admin.clientAccounts.delete({ params: { ca_id: client_account_id }, query: { cascade: true } });
  outbox = await outboxOf(admin.caller);
  rows = await allRows(admin.caller.org_id);
  files = [];
  for await (const key of allObjects(admin.caller)) files.push([key, (await getObject(admin.caller, key))!]);
});

afterAll(() => {
  receiver.close();
  delete process.env['ALLOW_LOOPBACK_WEBHOOKS'];
});

/** A deletion whose first sweep is done while something is still under way. */
const newDeletion = () => {
  const [swept, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  LATE_WRITES.wait = async () => {
    swept.resolve();
    await ended.promise;
  };
  let running: Promise<unknown> | undefined;
  return {
    begin: async () => {
      running = withFault(
        ({ send }) => send(),
        () => deleting.run({ org: admin.caller.org_id, yes: true, now: true, rate: 100_000 }),
      );
      await Promise.race([swept.promise, running]);
    },
    end: async () => {
      ended.resolve();
      await running;
    },
  };
};

test.each(Object.keys(WORK))('nothing is left of an organization that is deleted while %s', async (name) => {
  let done = 0;
  await betweenSome({
    prepare: async () => {
      await putRows(rows);
      for (const [key, bytes] of files) await putObject(admin.caller, key, bytes, 'text/plain');
      return newDeletion();
    },
    work: () =>
      WORK[name]!().then(
        () => (done += 1),
        () => undefined,
      ),
    act: ({ begin }) => begin(),
    check: async ({ end }) => {
      await end();
      const { org_id } = admin.caller;
      expect((await allRows()).filter((row) => JSON.stringify(row).includes(org_id))).toEqual([]);
      expect(await Array.fromAsync(allObjects(admin.caller))).toEqual([]);
    },
  });
  // Nothing but the deletion keeps it from being done.
  expect(done).toBeGreaterThan(0);
});
