import { Aws, Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
  StorageClass,
} from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type QueueName, QUEUES } from '../../shared/base/queues.ts';
import { EXPORTS_PREFIX, PENDING_PREFIX } from '../../shared/files/objects.ts';
import { TABLE } from '../../shared/table/table.ts';
import type { WorkerEntry } from '../catalogue.ts';
import { DEFAULT_WORKER_TIMEOUT, QUEUE, UPLOADS_FROM_PAGES } from '../limits.ts';
import { addBackup } from './backup.ts';
import { acknowledge } from './checks.ts';
import { capitalized } from './names.ts';
import type { Settings } from './settings.ts';

/** How many of its worker's timeouts a queue hides a message for (AWS Lambda, "Using Lambda with Amazon SQS"). */
const TIMEOUTS_HIDDEN = 6;

/** How long a queue hides a message that a worker has received, in seconds. */
const visibilityTimeoutOf = (queue: QueueName, workers: readonly WorkerEntry[]): number =>
  Math.max(
    QUEUE.visibilityTimeout,
    ...workers
      .filter(({ worker: { source } }) => 'queue' in source && source.queue === queue)
      .map(({ worker: { timeout = DEFAULT_WORKER_TIMEOUT } }) => TIMEOUTS_HIDDEN * timeout),
  );

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** @param existing the ARN of the key that is used instead of a new one */
const addKey = (scope: Construct, id: string, description: string, existing: string | undefined): IKey => {
  if (existing) return Key.fromKeyArn(scope, id, existing);
  return new Key(scope, id, {
    description,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
};

const most = (units: string) => ({
  maxReadRequestUnits: Number(units),
  maxWriteRequestUnits: Number(units),
});

const addTable = (
  scope: Construct,
  encryptionKey: IKey,
  { maxTableUnits, existingTable, existingTableStream }: Settings,
): ITable => {
  if (existingTable)
    return Table.fromTableAttributes(scope, 'ExistingTable', {
      tableName: existingTable,
      tableStreamArn: existingTableStream!,
      encryptionKey,
      globalIndexes: TABLE.indexes.map(({ name }) => name),
    });
  const table = new Table(scope, 'Table', {
    partitionKey: text(TABLE.partitionKey),
    sortKey: text(TABLE.sortKey),
    timeToLiveAttribute: TABLE.timeToLive,
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(maxTableUnits && most(maxTableUnits)),
    stream: StreamViewType.NEW_IMAGE,
    encryption: TableEncryption.CUSTOMER_MANAGED,
    encryptionKey,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  for (const { name, partitionKey, sortKey } of TABLE.indexes) {
    table.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      projectionType: ProjectionType.KEYS_ONLY,
      ...(maxTableUnits && most(maxTableUnits)),
    });
  }
  // CDK's own classes do not meet its interfaces under `exactOptionalPropertyTypes`.
  return table as ITable;
};

/** Days that the access log of the bucket is kept. */
const ACCESS_LOG_DAYS = 90;

/**
 * Logs every access to the bucket's objects, those by signed links too, which no function sees (Amazon S3, "Logging
 * requests with server access logging"). Such logs cannot be encrypted with a key of ours.
 */
const logAccess = (bucket: Bucket): void => {
  const log = new Bucket(bucket, 'AccessLog', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    encryption: BucketEncryption.S3_MANAGED,
    removalPolicy: RemovalPolicy.RETAIN,
    lifecycleRules: [{ id: 'old', expiration: Duration.days(ACCESS_LOG_DAYS) }],
  });
  log.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('logging.s3.amazonaws.com')],
      actions: ['s3:PutObject'],
      resources: [log.arnForObjects('*')],
      conditions: {
        ArnLike: { 'aws:SourceArn': bucket.bucketArn },
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      },
    }),
  );
  (bucket.node.defaultChild as CfnBucket).loggingConfiguration = { destinationBucketName: log.bucketName };
  acknowledge(log, { S1: 'This bucket is itself the access log.' });
};

/** Days after which a file is rarely read: the inspection is over, and its reports have been sent. */
const RARELY_READ_DAYS = 90;

