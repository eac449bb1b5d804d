import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import type { WorkerEntry } from '../../../infra/catalogue.ts';
import { QUEUE } from '../../../infra/limits.ts';
import { createQueue, createTable } from '../../../infra/local/engines/resources.ts';
import { startWorkers } from '../../../infra/local/workers.ts';
import type { Workers } from '../../../infra/local/workers.ts';
import { runOnClock } from '../../../infra/local/workers/clock.ts';
import { MAX_CALL_MS } from '../../../shared/base/connection.ts';
import type { WorkerSource } from '../../../shared/http/worker/worker.ts';
import { answers, isSilent, startPeer } from '../../support/peer.ts';

const worker = (source: WorkerSource, handler: (event: never) => Promise<unknown>): WorkerEntry => ({
  file: '',
  worker: { id: 'trial', summary: '', source },
  handler: handler as WorkerEntry['handler'],
});

// The other test files share one queue and one table; these are only for this file.
const name = `trial-${randomUUID()}`;
const sqs = new SQSClient();
const table = new DynamoDBClient();
let queueUrl: string;
let running: Workers | undefined;

beforeAll(async () => {
  queueUrl = await createQueue(name, process.env['AWS_ENDPOINT_URL_SQS']!);
  await createTable(name);
  process.env['RENDER_QUEUE_URL'] = queueUrl;
  process.env['TABLE_NAME'] = name;
});
afterEach(() => running?.stop());
afterAll(() => table.send(new DeleteTableCommand({ TableName: name })));

const send = (text: string) => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: text }));

const count = async (url: string): Promise<number> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Object.values(Attributes ?? {}).reduce((sum, each) => sum + Number(each), 0);
};

describe('a queue worker', () => {
  test('gets the messages that are sent, and the queue deletes those that succeed', async () => {
    const events: SQSEvent[] = [];
    running = startWorkers([worker({ queue: 'render' }, async (event) => void events.push(event))]);
    await send('a');
    await running.idle();
    const [record] = events.flatMap((event) => event.Records);
    expect(record).toMatchObject({
      body: 'a',
      eventSource: 'aws:sqs',
      attributes: { ApproximateReceiveCount: '1' },
    });
    expect(await count(queueUrl)).toBe(0);
  });

  test('gets a failed message again, until it goes to the dead-letter queue', async () => {
    // It is visible again at once instead of after minutes.
    await sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '0' } }),
    );
    const seen: string[] = [];
    await send('bad');
    running = startWorkers([
      worker({ queue: 'render' }, async ({ Records }: SQSEvent) => {
        seen.push(...Records.map(({ body }) => body));
        return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      }),
    ]);
    await running.idle();
    expect(seen).toEqual(Array(QUEUE.maxReceiveCount).fill('bad'));
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: `${queueUrl}-dead-letters` }));
    expect(Messages).toMatchObject([{ Body: 'bad' }]);
  });

  test('keeps all messages when it throws, and reports the cause', async () => {
    await sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '60' } }),
    );
    await send('a');
    const failures: unknown[] = [];
    running = startWorkers([worker({ queue: 'render' }, () => Promise.reject(new Error('broken')))], {
      onFailure: (id, cause) => failures.push([id, (cause as Error).message]),
    });
    await running.idle();
    expect(failures).toEqual([['trial', 'broken']]);
    expect(await count(queueUrl)).toBe(1);
  });
});

describe('a stream worker', () => {
  const outbox = { outbox: { S: 'x' } };
  const put = (sk: string, attributes: Record<string, AttributeValue>) =>
    table.send(
      new PutItemCommand({
        TableName: name,
        Item: { pk: { S: 'p' }, sk: { S: sk }, bytes: { B: new Uint8Array([255]) }, ...attributes },
      }),
    );

  test('gets only new outbox rows, in order, and again after a failure', async () => {
    const batches: string[][] = [];
    const events: DynamoDBStreamEvent[] = [];
    running = startWorkers([
      worker({ stream: 'outbox' }, async (event: DynamoDBStreamEvent) => {
        events.push(event);
        batches.push(event.Records.map(({ dynamodb }) => dynamodb!.Keys!['sk']!.S!));
        if (batches.length === 1) throw new Error('not yet');
      }),
    ]);
    await put('0', {});
    for (const sk of ['1', '2', '3']) await put(sk, outbox);
    await put('2', outbox);
    await running.idle();
    const [first, ...rest] = batches;
    expect(rest.flat()).toEqual(['1', '2', '3']);
    expect(first).toEqual(rest.flat().slice(0, first!.length));
    expect(events[0]!.Records[0]).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      dynamodb: { NewImage: { bytes: { B: '/w==' } }, ApproximateCreationDateTime: expect.any(Number) },
    });
  });

  test('goes on after the engine has hung, which is told of in one line a minute', async () => {
    const peer = await startPeer(process.env['AWS_ENDPOINT_URL_DYNAMODB']);
    const names = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_DYNAMODB_STREAMS'] as const;
    const former = Object.fromEntries(names.map((each) => [each, process.env[each]]));
    const limit = MAX_CALL_MS.table;
    MAX_CALL_MS.table = 100;
    for (const each of names) process.env[each] = peer.url;
    peer.now(isSilent);
    // No minute passes, however long all this takes.
    const still = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const told: unknown[][] = [];
    const heard = Promise.withResolvers<unknown>();
    running = startWorkers([worker({ stream: 'outbox' }, async (event) => heard.resolve(event))], {
      onFailure: (...failure) => void told.push(failure),
    });
    while (peer.turns() < 3) await sleep(10);
    peer.now(answers);
    MAX_CALL_MS.table = limit;
    expect(await heard.promise).toMatchObject({ Records: expect.any(Array) });
    expect(told).toEqual([['trial', expect.stringMatching(/^TimeoutError: .* within 100 ms$/)]]);
    await running.stop();
    still.mockRestore();
    Object.assign(process.env, former);
    for (const each of names) if (former[each] === undefined) delete process.env[each];
    peer.close();
  });

  test('sends messages to a queue, and these are handled before the workers are idle', async () => {
    await sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '60' } }),
    );
    const rendered: string[] = [];
    running = startWorkers([
      worker({ queue: 'render' }, async ({ Records }: SQSEvent) => {
        rendered.push(...Records.map(({ body }) => body));
      }),
      worker({ stream: 'outbox' }, async ({ Records }: DynamoDBStreamEvent) => {
        for (const { dynamodb } of Records) await send(`row ${dynamodb!.Keys!['sk']!.S}`);
      }),
    ]);
    await put('9', outbox);
    await running.idle();
    expect(rendered).toContain('row 9');
  });
});

describe('a clock worker', () => {
  test('runs at the start', async () => {
    const run = Promise.withResolvers<unknown>();
    running = startWorkers([worker({ every: '5 minutes' }, async (event) => run.resolve(event))]);
    expect(await run.promise).toMatchObject({ source: 'aws.events' });
  });

  test('runs again and again, although a run failed, until it is stopped', async () => {
    const stop = new AbortController();
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 3) stop.abort();
      throw new Error('the run failed');
    };
    await runOnClock('notifyDue', run, stop.signal, 1);
    expect(runs).toBe(3);
  });
});
