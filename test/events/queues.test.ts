import { change, workOf } from '../../shared/db/table/change.ts';
import type { OutboxTask } from '../../shared/db/table/entities/machinery.ts';
import { enqueue } from '../../shared/db/table/outbox/outbox.ts';
import type { Write } from '../../shared/db/table/writes.ts';
import { handOn } from '../../shared/events/hand-on.ts';
import { logDeadLetter } from '../../shared/http/log.ts';
import { installFaults, on, withFault } from '../support/faults.ts';
import { logged } from '../support/logged.ts';
import { newPerson } from '../support/people.ts';

installFaults();

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

  test('is the task, with what its worker needs to know who asked for it', async () => {
    const [message] = await messagesOf(0);
    const task = JSON.parse(message!['MessageBody'] as string) as Record<string, unknown>;
    expect(task).toMatchObject({ id: message!['Id'], outbox: 'mail', data: { what: 'question' } });
    expect(task).toHaveProperty('org_id');
    expect(task).toHaveProperty('actor_id');
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
