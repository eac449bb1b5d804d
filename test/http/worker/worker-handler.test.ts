import { marshall } from '@aws-sdk/util-dynamodb';
import { QUEUE_ATTEMPTS } from '../../../shared/base/queues.ts';
import {
  createQueueWorker,
  createScheduledWorker,
  createStreamWorker,
} from '../../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../../shared/http/worker/worker.ts';

const described = { summary: 'Works', grants: [] };
const failure = new Error('the work failed');
const row = (id: string) => ({ id, org_id: 'o', outbox: 'event', data: {} });

describe('a worker on the stream', () => {
  const worker = defineWorker({ id: 'readStream', source: { stream: 'outbox' }, ...described });
  const event = (...ids: string[]) =>
    ({ Records: ids.map((id) => ({ dynamodb: { NewImage: marshall(row(id)) } })) }) as never;

  test('gets the rows in their order, without those that were deleted', async () => {
    const seen: string[] = [];
    const handler = createStreamWorker(worker, async (rows) => {
      seen.push(...rows.map(({ id }) => id));
    });
    const { Records } = event('b', 'a') as { Records: object[] };
    expect(await handler({ Records: [...Records, { dynamodb: {} }] as never })).toEqual({
      batchItemFailures: [],
    });
    expect(seen).toEqual(['b', 'a']);
  });

  // An error that it kept to itself would move the stream on, past rows that were not handed on.
  test('fails when its logic fails, so that the batch is delivered again', async () => {
    const handler = createStreamWorker(worker, () => Promise.reject(failure));
    await expect(handler(event('a'))).rejects.toBe(failure);
  });
});

describe('a worker on a queue', () => {
  const worker = defineWorker({ id: 'readQueue', source: { queue: 'mail' }, ...described });
  const record = (id: string, attempt = 1) => ({
    messageId: id,
    body: JSON.stringify(row(id)),
    attributes: { ApproximateReceiveCount: String(attempt) },
  });

  test('reports each task that fails, and only these', async () => {
    const done: string[] = [];
    const handler = createQueueWorker(worker, async ({ id }) => {
      if (id.startsWith('bad')) throw failure;
      done.push(id);
    });
    const Records = ['a', 'bad', 'b', 'bad too'].map((id) => record(id));
    const { batchItemFailures } = await handler({ Records } as never);
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted()).toEqual([
      'bad',
      'bad too',
    ]);
    expect(done).toEqual(['a', 'b']);
    const onlyFailures = await handler({ Records: [record('bad')] } as never);
    expect(onlyFailures.batchItemFailures).toEqual([{ itemIdentifier: 'bad' }]);
  });

  test('reports a task that cannot be read', async () => {
    const handler = createQueueWorker(worker, async () => undefined);
    const { batchItemFailures } = await handler({ Records: [{ ...record('a'), body: '{' }] } as never);
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'a' }]);
  });

  test('gives a task up at its last attempt, and again when it comes after that', async () => {
    const causes: unknown[] = [];
    const handler = createQueueWorker(
      worker,
      () => Promise.reject(failure),
      async (_, cause) => {
        causes.push(cause);
      },
    );
    const attempts = [1, QUEUE_ATTEMPTS - 1, QUEUE_ATTEMPTS, QUEUE_ATTEMPTS + 1];
    for (const attempt of attempts) await handler({ Records: [record('a', attempt)] } as never);
    expect(causes).toEqual([failure, undefined]);
  });
});

test('a worker on a schedule fails when its logic fails, so that the alarm is raised', async () => {
  const worker = defineWorker({ id: 'tick', source: { every: '5 minutes' }, ...described });
  await expect(createScheduledWorker(worker, () => Promise.reject(failure))()).rejects.toBe(failure);
  await expect(createScheduledWorker(worker, async () => undefined)()).resolves.toBeUndefined();
});