const addBucket = (
  scope: Construct,
  encryptionKey: IKey,
  { existingBucket, infrequentAccess }: Settings,
): IBucket => {
  if (existingBucket)
    return Bucket.fromBucketAttributes(scope, 'ExistingBucket', {
      bucketName: existingBucket,
      encryptionKey,
    });
  const bucket = new Bucket(scope, 'Bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    versioned: true,
    encryption: BucketEncryption.KMS,
    encryptionKey,
    bucketKeyEnabled: true,
    removalPolicy: RemovalPolicy.RETAIN,
    cors: [
      {
        allowedMethods: [HttpMethods[UPLOADS_FROM_PAGES.method]],
        allowedOrigins: ['*'],
        allowedHeaders: [...UPLOADS_FROM_PAGES.headers],
        maxAge: UPLOADS_FROM_PAGES.maxAge,
      },
    ],
    lifecycleRules: [
      { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      {
        id: 'pending',
        prefix: PENDING_PREFIX,
        expiration: Duration.days(2),
        noncurrentVersionExpiration: Duration.days(1),
      },
      {
        id: 'exports',
        prefix: EXPORTS_PREFIX,
        expiration: Duration.days(31),
        noncurrentVersionExpiration: Duration.days(1),
      },
      {
        id: 'replaced-and-deleted',
        noncurrentVersionExpiration: Duration.days(30),
        expiredObjectDeleteMarker: true,
      },
      ...(infrequentAccess
        ? [
            {
              id: 'rarely-read',
              transitions: [
                {
                  storageClass: StorageClass.INFREQUENT_ACCESS,
                  transitionAfter: Duration.days(RARELY_READ_DAYS),
                },
              ],
            },
          ]
        : []),
    ],
  });
  logAccess(bucket);
  return bucket as IBucket;
};

const addQueue = (scope: Construct, id: string, props: QueueProps): Queue =>
  new Queue(scope, id, {
    ...props,
    retentionPeriod: Duration.seconds(QUEUE.retention),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });

/** A queue that keeps work which failed at every attempt. */
const addDeadLetterQueue = (scope: Construct, id: string): Queue => addQueue(scope, id, {});

/** Everything that must outlive a deployment: the table, the bucket, the key that encrypts both, another key, and the queues. */
export class StorageStack extends NestedStack {
  readonly key: IKey;
  /** Few functions may use it, and not through another service: whoever may read a row cannot open a credential. */
  readonly credentialsKey: IKey;
  readonly table: ITable;
  readonly bucket: IBucket;
  readonly queues: Readonly<Record<QueueName, Queue>>;
  /** Receives the stream's records that a worker failed on at every attempt. */
  readonly undelivered: Queue;
  readonly deadLetters: readonly Queue[];
  /**
   * Receives the scheduled runs that failed, with their errors. It raises no alarm, because the next run does the work
   * of a failed one; the alarm of the worker counts failures that repeat.
   */
  readonly failedRuns: Queue;

  constructor(scope: Construct, workers: readonly WorkerEntry[], settings: Settings) {
    super(scope, 'Storage');
    this.key = addKey(this, 'Key', "Encrypts the service's table and bucket", settings.existingKey);
    this.credentialsKey = addKey(
      this,
      'CredentialsKey',
      'Encrypts the credentials by which vendors are called, and the secrets of webhooks',
      settings.existingCredentialsKey,
    );
    this.table = addTable(this, this.key, settings);
    this.bucket = addBucket(this, this.key, settings);
    if (settings.backup) addBackup(this, this, settings);
    this.undelivered = addDeadLetterQueue(this, 'Undelivered');
    acknowledge(this.undelivered, {
      SQS3: 'This queue is itself the dead-letter queue of the stream workers.',
    });
    this.failedRuns = addDeadLetterQueue(this, 'FailedRuns');
    acknowledge(this.failedRuns, {
      SQS3: 'This queue is itself the dead-letter queue of the scheduled workers.',
    });
    const pairs = QUEUES.map((name) => {
      const deadLetters = addDeadLetterQueue(this, `${capitalized(name)}DeadLetters`);
      const queue = addQueue(this, `${capitalized(name)}Queue`, {
        visibilityTimeout: Duration.seconds(visibilityTimeoutOf(name, workers)),
        deadLetterQueue: { queue: deadLetters, maxReceiveCount: QUEUE.maxReceiveCount },
      });
      return { name, queue, deadLetters };
    });
    this.queues = Object.fromEntries(pairs.map(({ name, queue }) => [name, queue])) as typeof this.queues;
    this.deadLetters = [this.undelivered, ...pairs.map(({ deadLetters }) => deadLetters)];
  }
}
