import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import { connection } from '../../../shared/base/connection.ts';
import { OUTBOX_FILTER } from '../../../shared/table/table.ts';
import { DEFAULT_BATCH_SIZE } from '../../limits.ts';
import { matches } from './filter.ts';
import type { Poll } from './polling.ts';
import { base64, failedIds, type Run } from './run.ts';

/** How often a batch of the stream is tried. After that it is skipped, and the sweep finds its rows. */
const MAX_STREAM_ATTEMPTS = 5;

interface Shard {
  parent: string | undefined;
  /** Where to read on. Undefined once the shard is read to its end. */
  iterator: string | undefined;
}

interface Stream {
  arn: string;
  /** By id, in the stream's order: a parent comes before its children. */
  shards: ReadonlyMap<string, Shard>;
}

interface Clients {
  table: DynamoDBClient;
  streams: DynamoDBStreamsClient;
}

/** The table's stream. Known shards keep their position; a new one is read from its oldest record. */
const findStream = async (
  { table, streams }: Clients,
  known: ReadonlyMap<string, Shard>,
): Promise<Stream> => {
  const { Table } = await table.send(new DescribeTableCommand({ TableName: process.env['TABLE_NAME'] }));
  const arn = Table?.LatestStreamArn;
  const shards = new Map(known);
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
  return { arn: arn!, shards };
};

const hasOpenShard = ({ shards }: Stream): boolean => [...shards.values()].some(({ iterator }) => iterator);

/** A record in the form that Lambda passes on: JSON, with bytes as base64 and the time in epoch seconds. */
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

/** Gives a worker these records in their order. After a failure, it goes on from the first record that failed. */
const deliver = async (
  records: readonly StreamRecord[],
  arn: string,
  { run, signal, batchSize }: { run: Run; signal: AbortSignal; batchSize: number },
): Promise<void> => {
  let rest = records;
  for (let attempt = 1; rest.length > 0 && !signal.aborted;) {
    const batch = rest.slice(0, batchSize);
    const ids = batch.map((record) => record.dynamodb!.SequenceNumber!);
    const event = { Records: batch.map((record) => toLambdaRecord(record, arn)) };
    const failed = await failedIds(run(event), ids);
    const firstFailed = ids.findIndex((id) => failed.has(id));
    if (firstFailed === -1 || attempt === MAX_STREAM_ATTEMPTS) {
      rest = rest.slice(batch.length);
      attempt = 1;
    } else {
      rest = rest.slice(firstFailed);
      await sleep(50 * 2 ** attempt, undefined, { signal }).catch(() => undefined);
      attempt += 1;
    }
  }
};

/**
 * Gives a worker the outbox rows of the table's stream, beginning with the oldest record. After a restart, records
 * are delivered a second time; stream workers must tolerate that in the cloud as well.
 */
export const pollStream = (
  run: Run,
  signal: AbortSignal,
  batchSize: number = DEFAULT_BATCH_SIZE.stream,
): Poll => {
  const clients: Clients = {
    table: new DynamoDBClient(connection('table')),
    streams: new DynamoDBStreamsClient(connection('table')),
  };
  let stream: Stream | undefined;
  /** Whether a shard has ended since the shards were read: others go on where it ends. */
  let hasEnded = false;

  return async () => {
    try {
      if (!stream || hasEnded || !hasOpenShard(stream)) {
        stream = await findStream(clients, stream?.shards ?? new Map());
        hasEnded = false;
      }
      let worked = false;
      for (const shard of stream.shards.values()) {
        const parentIsOpen = shard.parent && stream.shards.get(shard.parent)?.iterator;
        if (!shard.iterator || parentIsOpen) continue;
        const { Records = [], NextShardIterator } = await clients.streams.send(
          new GetRecordsCommand({ ShardIterator: shard.iterator }),
        );
        const relevant = Records.filter((record) => matches(record, OUTBOX_FILTER));
        await deliver(relevant, stream.arn, { run, signal, batchSize });
        shard.iterator = NextShardIterator;
        hasEnded ||= NextShardIterator === undefined;
        worked ||= Records.length > 0;
      }
      return worked;
    } catch (error) {
      // Iterators expire while the machine sleeps, so the next poll starts again with new ones.
      stream = undefined;
      throw error;
    }
  };
};
