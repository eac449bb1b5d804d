import { randomUUID } from 'node:crypto';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { createQueue } from '../../../infra/local/engines/resources.ts';
import { startWorkers } from '../../../infra/local/workers.ts';
import { QUEUE_ATTEMPTS, QUEUE_DELIVERIES } from '../../../shared/base/queues.ts';
import { createQueueWorker } from '../../../shared/http/worker/worker-handler.ts';
import type { Worker } from '../../../shared/http/worker/worker.ts';
import { type Fault, installFaults, on, timeout, withFault } from '../../support/faults.ts';
import { newPerson } from '../../support/people.ts';

installFaults();

const worker: Worker<{ queue: 'render' }> = {
  id: 'trial',
  summary: '',
  source: { queue: 'render' },
};

// The other test files share one queue; this is only for this file.
const name = `trial-${randomUUID()}`;
const sqs = new SQSClient();
let queueUrl: string;
let task: string;
beforeAll(async () => {
  const { caller } = await newPerson('Queues');
  task = JSON.stringify({ id: '1', org_id: caller.org_id });
  queueUrl = await createQueue(name, process.env['AWS_ENDPOINT_URL_SQS']!);
  process.env['RENDER_QUEUE_URL'] = queueUrl;
});

const broken = async (): Promise<void> => {
  throw new Error('broken');
};

const eventOf = (attempt: number): SQSEvent =>
  ({
    Records: [
      {
        messageId: '1',
        receiptHandle: `receipt-${attempt}`,
        body: task,
        attributes: { ApproximateReceiveCount: String(attempt) },
      },
    ],
  }) as unknown as SQSEvent;

const isOffer = ({ command }: { command: string }): boolean => command === 'ChangeMessageVisibility';

/** Runs `work` with a queue that accepts everything. @returns the inputs by which messages were offered again */
const offers = async (work: () => Promise<unknown>): Promise<Record<string, unknown>[]> => {
  const inputs: Record<string, unknown>[] = [];
  const accept: Fault = async ({ input }) => {
    inputs.push(input);
    return {};
  };
  await withFault(on(isOffer, accept), work);
  return inputs;
};

const FAILED = { batchItemFailures: [{ itemIdentifier: '1' }] };

describe('a task that fails', () => {
  test('is offered again within a minute, and later after delays that grow', async () => {
    const handler = createQueueWorker(worker, broken);
    const inputs = await offers(async () => {
      for (let attempt = 1; attempt <= QUEUE_DELIVERIES; attempt += 1) {
        expect(await handler(eventOf(attempt))).toEqual(FAILED);
      }
    });
    expect(inputs[0]).toEqual({ QueueUrl: queueUrl, ReceiptHandle: 'receipt-1', VisibilityTimeout: 10 });
    // After the last attempt, the message moves to the dead-letter queue without delay.
    expect(inputs.map(({ VisibilityTimeout }) => VisibilityTimeout)).toEqual([10, 30, 120, 600, 1, 1]);
  });

  test('waits for the time-out of its queue if that cannot be reached', async () => {
    const lost: Fault = async () => {
      throw timeout();
    };
    const reply = await withFault(on(isOffer, lost), () => createQueueWorker(worker, broken)(eventOf(1)));
    expect(reply).toEqual(FAILED);
  });

  test('is not offered again when it succeeds', async () => {
    const handler = createQueueWorker(worker, async () => {});
    expect(await offers(() => handler(eventOf(1)))).toEqual([]);
  });

  test('is given up after the last attempt, and again in case that attempt had crashed', async () => {
    const tried: string[] = [];
    const givenUp: unknown[] = [];
    const handler = createQueueWorker(
      worker,
      async ({ id }) => {
        tried.push(id);
        await broken();
      },
      async (_, cause) => void givenUp.push(cause),
    );
    await offers(async () => {
      for (let attempt = 1; attempt <= QUEUE_DELIVERIES; attempt += 1) await handler(eventOf(attempt));
    });
    expect(tried).toHaveLength(QUEUE_ATTEMPTS);
    expect(givenUp).toEqual([new Error('broken'), undefined]);
  });

  test('fails before its function is ended, so that it can be given up', async () => {
    const left = 10_020;
    const context = { getRemainingTimeInMillis: () => left } as Context;
    const givenUp: unknown[] = [];
    const handler = createQueueWorker(
      worker,
      () => new Promise(() => {}),
      async (_, cause) => void givenUp.push(cause),
    );
    const inputs = await offers(async () => {
      expect(await handler(eventOf(QUEUE_ATTEMPTS), context)).toEqual(FAILED);
    });
    expect(givenUp).toMatchObject([{ name: 'OutOfTime' }]);
    expect(inputs).toMatchObject([{ VisibilityTimeout: 12 }, { VisibilityTimeout: 1 }]);
  });
});

describe('a task whose function crashes', () => {
  const lasting = (seconds: number) => ({ getRemainingTimeInMillis: () => seconds * 1_000 }) as Context;

  test('is offered again after the time limit of its function and the delay of its attempt', async () => {
    // A crash ends the process, so no more calls than these are sent.
    const before = (attempt: number) =>
      offers(async () => {
        const handler = createQueueWorker(worker, async () => {});
        expect(await handler(eventOf(attempt), lasting(89.5))).toEqual({ batchItemFailures: [] });
      });
    expect(await before(1)).toEqual([
      { QueueUrl: queueUrl, ReceiptHandle: 'receipt-1', VisibilityTimeout: 90 + 10 },
    ]);
    expect(await before(4)).toMatchObject([{ VisibilityTimeout: 90 + 600 }]);
  });

  test('is hidden before its work begins', async () => {
    const order: string[] = [];
    const accept: Fault = async () => {
      order.push('hidden');
      return {};
    };
    const handler = createQueueWorker(worker, async () => void order.push('worked'));
    await withFault(on(isOffer, accept), () => handler(eventOf(1), lasting(90)));
    expect(order).toEqual(['hidden', 'worked']);
  });

  test('is worked on even if the queue cannot be reached', async () => {
    const lost: Fault = async () => {
      throw timeout();
    };
    const worked: string[] = [];
    const handler = createQueueWorker(worker, async ({ id }) => void worked.push(id));
    const reply = await withFault(on(isOffer, lost), () => handler(eventOf(1), lasting(90)));
    expect(reply).toEqual({ batchItemFailures: [] });
    expect(worked).toEqual(['1']);
  });
});

describe('the local queue', () => {
  test('offers a failed task again at the same times, and moves it to the dead letters in the end', async () => {
    const attempts: number[] = [];
    const handler = createQueueWorker(worker, async () => {
      attempts.push(Date.now());
      await broken();
    });
    const delays: unknown[] = [];
    // A second stands for each delay.
    const shortened: Fault = async ({ input, send }) => {
      delays.push(input['VisibilityTimeout']);
      input['VisibilityTimeout'] = 1;
      return send();
    };
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: task }));
    const dead = await withFault(on(isOffer, shortened), async () => {
      const running = startWorkers([{ file: '', worker, handler: handler as never }]);
      try {
        for (;;) {
          const { Messages: [message] = [] } = await sqs.send(
            new ReceiveMessageCommand({ QueueUrl: `${queueUrl}-dead-letters`, WaitTimeSeconds: 1 }),
          );
          if (message) return message.Body;
        }
      } finally {
        await running.stop();
      }
    });
    expect(dead).toBe(task);
    expect(attempts).toHaveLength(QUEUE_ATTEMPTS);
    // A usual worker has 60 seconds.
    expect(delays).toEqual([70, 10, 90, 30, 180, 120, 660, 600, 61, 1, 61, 1]);
  });
});
