import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { TABLE } from '../../../shared/table/table.ts';
import { QUEUE } from '../../limits.ts';

const schemaOf = (keys: { partitionKey: string; sortKey: string }): KeySchemaElement[] => [
  { AttributeName: keys.partitionKey, KeyType: 'HASH' },
  { AttributeName: keys.sortKey, KeyType: 'RANGE' },
];

const attributesOf = (...schemas: { partitionKey: string; sortKey: string }[]): AttributeDefinition[] =>
  [...new Set(schemas.flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]))].map((name) => ({
    AttributeName: name,
    AttributeType: 'S',
  }));

const indexOf = (index: (typeof TABLE.indexes)[number]): GlobalSecondaryIndex => ({
  IndexName: index.name,
  KeySchema: schemaOf(index),
  Projection: { ProjectionType: 'KEYS_ONLY' },
});

/** @returns whether the table is new */
const createTableIfMissing = async (client: DynamoDBClient, name: string): Promise<boolean> => {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: schemaOf(TABLE),
        AttributeDefinitions: attributesOf(TABLE, ...TABLE.indexes),
        GlobalSecondaryIndexes: TABLE.indexes.map(indexOf),
        StreamSpecification: STREAM,
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    return false;
  }
};

/** Waits until the table can be used, for at most a minute. */
const tableIsReady = (client: DynamoDBClient, name: string) =>
  waitUntilTableExists({ client, minDelay: 1, maxDelay: 1, maxWaitTime: 60 }, { TableName: name });

/** Seconds that an index of a large table may take to be filled. */
const MAX_INDEX_TIME = 86_400;

/** Waits until an index has been filled, because DynamoDB creates one at a time. */
const indexIsReady = async (client: DynamoDBClient, name: string, index: string): Promise<void> => {
  await waitUntilTableExists({ client, minDelay: 1, maxDelay: 30, maxWaitTime: 60 }, { TableName: name });
  const end = Date.now() + MAX_INDEX_TIME * 1_000;
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const status = Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index)?.IndexStatus;
    if (status === 'ACTIVE') return;
    if (Date.now() > end) throw new Error(`the index ${index} is ${status ?? 'missing'}`);
    await sleep(1_000);
  }
};

/** Adds the indexes one at a time, as DynamoDB demands. @returns the names of those that were missing */
export const createMissingIndexes = async (client: DynamoDBClient, name: string): Promise<string[]> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  const present = Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName) ?? [];
  const missing = TABLE.indexes.filter((index) => !present.includes(index.name));
  for (const index of missing) {
    await client.send(
      new UpdateTableCommand({
        TableName: name,
        AttributeDefinitions: attributesOf(TABLE, index),
        GlobalSecondaryIndexUpdates: [{ Create: indexOf(index) }],
      }),
    );
    await indexIsReady(client, name, index.name);
  }
  return missing.map((index) => index.name);
};

/** Has rows deleted that have ended. @returns whether that was off */
export const enableTimeToLive = async (client: DynamoDBClient, name: string): Promise<boolean> => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) return false;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { Enabled: true, AttributeName: TABLE.timeToLive },
    }),
  );
  return true;
};

/** What the stream of the table carries: what a row is after a change. */
const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;

/** Turns the stream on. @returns whether it was off */
export const enableStream = async (client: DynamoDBClient, name: string): Promise<boolean> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  if (Table?.StreamSpecification?.StreamEnabled) return false;
  await client.send(new UpdateTableCommand({ TableName: name, StreamSpecification: STREAM }));
  await tableIsReady(client, name);
  return true;
};

/**
 * Creates a table as DynamoDB restores one: with its keys, but without a stream and time to live.
 * @param indexes the names of those that it has
 */
export const createBareTable = async (name: string, indexes: readonly string[] = []): Promise<void> => {
  const client = new DynamoDBClient();
  const present = TABLE.indexes.filter((index) => indexes.includes(index.name));
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: schemaOf(TABLE),
      AttributeDefinitions: attributesOf(TABLE, ...present),
      ...(present.length > 0 && { GlobalSecondaryIndexes: present.map(indexOf) }),
    }),
  );
  await tableIsReady(client, name);
  client.destroy();
};

/**
 * Creates the table from its definition. A table of an older version of the service gets the indexes that are
 * missing.
 * @returns whether the table is new
 */
export const createTable = async (name: string): Promise<boolean> => {
  const client = new DynamoDBClient();
  const isNew = await createTableIfMissing(client, name);
  await tableIsReady(client, name);
  await createMissingIndexes(client, name);
  await enableTimeToLive(client, name);
  client.destroy();
  return isNew;
};

/** Creates the bucket if it does not exist. */
export const createBucket = async (name: string): Promise<void> => {
  const client = new S3Client({ forcePathStyle: true });
  const region = await client.config.region();
  try {
    await client.send(
      new CreateBucketCommand({
        Bucket: name,
        // S3 refuses this region as a location constraint (S3 API, CreateBucket).
        ...(region !== 'us-east-1' && {
          CreateBucketConfiguration: { LocationConstraint: region as 'eu-west-1' },
        }),
      }),
    );
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BucketAlreadyOwnedByYou') throw error;
  }
  client.destroy();
};

/**
 * Creates a queue with its dead-letter queue, or updates the settings of an existing one.
 * @returns the queue's URL at `endpoint`. The emulator itself returns a URL with the port of its first start, and the
 * SDK prefers the host of a queue's URL to its configured endpoint.
 */
export const createQueue = async (name: string, endpoint: string): Promise<string> => {
  const client = new SQSClient();
  const { QueueUrl: deadLetters } = await client.send(
    new CreateQueueCommand({ QueueName: `${name}-dead-letters` }),
  );
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }));
  const here = (url: string | undefined) => new URL(new URL(url!).pathname, endpoint).href;
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: here(deadLetters), AttributeNames: ['QueueArn'] }),
  );
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: here(deadLetters),
      Attributes: { MessageRetentionPeriod: String(QUEUE.retention) },
    }),
  );
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: here(QueueUrl),
      Attributes: {
        VisibilityTimeout: String(QUEUE.visibilityTimeout),
        MessageRetentionPeriod: String(QUEUE.retention),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: Attributes?.['QueueArn'],
          maxReceiveCount: QUEUE.maxReceiveCount,
        }),
      },
    }),
  );
  client.destroy();
  return here(QueueUrl);
};
