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
import { TABLE } from '../../../shared/db/table/table.ts';
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
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
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

/** Adds the indexes one at a time, as DynamoDB demands. */
const createMissingIndexes = async (client: DynamoDBClient, name: string): Promise<void> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  const present = Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName) ?? [];
  for (const index of TABLE.indexes.filter((index) => !present.includes(index.name))) {
    await client.send(
      new UpdateTableCommand({
        TableName: name,
        AttributeDefinitions: attributesOf(TABLE, index),
        GlobalSecondaryIndexUpdates: [{ Create: indexOf(index) }],
      }),
    );
    await tableIsReady(client, name);
  }
};

const enableTimeToLive = async (client: DynamoDBClient, name: string): Promise<void> => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { Enabled: true, AttributeName: TABLE.timeToLive },
    }),
  );
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
