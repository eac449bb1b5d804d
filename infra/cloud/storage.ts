import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { QUEUES, type QueueName } from '../../shared/base/queues.ts';
import { TABLE } from '../../shared/db/table/table.ts';
import type { WorkerEntry } from '../catalogue.ts';
import { QUEUE } from '../limits.ts';
import { acknowledge } from './checks.ts';
import { capitalized, timeoutOf } from './functions.ts';

/** For how many of its worker's time-outs a queue hides a message (AWS Lambda, "Using Amazon SQS"). */
const ATTEMPTS_HIDDEN = 6;

const longestBehind = (queue: QueueName, workers: readonly WorkerEntry[]): number =>
  Math.max(
    ...workers
      .filter(({ worker: { source } }) => 'queue' in source && source.queue === queue)
      .map(({ worker }) => timeoutOf(worker)),
    QUEUE.visibilityTimeout / ATTEMPTS_HIDDEN,
  );

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** All that must outlive a deployment: the table, the bucket, the queues, and the key that encrypts the first two. */
export class StorageStack extends NestedStack {
  readonly key: Key;
  readonly table: Table;
  readonly bucket: Bucket;
  readonly queues: Readonly<Record<QueueName, Queue>>;
  /** Where the stream's workers leave what they could not hand on. */
  readonly undelivered: Queue;
  readonly deadLetters: readonly Queue[];

  constructor(scope: Construct, workers: readonly WorkerEntry[]) {
    super(scope, 'Storage');
    this.key = new Key(this, 'Key', {
      description: "The service's table and bucket",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    this.table = new Table(this, 'Table', {
      partitionKey: text(TABLE.partitionKey),
      sortKey: text(TABLE.sortKey),
      timeToLiveAttribute: TABLE.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_IMAGE,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const { name, partitionKey, sortKey } of TABLE.indexes) {
      this.table.addGlobalSecondaryIndex({
        indexName: name,
        partitionKey: text(partitionKey),
        sortKey: text(sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }

    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        {
          id: 'replaced-and-deleted',
          noncurrentVersionExpiration: Duration.days(30),
          expiredObjectDeleteMarker: true,
        },
      ],
    });
    acknowledge(this.bucket, {
      S1: 'Objects are reached through the API and through links it signs, and both are logged with the key that asked.',
    });

    const queue = (id: string, props: QueueProps) =>
      new Queue(this, id, { ...props, encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true });
    const lastResort = (id: string) =>
      queue(id, { retentionPeriod: Duration.seconds(QUEUE.deadLetterRetention) });
    this.undelivered = lastResort('Undelivered');
    acknowledge(this.undelivered, { SQS3: 'It is itself where the failures of a worker end.' });
    const entries = QUEUES.map((name) => {
      const deadLetters = lastResort(`${capitalized(name)}DeadLetters`);
      const working = queue(`${capitalized(name)}Queue`, {
        visibilityTimeout: Duration.seconds(ATTEMPTS_HIDDEN * longestBehind(name, workers)),
        deadLetterQueue: { queue: deadLetters, maxReceiveCount: QUEUE.maxReceiveCount },
      });
      return [name, working, deadLetters] as const;
    });
    this.queues = Object.fromEntries(entries.map(([name, working]) => [name, working])) as typeof this.queues;
    this.deadLetters = [this.undelivered, ...entries.map(([, , deadLetters]) => deadLetters)];
  }
}
