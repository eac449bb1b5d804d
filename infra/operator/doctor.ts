import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { connection } from '../../shared/base/connection.ts';
import { environment } from '../../shared/base/environment.ts';
import { QUEUES } from '../../shared/base/queues.ts';
import type { DueRows } from '../../shared/table/entities/kinds.ts';
import * as deadLetters from '../../shared/table/outbox/dead-letters.ts';
import { reasonOf } from '../../shared/table/outbox/dead-letters.ts';
import { longestDue } from '../../shared/table/outbox/due.ts';
import { retrying } from '../../shared/table/retry.ts';
import { TABLE } from '../../shared/table/table.ts';
import { isMigrationOpen } from '../../shared/upkeep/migration.ts';
import { command } from './command.ts';
import { ageOf } from './dead-letters.ts';

/** Something that is wrong, and the command that mends it or says more. */
interface Finding {
  what: string;
  detail: string;
  command: string;
}

const OPERATOR = 'npm run -s operator --';

/** The work that has failed at every attempt, by its kind and reason. */
const lostWork = async (): Promise<Finding[]> => {
  const letters = await Array.fromAsync(deadLetters.list());
  const groups = Map.groupBy(letters, ({ what, reason }) => `${what}: ${reason}`);
  return [...groups].map(([lost, group]) => ({
    what: 'dead letters',
    detail: `${group.length} of ${lost}`,
    command: `${OPERATOR} dead-letters redrive --what ${group[0]!.what}`,
  }));
};

/** How long work may be due before its worker is late: three runs of the slowest clock, in milliseconds. */
const MAX_LATE_MS = 15 * 60_000;

/** The worker that takes the rows of each kind when they are due. */
const WORKERS: Record<Exclude<keyof DueRows, 'DEAD_LETTER'>, string> = {
  OUTBOX: 'sweep-outbox',
  SCHEDULE: 'generate-inspections',
  PLACE: 'generate-inspections',
  DEADLINE: 'notify-due',
  REMINDER: 'notify-due',
  CLIENT_DIGEST: 'notify-due',
  SYNC: 'start-due-syncs',
  TRANSFER: 'begin-due-transfers',
  WEBHOOK: 'take-due-webhooks',
  MAIL: 'send-due-mails',
};

/** What says why a worker is late. The workers of the local service run in its own process. */
const logOf = (worker: string): string =>
  process.env['AWS_ENDPOINT_URL_DYNAMODB']
    ? 'LOG_LEVEL=info npm start'
    : `aws logs tail $(aws logs describe-log-groups --log-group-name-pattern ${worker} --query logGroups[0].logGroupName --output text) --since 1h`;

/** Work that no worker has taken although it is due. */
const lateWork = async (): Promise<Finding[]> => {
  const late = new Date(Date.now() - MAX_LATE_MS);
  const found: Finding[] = [];
  // One kind after the other: each reads all shards at once, and a call that waits for a free connection is too late.
  for (const kind of Object.keys(WORKERS) as (keyof typeof WORKERS)[]) {
    const since = await longestDue(kind, late);
    if (since === undefined) continue;
    const detail = `${WORKERS[kind]}: ${kind} is due since ${since} (${ageOf(since)})`;
    found.push({ what: 'a worker is late', detail, command: logOf(WORKERS[kind]) });
  }
  return found;
};

/** Messages that may wait in a queue before that is worth telling. */
const MANY_MESSAGES = 1_000;

const messagesIn = async (client: SQSClient, QueueUrl: string): Promise<number> => {
  const { Attributes } = await retrying('The queue', () =>
    client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] })),
  );
  return Number(Attributes?.['ApproximateNumberOfMessages']);
};

/** Queues in which much waits: those whose URL is in the variables, as it is locally. SQS tells the age only by metrics. */
const fullQueues = async (): Promise<Finding[]> => {
  const client = new SQSClient(connection('queue'));
  const found = await Promise.all(
    QUEUES.map(async (queue): Promise<Finding[]> => {
      const url = process.env[`${queue.toUpperCase()}_QUEUE_URL`];
      const messages = url ? await messagesIn(client, url) : 0;
      if (messages < MANY_MESSAGES) return [];
      const detail = `${messages} messages wait in ${queue}`;
      return [{ what: 'a queue is full', detail, command: `${OPERATOR} dead-letters list --what ${queue}` }];
    }),
  );
  return found.flat();
};

