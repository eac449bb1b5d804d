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
import { TABLE } from '../../shared/db/table/table.ts';
import { QUEUE } from '../limits.ts';

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

/**
 * Creates the table from its definition, or gives an existing one, from an older version of the service say, the
 * indexes it lacks.
 * @returns whether it is new
 */
export const createTable = async (name: string): Promise<boolean> => {
  const client = new DynamoDBClient();
  let isNew = true;
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
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    isNew = false;
  }
  const ready = () =>
    waitUntilTableExists({ client, minDelay: 1, maxDelay: 1, maxWaitTime: 60 }, { TableName: name });
  await ready();
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
    await ready();
  }
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (!TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: name,
        TimeToLiveSpecification: { Enabled: true, AttributeName: TABLE.timeToLive },
      }),
    );
  }
  client.destroy();
  return isNew;
};

/** Creates the bucket, unless it exists. */
export const createBucket = async (name: string): Promise<void> => {
  const client = new S3Client();
  const region = await client.config.region();
  try {
    await client.send(
      new CreateBucketCommand({
        Bucket: name,
        // The one region that must not be named (S3 API, CreateBucket).
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
 * Creates a queue with its dead-letter queue, or brings an existing one up to date.
 * @returns its URL at `endpoint`: an engine answers the URL of its first start, on a port of that day, and the SDK
 * follows a queue's URL before its own configuration.
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
      Attributes: { MessageRetentionPeriod: String(QUEUE.deadLetterRetention) },
    }),
  );
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: here(QueueUrl),
      Attributes: {
        VisibilityTimeout: String(QUEUE.visibilityTimeout),
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
