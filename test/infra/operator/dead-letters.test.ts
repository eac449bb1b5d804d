import { handler as notifyDue } from '../../../functions/workers/notify-due.ts';
import { handler as sendMail } from '../../../functions/workers/send-mail.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { handOn } from '../../../shared/outside/hand-on.ts';
import { change } from '../../../shared/table/change.ts';
import type { DeadLetter, OutboxRow, OutboxTask } from '../../../shared/table/entities/machinery.ts';
import { keys } from '../../../shared/table/keys.ts';
import { deadLetter } from '../../../shared/table/outbox/dead-letters.ts';
import { getRow, queryRows, type Row } from '../../../shared/table/rows.ts';
import * as write from '../../../shared/table/writes.ts';
import { newInspection } from '../../inspections/fixtures.ts';
import { mailTasks, newMember, tell } from '../../support/notices.ts';
import { deliver, notedEvent, outboxOf, waitingTasks } from '../../support/outbox.ts';
import { auditOf, newPerson, type Person } from '../../support/people.ts';
import { operatorWithin } from '../../support/processes/operator.ts';

let person: Person;
let org: string;

beforeEach(async () => {
  person = await newPerson('Lettered');
  org = person.caller.org_id;
});

const list = commands['dead-letters list'].run;
const redrive = (options: { org?: string; id?: string; what?: 'event'; all?: boolean }) =>
  commands['dead-letters redrive'].run({ all: false, ...options });
const drop = commands['dead-letters drop'].run;

/** Makes dead letters of rows of the outbox, as their last refusal does. */
const giveUp = async (rows: readonly OutboxRow[]): Promise<void> => {
  const { caller } = person;
  for (const row of rows) {
    const { id, outbox: what } = row;
    const letter = { id, what, reason: 'it is too long', attempts: 6, work: { ...row, attempts: 5 } };
    await change(caller, (work) => ({
      writes: [write.drop(keys.outbox(work, id)), deadLetter(work, letter)],
      reply: null,
    }));
  }
};

const deadMail = async (): Promise<OutboxTask> => {
  await tell(person, { user_ids: [await newMember(person, 'Ana')] });
  const [task] = await mailTasks(person);
  await giveUp([task!]);
  return task!;
};

/** An overdue inspection whose notifications have failed at every attempt. */
const deadDeadline = async () => {
  const { caller } = person;
  const inspection = await newInspection(person, { due_at: '2020-01-01T00:00:00.000Z' });
  const [row] = await Array.fromAsync(queryRows(caller, { partition: keys.due.partition(caller) }));
  const { by_due: _, by_due_at: _at, ...kept } = row!;
  const letter = {
    id: inspection.id,
    what: 'deadline' as const,
    reason: 'no',
    attempts: 6,
    work: { ...row! } as Record<string, unknown>,
  };
  await change(caller, (work) => ({
    writes: [write.put<object>(kept), deadLetter(work, letter)],
    reply: null,
  }));
  return inspection;
};

const letterOf = (id: string): Promise<DeadLetter | undefined> =>
  getRow(person.caller, keys.deadLetter(person.caller, id));

const mailsOf = async () => (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'mail');

describe('dead-letters list', () => {
  test('shows the kind, organization, reason and age of each, of one organization or of all', async () => {
    const { id } = await deadMail();
    const failed_at = new Date(Date.now() - (25 * 60 + 2) * 60_000 - 1_000).toISOString();
    const aged = write.update(keys.deadLetter(person.caller, id), { set: { failed_at } });
    await change(person.caller, () => ({ writes: [aged], reply: null }));
    const letter = {
      id,
      org_id: org,
      what: 'mail',
      reason: 'it is too long',
      attempts: 6,
      failed_at,
      age: '1 d 1 h 2 min',
    };
    expect(await list({ org })).toEqual([letter]);
    expect(await list({ org, what: 'render' })).toEqual([]);
    expect(await list({ org: (await newPerson('Other')).caller.org_id })).toEqual([]);
    expect(await list({})).toContainEqual(letter);
  });
});