/** What the table lacks of its definition. */
const wrongIn = (
  { StreamSpecification, GlobalSecondaryIndexes = [] }: TableDescription,
  timeToLive: string | undefined,
): string[] => [
  ...(StreamSpecification?.StreamEnabled ? [] : ['the table has no stream, so no event and no task is sent']),
  ...(timeToLive?.startsWith('ENABL') ? [] : ['rows that have ended are not deleted: time to live is off']),
  ...TABLE.indexes.flatMap(({ name }) => {
    const status = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name)?.IndexStatus;
    if (status === 'ACTIVE') return [];
    return [`the index ${name} is ${status ?? 'missing'}`];
  }),
];

const wrongTable = async (): Promise<Finding[]> => {
  const client = new DynamoDBClient(connection('table'));
  const TableName = environment('TABLE_NAME');
  const [{ Table }, { TimeToLiveDescription }] = await Promise.all([
    retrying('The table', () => client.send(new DescribeTableCommand({ TableName }))),
    retrying('The table', () => client.send(new DescribeTimeToLiveCommand({ TableName }))),
  ]);
  return wrongIn(Table!, TimeToLiveDescription?.TimeToLiveStatus).map((detail) => ({
    what: 'the table',
    detail,
    command: `${OPERATOR} restore-table`,
  }));
};

/** Whether the bucket answers: that which is in the variables, as it is locally. */
const wrongBucket = async (): Promise<Finding[]> => {
  const Bucket = process.env['BUCKET_NAME'];
  if (Bucket === undefined) return [];
  const client = new S3Client(connection('bucket'));
  try {
    await retrying('The bucket', () => client.send(new HeadBucketCommand({ Bucket })));
    return [];
  } catch (error) {
    return [
      {
        what: 'the bucket',
        detail: `${Bucket} does not answer: ${reasonOf(error)}`,
        command: `aws s3api head-bucket --bucket ${Bucket}`,
      },
    ];
  }
};

const openMigration = async (): Promise<Finding[]> =>
  (await isMigrationOpen())
    ? [{ what: 'rows', detail: 'a migration was interrupted', command: `${OPERATOR} migrate` }]
    : [];

interface Check {
  /** What is looked at. */
  of: string;
  /** The command that says why it does not answer. */
  look: () => string;
  find: () => Promise<Finding[]>;
}

const lookAtTable = (): string => `aws dynamodb describe-table --table-name ${environment('TABLE_NAME')}`;

const CHECKS: readonly Check[] = [
  { of: 'the table', look: lookAtTable, find: wrongTable },
  { of: 'the bucket', look: () => 'aws s3api list-buckets', find: wrongBucket },
  { of: 'failed work, in the table', look: lookAtTable, find: lostWork },
  { of: 'work that is due, in the table', look: lookAtTable, find: lateWork },
  { of: 'the queues', look: () => 'aws sqs list-queues', find: fullQueues },
  { of: 'migrations, in the table', look: lookAtTable, find: openMigration },
];

/** What a check finds; that it cannot be made is a finding as well, so that one fault does not hide the others. */
const checked = async ({ of, look, find }: Check): Promise<Finding[]> => {
  try {
    return await find();
  } catch (error) {
    return [{ what: 'a check failed', detail: `cannot look at ${of}: ${reasonOf(error)}`, command: look() }];
  }
};

/** The command that says what is wrong with a deployment. */
export const doctorCommands = {
  doctor: command({
    summary: 'say what is wrong, and the command that mends it or says more',
    options: z.strictObject({}),
    run: async () => {
      const findings = (await Promise.all(CHECKS.map(checked))).flat();
      return { ok: findings.length === 0, findings };
    },
    succeeded: ({ ok }) => ok,
  }),
};
