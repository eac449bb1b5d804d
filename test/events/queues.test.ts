import { logDeadLetter } from '../../shared/base/log.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import { sendTasks } from '../../shared/outside/queues.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { OutboxTask } from '../../shared/table/entities/machinery.ts';
import { enqueue } from '../../shared/table/outbox/outbox.ts';
import type { Write } from '../../shared/table/writes.ts';
import { type Fault, installFaults, on, withFault } from '../support/faults.ts';
import { logged } from '../support/logged.ts';
import { newPerson } from '../support/people.ts';

installFaults();

const KILOBYTE = 1_024;

/** Tasks for a queue, whose messages have about this many kilobytes. */
const tasksOf = async (...kilobytes: number[]): Promise<OutboxTask[]> => {
  const { caller } = await newPerson('Harbour');
  return kilobytes.map((size) => {
    const address = 'a'.repeat(size * KILOBYTE);
    return enqueue(workOf(caller), 'mail', { what: 'question', address }).item.Put!.Item as OutboxTask;
  });
};

interface Entry {
  Id: string;
  MessageBody: string;
}

/** Sends tasks to a queue that refuses some. @returns the batches that it gets, by the positions of their tasks */
const batchesOf = async (tasks: readonly OutboxTask[], refused: readonly number[] = []) => {
  const batches: number[][] = [];
  const queue: Fault = async ({ input }) => {
    const entries = input['Entries'] as Entry[];
    batches.push(entries.map(({ Id }) => tasks.findIndex(({ id }) => id === Id)));
    const Failed = refused.flatMap((position) =>
      entries.filter(({ Id }) => Id === tasks[position]!.id).map(({ Id }) => ({ Id, Code: 'No' })),
    );
    return { Failed };
  };
  const refusals = await withFault(queue, () => sendTasks('mail', tasks));
  return { batches, refused: refusals.map(({ row }) => tasks.indexOf(row as OutboxTask)) };
};

/** The messages that a queue gets for these tasks. */
const messagesOf = async (...delays: number[]): Promise<Record<string, unknown>[]> => {
  const { caller } = await newPerson('Harbour');
  const writes: Write[] = delays.map((delay) =>
    enqueue(workOf(caller), 'mail', { what: 'question', address: 'a@example.com' }, delay),
  );
  await change(caller, () => ({ writes, reply: undefined }));
  const messages: Record<string, unknown>[] = [];
  const noted = on(
    ({ command }) => command === 'SendMessageBatch',
    ({ input, send }) => {
      messages.push(...(input['Entries'] as Record<string, unknown>[]));
      return send();
    },
  );
  await withFault(noted, () => handOn(writes.map(({ item }) => item.Put!.Item as OutboxTask)));
  return messages;
};

describe('a message of a queue', () => {
  test('waits as long as its task', async () => {
    const messages = await messagesOf(0, 300);
    expect(messages.map(({ DelaySeconds = 0 }) => DelaySeconds)).toEqual([0, 300]);
  });

  test('names its organization, by which the queue is fair', async () => {
    const [message] = await messagesOf(0);
    const { org_id } = JSON.parse(message!['MessageBody'] as string) as { org_id: string };
    expect(message).toHaveProperty('MessageGroupId', org_id);
  });

  test('is the task, with what its worker needs to know who asked for it', async () => {
    const [message] = await messagesOf(0);
    const task = JSON.parse(message!['MessageBody'] as string) as Record<string, unknown>;
    expect(task).toMatchObject({ id: message!['Id'], outbox: 'mail', data: { what: 'question' } });
    expect(task).toHaveProperty('org_id');
    expect(task).toHaveProperty('actor_id');
  });
});

describe('the batches of a queue', () => {
  test.each([
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [25, [10, 10, 5]],
  ])('for %d tasks have %j messages, in their order', async (count, sizes) => {
    const { batches } = await batchesOf(await tasksOf(...Array<number>(count).fill(0)));
    expect(batches.map(({ length }) => length)).toEqual(sizes);
    expect(batches.flat()).toEqual(Array.from({ length: count }, (_, position) => position));
  });

  test.each([
    [[127, 127], [[0, 1]]],
    [
      [127, 129],
      [[0], [1]],
    ],
    [
      [100, 100, 100, 100, 100],
      [[0, 1], [2, 3], [4]],
    ],
    [
      [1, 300, 1],
      [[0], [1], [2]],
    ],
  ])('for messages of %j KB are %j', async (kilobytes, expected) => {
    expect((await batchesOf(await tasksOf(...kilobytes))).batches).toEqual(expected);
  });

  test('go on after a refusal, and each task that was refused is named', async () => {
    const { batches, refused } = await batchesOf(await tasksOf(...Array<number>(21).fill(0)), [3, 9, 20]);
    expect(batches).toHaveLength(3);
    expect(refused).toEqual([3, 9, 20]);
  });
});

test('work that nobody tries again writes the metric on which an alarm stands', async () => {
  const lines = await logged(
    () => logDeadLetter({ id: 'i', org_id: 'o', what: 'mail', reason: 'it is too long' }),
    'error',
  );
  const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(line).toMatchObject({
    level: 'error',
    operation: 'deadLetters',
    message: 'gone to the dead letters',
    org_id: 'o',
    reason: 'it is too long',
    DeadLetters: 1,
    _aws: {
      CloudWatchMetrics: [{ Dimensions: [['operation']], Metrics: [{ Name: 'DeadLetters', Unit: 'Count' }] }],
    },
  });
});
