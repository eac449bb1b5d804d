import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { connection } from '../base/connection.ts';
import { asciiJson } from '../base/encoding.ts';
import { environment } from '../base/environment.ts';
import type { QueueName } from '../base/queues.ts';
import type { OutboxRow, OutboxTask } from '../table/entities/machinery.ts';
import { retrying } from '../table/retry.ts';

let client: SQSClient | undefined;

/** Messages of one batch (Amazon SQS quotas). */
const MAX_MESSAGES = 10;

/** Bytes of the messages of one batch. SQS allows more, some emulators do not. */
const MAX_BATCH_BYTES = 256 * 1024;

/** A row that a queue refused because of the row itself, and why. */
export interface Refusal {
  row: OutboxRow;
  reason: string;
}

interface Message {
  task: OutboxTask;
  /** ASCII, so its length is its number of bytes. */
  body: string;
}

/** Batches in the order of the tasks. A message that is too large for any batch is a batch of its own. */
const batchesOf = (tasks: readonly OutboxTask[]): Message[][] => {
  const batches: Message[][] = [];
  let bytes = Infinity;
  for (const task of tasks) {
    const body = asciiJson(task);
    bytes += body.length;
    if (bytes > MAX_BATCH_BYTES || batches.at(-1)!.length === MAX_MESSAGES) {
      batches.push([]);
      bytes = body.length;
    }
    batches.at(-1)!.push({ task, body });
  }
  return batches;
};

/**
 * Sends tasks to a queue, each at least once.
 * @returns the tasks that the queue refused; it has accepted all others
 * @throws ApiError 503 when the queue cannot be reached; Error when it refuses a batch as a whole
 */
export const sendTasks = async (queue: QueueName, tasks: readonly OutboxTask[]): Promise<Refusal[]> => {
  client ??= new SQSClient(connection('queue'));
  const refusals: Refusal[] = [];
  for (const batch of batchesOf(tasks)) {
    const command = new SendMessageBatchCommand({
      QueueUrl: environment(`${queue.toUpperCase() as Uppercase<QueueName>}_QUEUE_URL`),
      Entries: batch.map(({ task, body }) => ({
        Id: task.id,
        MessageBody: body,
        // The queue is a fair one: messages of an organization with many in flight wait for those of others.
        MessageGroupId: task.org_id,
        ...(task.delay_seconds !== undefined && { DelaySeconds: task.delay_seconds }),
      })),
    });
    const { Failed = [] } = await retrying('The queue', () => client!.send(command));
    for (const { Id, Code = 'no code', Message: text = '' } of Failed) {
      const { task } = batch.find(({ task: { id } }) => id === Id)!;
      refusals.push({ row: task, reason: `the queue ${queue} refused the message: ${Code} ${text}`.trim() });
    }
  }
  return refusals;
};
