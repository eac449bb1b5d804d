import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Message } from '@aws-sdk/client-sqs';
import type { ScheduledEvent, SQSRecord } from 'aws-lambda';
import type { QueueName } from '../../shared/base/queues.ts';
import { OUTBOX_FILTER } from '../../shared/db/table/table.ts';
import type { WorkerEntry } from '../catalogue.ts';
import { matches } from './filter.ts';
import { contextOf } from './lambda.ts';

export interface Workers {
  /** Look now: something may have come in. */
  nudge(): void;
  /**
   * Resolves when a whole round over the queues and the stream has found nothing to do. A message that failed and
   * waits to become visible again, or was sent with a delay, is not waited for.
   */
  idle(): Promise<void>;
  /** Resolves after the work in hand; what it leaves is found again by the next start. */
  stop(): Promise<void>;
}

export interface WorkersOptions {
  /** Told why a run failed; what it was given is tried again. */
  onFailure?: (worker: string, cause: unknown) => void;
}

/** Milliseconds between two looks that find nothing: at first, and at most. */
const PAUSE = { first: 25, most: 1_000 };

/** How often a batch of the stream is tried before it is left behind, for the sweeper to find. */
const STREAM_ATTEMPTS = 5;

/** Seconds and megabytes, where a worker declares none. */
const DEFAULT_TIMEOUT = 60;
const DEFAULT_MEMORY = 512;

const ARN = { region: 'us-east-1', account: '000000000000' };

type Run = (event: unknown) => Promise<unknown>;

/** Looks once, and handles what there is. */
type Look = () => Promise<boolean>;

/**
 * The ids of a batch that must be handled again (Lambda, "Reporting batch item failures"): all of them when the run
 * fails, or names one that is not of the batch.
 */
