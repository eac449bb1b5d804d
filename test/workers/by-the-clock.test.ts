import * as beginDueTransfers from '../../functions/workers/begin-due-transfers.ts';
import * as generateInspections from '../../functions/workers/generate-inspections.ts';
import * as notifyDue from '../../functions/workers/notify-due.ts';
import * as sendDueMails from '../../functions/workers/send-due-mails.ts';
import * as startDueSyncs from '../../functions/workers/start-due-syncs.ts';
import * as sweepOutbox from '../../functions/workers/sweep-outbox.ts';
import * as takeDueWebhooks from '../../functions/workers/take-due-webhooks.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import { change } from '../../shared/table/change.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { dueAt } from '../../shared/table/outbox/due.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newSource } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { scheduledTransfer } from '../locations/scenarios.ts';
import { newSchedule } from '../schedules/fixtures.ts';
import { allWorkers } from '../support/catalogue.ts';
import { useClock } from '../support/clock.ts';
import { first, impatient, installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { commit, fillDay, mailOut, newMember, tell } from '../support/notices.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newAdmin, newWebhook, overdue } from '../webhooks/fixtures.ts';

/*
 * The workers that the clock starts serve all organizations in one run. What they cannot do stays due, so nothing but
 * their failed run shows it: the alarm stands on that.
 */

installFaults();
// The mails of a day are counted: none of these tests goes on into the next one.
useClock();
impatient(100);
const vendor = useMemoryVendor();
vendor.put('b', {});

const soon = (): string => new Date(Date.now() - 60_000).toISOString();

/** Lets a row be due that would be due later. */
const letBeDue = (person: Person, key: Key, set: Record<string, unknown>): Promise<void> =>
  commit(person, [write.update(key, { set })]);

type Made = Promise<Person>;
type Row = [
  what: string,
  started: { worker: { id: string }; handler: () => Promise<void> },
  made: () => Made,
];

const DUE: Row[] = [
  [
    'an inspection of a schedule',
    generateInspections,
    async () => {
      const person = await newPerson('Planner');
      await newSchedule(person, { create_ahead_days: 1 });
      return person;
    },
  ],
  [
    'the notice of an overdue inspection',
    notifyDue,
    async () => {
      const person = await newPerson('Late');
      await newInspection(person, { due_at: soon() });
      return person;
    },
  ],
  [
    'the reminder of a contact',
    notifyDue,
    async () => {
      const person = await newPerson('Forgetful');
      const { org_id } = person.caller;
      const address = 'ben@contact.example';
      const row = { org_id, address, sent_at: null, version: 1, ...dueAt('REMINDER', address, soon()) };
      await change(person.caller, (at) => ({
        writes: [write.create({ ...keys.contactReminder(at, address), ...row })],
        reply: undefined,
      }));
      return person;
    },
  ],
  [
    'a mail that has waited',
    sendDueMails,
    async () => {
      const person = await newPerson('Patient');
      await fillDay(person, 'MEMBERS', DEFAULT_MAIL_LIMITS.to_members);
      await tell(person, { user_ids: [await newMember(person, 'Ana')] });
      const task = (await waitingTasks(person.caller)).find(({ outbox }) => outbox === 'mail');
      await mailOut(person, task!);
      const partition = keys.waitingMail.partition(person.caller);
      const [waiting] = await Array.fromAsync(queryRows(person.caller, { partition }));
      await letBeDue(person, write.keyOf(waiting!), { by_due_at: soon() });
      return person;
    },
  ],
  [
    'the week of a client account',
    sendDueMails,
    async () => {
      const person = await newPerson('Weekly');
      await newClientAccount(person, { digest: { email: 'cara@example.com' } });
      return person;
    },
  ],
  [
    'a sync',
    startDueSyncs,
    async () => {
      const person = await newPerson('Syncer');
      await newSource(person, { schedule_minutes: 60 });
      return person;
    },
  ],
  [
    'an endpoint',
    takeDueWebhooks,
    async () => {
      const admin = await newAdmin('Forgotten');
      const { id } = await newWebhook(admin, 'https://hooks.example.org/');
      await overdue(admin, id);
      return admin;
    },
  ],
  [
    'the transfer of a location',
    beginDueTransfers,
    async () => {
      const person = await newPerson('Mover');
      const { id } = await scheduledTransfer(person);
      await letBeDue(person, keys.one(person.caller, 'TRANSFER', id!), { by_due_at: soon() });
      return person;
    },
  ],
  [
    'a task that the stream has left',
    sweepOutbox,
    async () => {
      const person = await newPerson('Swept');
      await tell(person);
      for (const { id } of await waitingTasks(person.caller))
        await letBeDue(person, keys.outbox(person.caller, id), { by_due_at: soon() });
      return person;
    },
  ],
];

/** What one organization changes is refused, and so is what goes to queues. */
const refusing = ({ caller: { org_id } }: Person, times: number) =>
  on(
    ({ client, input }) =>
      client === 'SQSClient' || ('TransactItems' in input && JSON.stringify(input).includes(org_id)),
    first(times, () =>
      Promise.reject(sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } })),
    ),
  );

test('each worker of the clock is among them', () => {
  const ids = allWorkers().flatMap(({ id, source }) => ('every' in source ? [id] : []));
  expect(new Set(DUE.map(([, { worker }]) => worker.id))).toEqual(new Set(ids));
});

test.each(DUE)('the run fails that cannot do %s, and the next one does not', async (_, started, made) => {
  const person = await made();
  // A schedule that fails is put off, by another change.
  const times = started === generateInspections ? 1 : Infinity;
  await expect(withFault(refusing(person, times), started.handler)).rejects.toThrow('1 ');
  await started.handler();
});