describe('dead-letters redrive', () => {
  test('puts a task back as it was, once, and records who did', async () => {
    const task = await deadMail();
    expect(await redrive({ org, id: task.id })).toEqual([
      { id: task.id, org_id: org, what: 'mail', state: 'redriven' },
    ]);
    const [again] = await mailsOf();
    expect(again).toMatchObject({ id: task.id, data: task.data, occurred_at: task.occurred_at });
    expect(again).toMatchObject({ outbox: 'mail', by_due: task.by_due });
    expect(again!.attempts).toBeUndefined();
    expect(await letterOf(task.id)).toBeUndefined();
    await expect(redrive({ org, id: task.id })).rejects.toMatchObject({ status: 404 });
    expect(await deliver(sendMail, again!)).toBe(true);
    expect((await auditOf(person)).at(-1)).toMatchObject({
      action: 'dead_letter.redriven',
      target_id: task.id,
      actor_id: 'operator',
    });
  });

  test('puts a task back once when five do it at the same time', async () => {
    const { id } = await deadMail();
    const done = await Promise.allSettled(Array.from({ length: 5 }, () => redrive({ org, id })));
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await mailsOf()).toHaveLength(1);
  });

  test('leaves a task alone that is still in the outbox', async () => {
    const task = await deadMail();
    await change(person.caller, () => ({
      writes: [write.create<object>(task as Row<OutboxRow>)],
      reply: null,
    }));
    expect(await redrive({ org, id: task.id })).toMatchObject([{ state: 'obsolete' }]);
    expect(await mailsOf()).toEqual([task]);
    expect(await letterOf(task.id)).toBeUndefined();
  });

  test('gives events the next numbers, in the order in which they occurred', async () => {
    const occur = async (...numbers: number[]): Promise<OutboxRow[]> => {
      const writes = numbers.map((number) => notedEvent(person.caller, number));
      await change(person.caller, () => ({ writes, reply: null }));
      return outboxOf(person.caller);
    };
    const lost = await occur(1, 2, 3);
    await giveUp(lost.toReversed());
    await handOn(await occur(4));
    expect((await redrive({ org, what: 'event' })).map(({ id }) => id)).toEqual(lost.map(({ id }) => id));
    await handOn(await outboxOf(person.caller));
    const events: { sequence: number; data: { note: string } }[] = await person.events.list();
    expect(events.map(({ data }) => data.note)).toEqual(['4', '1', '2', '3']);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, position) => position + 1));
  });

  test('makes a deadline due again, and its members are notified once', async () => {
    const { id } = await deadDeadline();
    const told = async () => (await person.notifications.listMy()).items.length;
    await notifyDue();
    expect(await told()).toBe(0);
    expect(await redrive({ org })).toMatchObject([{ id, what: 'deadline', state: 'redriven' }]);
    await notifyDue();
    await notifyDue();
    expect([await told(), await letterOf(id)]).toEqual([1, undefined]);
  });

  test('has nothing left to do for the deadline of a deleted inspection', async () => {
    const { id } = await deadDeadline();
    await person.inspections.delete({ params: { inspection_id: id } });
    expect(await redrive({ org, id })).toMatchObject([{ state: 'obsolete' }]);
    expect(await list({ org })).toEqual([]);
  });
});

describe('dead-letters drop', () => {
  test('deletes one, shows it, and records who did', async () => {
    const { id } = await deadMail();
    expect(await drop({ org, id })).toMatchObject({ id, what: 'mail', state: 'dropped' });
    expect([await mailsOf(), await list({ org })]).toEqual([[], []]);
    await expect(drop({ org, id })).rejects.toMatchObject({ status: 404 });
    expect((await auditOf(person)).at(-1)).toMatchObject({ action: 'dead_letter.dropped', target_id: id });
  });
});

describe('the command line', () => {
  test('prints JSON, and wants to know which letters to redrive', async () => {
    const { id } = await deadMail();
    const { out } = await operatorWithin('dead-letters', 'redrive', '--org', org, '--id', id, '--json');
    expect(JSON.parse(out)).toMatchObject([{ id, state: 'redriven' }]);
    expect(await operatorWithin('dead-letters', 'redrive')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('--all'),
    });
    expect(await operatorWithin('dead-letters', 'redrive', '--id', id)).toMatchObject({
      code: 2,
      complained: expect.stringContaining('--org'),
    });
  });
});
