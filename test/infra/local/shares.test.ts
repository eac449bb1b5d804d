import type { SQSEvent } from 'aws-lambda';
import type { WorkerEntry } from '../../../infra/catalogue.ts';
import { nextMessages, roomOf } from '../../../infra/local/engines/fair-queues.ts';
import { startWorkers } from '../../../infra/local/workers.ts';
import { type Fault, installFaults, withFault } from '../../support/faults.ts';

installFaults();

const QUEUE_URL = 'http://localhost/000000000000/shares';

interface Message {
  MessageId: string;
  ReceiptHandle: string;
  Body: string;
  messageGroupId: string;
  Attributes: { MessageGroupId: string };
}

/** A queue in memory that gives out its messages as those of the local service do. */
const newQueue = () => {
  let waiting: Message[] = [];
  const inFlight = new Map<string, Message>();
  const send = (group: string): void => {
    const id = `${group}-${waiting.length}-${inFlight.size}`;
    const Attributes = { MessageGroupId: group };
    waiting.push({ MessageId: id, ReceiptHandle: id, Body: group, messageGroupId: group, Attributes });
  };
  const fault: Fault = async ({ command, input }) => {
    if (command === 'DeleteMessage') inFlight.delete(input['ReceiptHandle'] as string);
    if (command !== 'ReceiveMessage') return {};
    const count = input['MaxNumberOfMessages'] as number;
    const Messages = nextMessages(waiting, [...inFlight.values()], count, roomOf(QUEUE_URL));
    waiting = waiting.filter((message) => !Messages.includes(message));
    for (const message of Messages) inFlight.set(message.ReceiptHandle, message);
    return { Messages };
  };
  return { send, fault };
};

test.each([
  ['that computes', { heavy: true as const, batchSize: 1 }, 1],
  ['that waits for others', { batchSize: 1 }, 2],
  ['of many messages', { batchSize: 10 }, 20],
])('a flood that does not end leaves a worker %s to another organization', async (_, declared, share) => {
  process.env['RENDER_QUEUE_URL'] = QUEUE_URL;
  const queue = newQueue();
  const end = Promise.withResolvers<void>();
  const isFull = Promise.withResolvers<void>();
  const isServed = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  const handler = async ({ Records }: SQSEvent) => {
    expect(Records).toHaveLength(1);
    if (Records[0]!.body === 'quiet') return isServed.resolve();
    running += 1;
    most = Math.max(most, running);
    if (running === share) isFull.resolve();
    await end.promise;
    running -= 1;
  };
  const entry = {
    file: '',
    worker: { id: 'trial', summary: '', source: { queue: 'render' }, ...declared },
    handler,
  } as unknown as WorkerEntry;
  for (let n = 0; n < 3 * share; n += 1) queue.send('loud');
  await withFault(queue.fault, async () => {
    const workers = startWorkers([entry]);
    await isFull.promise;
    queue.send('quiet');
    workers.nudge();
    await isServed.promise;
    expect(most).toBe(share);
    end.resolve();
    await workers.idle();
    await workers.stop();
  });
});
