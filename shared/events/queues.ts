import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { connection } from '../base/connection.ts';
import { environment } from '../base/environment.ts';
import type { QueueName } from '../base/queues.ts';
import type { OutboxRow } from '../db/table/entities.ts';
import { retrying } from '../db/table/retry.ts';

let client: SQSClient | undefined;

/** Messages of one batch (Amazon SQS quotas). */
const MAX_MESSAGES = 10;

/**
 * Sends tasks to a queue, each at least once.
 * @throws ApiError 503 when the queue cannot be reached; Error when it refuses a message.
 */
export const sendTasks = async (queue: QueueName, tasks: readonly OutboxRow[]): Promise<void> => {
  client ??= new SQSClient(connection('queue'));
  for (let start = 0; start < tasks.length; start += MAX_MESSAGES) {
    const command = new SendMessageBatchCommand({
      QueueUrl: environment(`${queue.toUpperCase() as Uppercase<QueueName>}_QUEUE_URL`),
      Entries: tasks
        .slice(start, start + MAX_MESSAGES)
        .map((task) => ({ Id: task.id, MessageBody: JSON.stringify(task) })),
    });
    const { Failed = [] } = await retrying('The queue', () => client!.send(command));
    if (Failed.length > 0)
      throw new Error(`the queue ${queue} refused ${Failed.length} message(s): ${Failed[0]!.Code}`);
  }
};