const failedOf = async (run: Promise<unknown>, ids: string[]): Promise<Set<string>> => {
  try {
    const reply = (await run) as { batchItemFailures?: { itemIdentifier: string }[] } | null | undefined;
    const failed = (reply?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
    return new Set(failed.every((id) => ids.includes(id)) ? failed : ids);
  } catch {
    return new Set(ids);
  }
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const toSqsRecord = (message: Message, queue: QueueName): SQSRecord => ({
  messageId: message.MessageId!,
  receiptHandle: message.ReceiptHandle!,
  body: message.Body!,
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType as 'String',
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue && { binaryValue: base64(BinaryValue) }),
      },
    ]),
  ),
  md5OfBody: message.MD5OfBody!,
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:${ARN.region}:${ARN.account}:${queue}`,
  awsRegion: ARN.region,
});

/** Messages that are not handled stay invisible until the queue offers them again, or puts them aside. */
const lookInQueue = (queue: QueueName, run: Run, batchSize = 10): Look => {
  const client = new SQSClient();
  return async () => {
    const QueueUrl = process.env[`${queue.toUpperCase()}_QUEUE_URL`];
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batchSize,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (messages.length === 0) return false;
    const event = { Records: messages.map((message) => toSqsRecord(message, queue)) };
    const failed = await failedOf(
      run(event),
      messages.map((message) => message.MessageId!),
    );
    const handled = messages.filter((message) => !failed.has(message.MessageId!));
    if (handled.length > 0) {
      const Entries = handled.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
    return true;
  };
};

/** As Lambda hands it over: JSON, with bytes as base64 and the time as epoch seconds. */
const toLambdaRecord = (record: StreamRecord, eventSourceARN: string): unknown => {
  const json = JSON.stringify(record, (_name, value: unknown) =>
    value instanceof Uint8Array ? base64(value) : value,
  );
  const { dynamodb, ...rest } = JSON.parse(json) as StreamRecord;
  const created = record.dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0;
  return {
    ...rest,
    eventSourceARN,
    dynamodb: { ...dynamodb, ApproximateCreationDateTime: Math.floor(created / 1_000) },
  };
};

const scheduledEvent = (id: string): ScheduledEvent => ({
  id: randomUUID(),
  version: '0',
  account: ARN.account,
  region: ARN.region,
  time: new Date().toISOString(),
  source: 'aws.events',
  'detail-type': 'Scheduled Event',
  resources: [`arn:aws:events:${ARN.region}:${ARN.account}:rule/${id}`],
  detail: {},
});

/**
 * Reads the table's stream from the oldest record there is: a restart hands over again what was handed over before,
 * which every stream worker must bear anyway.
 */
const lookInStream = (run: Run, signal: AbortSignal, batchSize = 100): Look => {
  const table = new DynamoDBClient();
  const streams = new DynamoDBStreamsClient();
  let arn: string | undefined;
  /** In the stream's order, parents first; one that is read to its end has no iterator any more. */
  const shards = new Map<string, { parent: string | undefined; iterator: string | undefined }>();

  const discover = async (): Promise<void> => {
    const { Table } = await table.send(new DescribeTableCommand({ TableName: process.env['TABLE_NAME'] }));
    arn = Table?.LatestStreamArn;
    let after: string | undefined;
    do {
      const { StreamDescription } = await streams.send(
        new DescribeStreamCommand({ StreamArn: arn, ExclusiveStartShardId: after }),
      );
      for (const { ShardId, ParentShardId } of StreamDescription?.Shards ?? []) {
        if (shards.has(ShardId!)) continue;
        const { ShardIterator } = await streams.send(
          new GetShardIteratorCommand({ StreamArn: arn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
        );
        shards.set(ShardId!, { parent: ParentShardId, iterator: ShardIterator });
      }
      after = StreamDescription?.LastEvaluatedShardId;
    } while (after);
  };

  const deliver = async (records: StreamRecord[]): Promise<void> => {
    let rest = records;
    for (let attempt = 1; rest.length > 0 && !signal.aborted;) {
      const batch = rest.slice(0, batchSize);
      const ids = batch.map((record) => record.dynamodb!.SequenceNumber!);
      const event = { Records: batch.map((record) => toLambdaRecord(record, arn!)) };
      const failed = await failedOf(run(event), ids);
      const first = ids.findIndex((id) => failed.has(id));
      if (first === -1 || attempt === STREAM_ATTEMPTS) {
        rest = rest.slice(batch.length);
        attempt = 1;
      } else {
        rest = rest.slice(first);
        await sleep(50 * 2 ** attempt, undefined, { signal }).catch(() => undefined);
        attempt += 1;
      }
    }
  };

  return async () => {
    let worked = false;
    try {
      if (![...shards.values()].some(({ iterator }) => iterator)) await discover();
      for (const shard of shards.values()) {
        const parentIsOpen = shard.parent && shards.get(shard.parent)?.iterator;
        if (!shard.iterator || parentIsOpen) continue;
        const { Records = [], NextShardIterator } = await streams.send(
          new GetRecordsCommand({ ShardIterator: shard.iterator }),
        );
        await deliver(Records.filter((record) => matches(record, OUTBOX_FILTER)));
        shard.iterator = NextShardIterator;
        worked ||= Records.length > 0;
      }
      return worked;
    } catch (error) {
      // An iterator does not outlive a long sleep of the machine; begin anew.
      shards.clear();
      throw error;
    }
  };
};

/** Looks again and again: at once while there is work, ever more rarely while there is none. */
const watch = (look: Look, signal: AbortSignal, onError: (error: unknown) => void) => {
  let next = Promise.withResolvers<boolean>();
  let nudged = false;
  let wake = () => {};
  const nudge = () => {
    nudged = true;
    wake();
  };
  const rest = (pause: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause).unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (nudged) wake();
    });
  const run = async () => {
    let pause = PAUSE.first;
    while (!signal.aborted) {
      const current = next;
      next = Promise.withResolvers();
      if (nudged) pause = PAUSE.first;
      nudged = false;
      const worked = await look().catch((error: unknown) => {
        onError(error);
        return false;
      });
      current.resolve(worked);
      if (worked) {
        pause = PAUSE.first;
      } else if (!signal.aborted) {
        await rest(pause);
        pause = Math.min(pause * 2, PAUSE.most);
      }
    }
    next.resolve(false);
  };
  return {
    nudge,
    /** Whether the first look that begins after this call finds work. */
    nextLook: () => {
      nudge();
      return next.promise;
    },
    ended: run(),
  };
};

/** Runs the workers from the queues, the stream and the clock, as their declarations say. */
export const startWorkers = (
  entries: readonly WorkerEntry[],
  { onFailure = () => undefined }: WorkersOptions = {},
): Workers => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let work = 0;

  const runOf =
    ({ worker, handler }: WorkerEntry): Run =>
    async (event) => {
      const time = (worker.timeout ?? DEFAULT_TIMEOUT) * 1_000;
      const context = contextOf(worker.id, worker.memory ?? DEFAULT_MEMORY, Date.now() + time);
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error(`it took longer than ${time / 1_000} s`)), time);
      try {
        return await Promise.race([handler(event, context), late.promise]);
      } catch (error) {
        onFailure(worker.id, error);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    };

  const lookOf = (entry: WorkerEntry): Look | undefined => {
    const { source, batchSize } = entry.worker;
    if ('queue' in source) return lookInQueue(source.queue, runOf(entry), batchSize);
    if ('stream' in source) return lookInStream(runOf(entry), signal, batchSize);
    return undefined;
  };

  const watches = entries.flatMap((entry) => {
    const look = lookOf(entry);
    if (!look) return [];
    const counted = async () => {
      const worked = await look();
      if (worked) {
        work += 1;
        for (const other of watches) other.nudge();
      }
      return worked;
    };
    return [watch(counted, signal, (error) => signal.aborted || onFailure(entry.worker.id, error))];
  });

  const clocks = entries.map(async (entry) => {
    const { source } = entry.worker;
    if (!('every' in source)) return;
    const period = Number.parseInt(source.every, 10) * 60_000;
    while (!signal.aborted) {
      await runOf(entry)(scheduledEvent(entry.worker.id)).catch(() => undefined);
      await sleep(period, undefined, { signal, ref: false }).catch(() => undefined);
    }
  });

  return {
    nudge: () => {
      for (const watch of watches) watch.nudge();
    },
    idle: async () => {
      let before: number;
      do {
        before = work;
        await Promise.all(watches.map((watch) => watch.nextLook()));
      } while (work !== before);
    },
    stop: async () => {
      stopping.abort();
      for (const watch of watches) watch.nudge();
      await Promise.all([...watches.map((watch) => watch.ended), ...clocks]);
    },
  };
};
