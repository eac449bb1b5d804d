import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { handler as generateInspections } from '../../functions/workers/generate-inspections.ts';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import { change } from '../../shared/table/change.ts';
import type { DueRows } from '../../shared/table/entities/kinds.ts';
import type { DeadLetter, OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { MAX_ATTEMPTS } from '../../shared/table/outbox/dead-letters.ts';
import { getRow, queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { inspectionsOf, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { impatient, installFaults, on, sdkError, timeout, withFault } from '../support/faults.ts';
import { lettersLogged } from '../support/logged.ts';
import { mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, deliverLast } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();
impatient(100);

let person: Person;
let other: Person;

beforeEach(async () => {
  [person, other] = await Promise.all([newPerson('Ash'), newPerson('Birch')]);
});

const letterOf = ({ caller }: Person, id: string) => getRow(caller, keys.deadLetter(caller, id));

/** No notification of this organization can be written, for this reason. */
const failing = ({ caller }: Person, error: Error) =>
  on(
    ({ command, input }) =>
      command === 'TransactWriteItems' && JSON.stringify(input).includes(`ORG#${caller.org_id}#UNREAD`),
    () => Promise.reject(error),
  );

const invalid = sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } });

describe('a worker of a queue', () => {
  const paused = on(
    ({ client }) => client === 'SESv2Client',
    () => Promise.reject(sdkError('SendingPausedException', { $metadata: { httpStatusCode: 400 } })),
  );

  const taskOf = async (): Promise<OutboxTask> => {
    await tell(person, { user_ids: [await newMember(person, 'Ana')] });
    await deliver(sendMail, (await mailTasks(person))[0]!);
    return (await mailTasks(person)).find(({ data }) => data['what'] === 'digest')!;
  };

  test('names the reason of a task that has failed at its last attempt, and not before', async () => {
    const task = await taskOf();
    await withFault(paused, async () => {
      expect(await deliver(sendMail, task, QUEUE_ATTEMPTS - 1)).toBe(false);
      expect(await letterOf(person, task.id)).toBeUndefined();
      const letters = await lettersLogged(() => deliverLast(sendMail, task));
      expect(letters).toEqual([task.id]);
    });
    expect(await letterOf(person, task.id)).toMatchObject<Partial<DeadLetter>>({
      what: 'mail',
      org_id: person.caller.org_id,
      reason: 'SendingPausedException: SendingPausedException',
      attempts: QUEUE_ATTEMPTS,
      work: expect.objectContaining({ id: task.id, data: task.data }),
    });
  });

  test('gives the task to the dead-letter queue even when the reason cannot be stored', async () => {
    const task = { ...(await taskOf()), outbox: 'cleanup' as const, data: { client_account_id: 'x' } };
    const noTable = on(
      ({ client }) => client === 'DynamoDBClient',
      () => Promise.reject(timeout()),
    );
    expect(await withFault(noTable, () => deliverLast(deleteRemains, task))).toBe(false);
  });
});

describe('notifyDue', () => {
  const toldTo = async ({ key }: Person): Promise<number> =>
    (await as(key).notifications.listMy()).items.length;

  const deadlineOf = async ({ caller }: Person) => {
    const [row] = await Array.fromAsync(queryRows(caller, { partition: keys.due.partition(caller) }));
    return row!;
  };

  /** Makes the deadline due again, as time does. */
  const waitFor = async ({ caller }: Person): Promise<void> => {
    const { pk, sk } = await deadlineOf({ caller } as Person);
    const due = write.update({ pk, sk }, { set: { by_due_at: '2020-01-01T00:00:00.000Z' } });
    await change(caller, () => ({ writes: [due], reply: undefined }));
  };

  const overdue = { due_at: new Date(Date.now() - 60_000).toISOString() };

  test('notifies all other organizations while one fails, and puts its deadline among the dead letters', async () => {
    const { id } = await newInspection(person, overdue);
    await newInspection(other, overdue);
    await withFault(failing(person, invalid), async () => {
      await notifyDue();
      expect([await toldTo(person), await toldTo(other)]).toEqual([0, 1]);
      for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt += 1) {
        expect(await deadlineOf(person)).toMatchObject({ attempts: attempt - 1 });
        await waitFor(person);
        expect(await lettersLogged(notifyDue)).toEqual(attempt === MAX_ATTEMPTS ? [id] : []);
      }
    });
    expect(await letterOf(person, id)).toMatchObject<Partial<DeadLetter>>({
      what: 'deadline',
      reason: 'ValidationException: ValidationException',
      attempts: MAX_ATTEMPTS,
    });
    expect((await deadlineOf(person)).by_due).toBeUndefined();
    expect((await person.inspections.summarize()).overdue).toBe(1);
  });

  test('lets an organization wait during an outage, and notifies it afterwards', async () => {
    await newInspection(person, overdue);
    await newInspection(other, overdue);
    await withFault(failing(person, timeout()), async () => {
      await expect(notifyDue()).rejects.toThrow('1 organizations wait');
    });
    expect([await toldTo(person), await toldTo(other)]).toEqual([0, 1]);
    await notifyDue();
    expect(await toldTo(person)).toBe(1);
  });
});

describe('generateInspections', () => {
  /** A schedule whose first inspection is to be created at once, for somebody who is told of it. */
  const due = async (who: Person) =>
    newSchedule(who, { create_ahead_days: 1, assignee_ids: [await newMember(who, 'Ana')] });

  const createdOf = async (who: Person, schedule: { id: string }): Promise<number> =>
    (await inspectionsOf(who, schedule)).length;

  const foundAt = async ({ caller }: Person, { id }: { id: string }) => {
    const row = (await getRow(caller, keys.one(caller, 'SCHEDULE', id))) as DueRows['SCHEDULE'];
    return row.by_due_at;
  };

  test('creates the inspections of all other organizations while one fails, says so, and tries it again later', async () => {
    const [failed, done] = [await due(person), await due(other)];
    const before = Date.now();
    await withFault(failing(person, invalid), async () => {
      await expect(generateInspections()).rejects.toThrow('1 schedules or organizations wait');
    });
    const after = Date.now();
    expect([await createdOf(person, failed), await createdOf(other, done)]).toEqual([0, 1]);
    const wait = Date.parse((await foundAt(person, failed))!) - 15 * 60_000;
    expect(wait).toBeGreaterThanOrEqual(before);
    expect(wait).toBeLessThanOrEqual(after);
  });

  test('lets an organization wait during an outage, without putting its schedules off', async () => {
    const [waiting, done] = [await due(person), await due(other)];
    const foundBefore = await foundAt(person, waiting);
    await withFault(failing(person, timeout()), async () => {
      await expect(generateInspections()).rejects.toThrow('1 schedules or organizations wait');
    });
    expect([await createdOf(person, waiting), await createdOf(other, done)]).toEqual([0, 1]);
    expect(await foundAt(person, waiting)).toBe(foundBefore);
    await generateInspections();
    expect(await createdOf(person, waiting)).toBe(1);
  });
});
