import { marshall } from '@aws-sdk/util-dynamodb';
import { QUEUE_ATTEMPTS, retryDelay } from '../../../shared/base/queues.ts';
import { inTime, OutOfTime } from '../../../shared/base/time-limit.ts';
import {
  createQueueWorker,
  createScheduledWorker,
  createStreamWorker,
} from '../../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../../shared/http/worker/worker.ts';
import { answerWith, closeDoor, sentCommands } from '../../support/door.ts';

closeDoor();
process.env['TABLE_NAME'] = 'trial';
process.env['MAIL_QUEUE_URL'] = 'https://queue.example.com/mail';
process.env['LOG_LEVEL'] = 'info';

/** The lines that were logged in a test. */
let logged: Record<string, unknown>[];

/** An organization that is not suspended. */
const OPEN = { 'GetItem ORG': { Item: { id: 'o' } } };

beforeEach(() => {
  answerWith({ ...OPEN, ChangeMessageVisibility: {}, 'TransactWriteItems ORG': {}, 'PutItem ORG': {} });
  logged = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(JSON.parse(String(line)) as Record<string, unknown>);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const described = { summary: 'Works' };
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

  test('logs the requests that its rows come from, each once', async () => {
    const rows = ['r1', 'r2', 'r1', undefined].map((request_id, n) => ({
      ...row(String(n)),
      ...(request_id && { request_id }),
    }));
    const Records = rows.map((each) => ({ dynamodb: { NewImage: marshall(each) } }));
    await createStreamWorker(worker, async () => undefined)({ Records: [...Records, {}] } as never);
    expect(logged).toMatchObject([{ operation: 'readStream', level: 'info', request_ids: ['r1', 'r2'] }]);
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

  const failing = createQueueWorker(worker, () => Promise.reject(failure));
  const context = { getRemainingTimeInMillis: () => 30_500 } as never;
  const hidden = () =>
    sentCommands.flatMap(({ name, input }) => (name === 'ChangeMessageVisibility' ? [input] : []));
  const hiding = (seconds: number) => ({
    QueueUrl: 'https://queue.example.com/mail',
    ReceiptHandle: 'receipt',
    VisibilityTimeout: seconds,
  });
  const offered = (attempt: number) => ({ ...record('a', attempt), receiptHandle: 'receipt' });

  test('hides a task while it works on it, and offers it again after a delay where it fails', async () => {
    const working = createQueueWorker(worker, async () => {
      expect(hidden()).toEqual([hiding(31 + retryDelay(2))]);
    });
    expect(await working({ Records: [offered(2)] } as never, context)).toEqual({ batchItemFailures: [] });
    expect(hidden()).toHaveLength(1);
    sentCommands.length = 0;
    await failing({ Records: [offered(3)] } as never, context);
    expect(hidden()).toEqual([hiding(31 + retryDelay(3)), hiding(retryDelay(3))]);
    sentCommands.length = 0;
    await failing({ Records: [offered(1)] } as never);
    expect(hidden()).toEqual([hiding(retryDelay(1))]);
  });

  test('works although its queue cannot be reached, and says so', async () => {
    answerWith({ ...OPEN, ChangeMessageVisibility: new Error('no queue') });
    const { batchItemFailures } = await failing({ Records: [offered(1)] } as never);
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'a' }]);
    expect(logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'a task stays hidden until the time-out of its queue if it fails',
        message_id: 'a',
        error: { name: 'Error', message: 'no queue' },
      }),
    );
  });

  test('logs each run with its task', async () => {
    const body = JSON.stringify({ ...row('a'), request_id: 'r1' });
    const working = createQueueWorker(worker, async () => undefined);
    await working({ Records: [{ ...offered(2), body }] } as never);
    const line = { operation: 'readQueue', request_id: 'r1', org_id: 'o', task_id: 'a', attempt: 2 };
    expect(logged).toEqual([expect.objectContaining({ ...line, level: 'info', ServerError: 0 })]);
    await failing({ Records: [{ ...offered(2), body }] } as never);
    expect(logged[1]).toMatchObject({
      ...line,
      level: 'error',
      ServerError: 1,
      error: { message: 'the work failed' },
    });
    await failing({ Records: [offered(QUEUE_ATTEMPTS + 1)] } as never);
    expect(logged[2]).toMatchObject({ error: { message: 'the task failed at every attempt' } });
  });

  const letters = () =>
    sentCommands.flatMap(({ name, input }) =>
      name.endsWith('Items ORG') || name === 'PutItem ORG' ? [JSON.stringify(input)] : [],
    );

  test('names the reason of the last failure in a dead letter, with the task', async () => {
    await failing({ Records: [offered(QUEUE_ATTEMPTS - 1)] } as never);
    expect(letters()).toEqual([]);
    await failing({ Records: [offered(QUEUE_ATTEMPTS)] } as never);
    expect(letters()).toEqual([expect.stringContaining('the work failed')]);
    expect(letters()[0]).toContain(`"attempts":${QUEUE_ATTEMPTS}`);
    expect(letters()[0]).toContain(`"work":${JSON.stringify(row('a'))}`);
    const letter = {
      operation: 'deadLetters',
      id: 'a',
      org_id: 'o',
      what: 'event',
      reason: 'Error: the work failed',
    };
    expect(logged).toContainEqual(expect.objectContaining(letter));
  });

  test('gives a task up although the reason cannot be stored, and says so', async () => {
    answerWith({
      ...OPEN,
      ChangeMessageVisibility: {},
      'TransactWriteItems ORG': failure,
      'PutItem ORG': failure,
    });
    const { batchItemFailures } = await failing({ Records: [offered(QUEUE_ATTEMPTS)] } as never);
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'a' }]);
    const line = {
      level: 'error',
      message: 'the reason was not stored',
      task_id: 'a',
      error: 'Error: the work failed',
    };
    expect(logged).toContainEqual(expect.objectContaining(line));
  });

  test('ends a task before its function ends', async () => {
    const slow = createQueueWorker(worker, () => new Promise<void>(() => {}));
    const soon = { getRemainingTimeInMillis: () => 10_020 } as never;
    expect((await slow({ Records: [offered(1)] } as never, soon)).batchItemFailures).toHaveLength(1);
    expect(logged[0]).toMatchObject({ error: { name: 'OutOfTime', message: 'the task took too long' } });
  });
});

describe('inTime', () => {
  const never = () => new Promise<never>(() => {});
  const left = (milliseconds: number) => ({ getRemainingTimeInMillis: () => milliseconds });

  test('gives what the work gives, and waits for nothing more', async () => {
    const clear = jest.spyOn(globalThis, 'clearTimeout');
    expect(await inTime(left(60_000), async () => 'done')).toBe('done');
    expect(clear).toHaveBeenCalledTimes(1);
    await expect(inTime(left(60_000), () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await inTime(undefined, async () => 'done')).toBe('done');
  });

  test('keeps ten seconds for what follows a failure', async () => {
    await expect(inTime(left(10_010), never)).rejects.toThrow(OutOfTime);
    await expect(inTime(left(9_000), never)).rejects.toThrow(OutOfTime);
  });
});

test('a worker on a schedule fails when its logic fails, so that the alarm is raised', async () => {
  const worker = defineWorker({ id: 'tick', source: { every: '5 minutes' }, ...described });
  await expect(createScheduledWorker(worker, () => Promise.reject(failure))()).rejects.toBe(failure);
  await expect(createScheduledWorker(worker, async () => undefined)()).resolves.toBeUndefined();
});
