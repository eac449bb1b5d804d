import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { connection } from '../../base/connection.ts';
import { environment } from '../../base/environment.ts';
import { type QueueName, retryDelay } from '../../base/queues.ts';
import { logLine } from '../log.ts';

let client: SQSClient | undefined;

/**
 * Makes a message that failed visible again after the delay of its attempt. Its queue would hide it for several times
 * the worker's time limit. It throws nothing: if the queue cannot be reached, the message becomes visible then.
 */
export const offerAgain = async (
  queue: QueueName,
  { receiptHandle, messageId }: SQSRecord,
  attempt: number,
): Promise<void> => {
  client ??= new SQSClient(connection('queue'));
  try {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: environment(`${queue.toUpperCase() as Uppercase<QueueName>}_QUEUE_URL`),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: retryDelay(attempt),
      }),
    );
  } catch (error) {
    const { name, message } = error as Error;
    logLine('error', {
      message: 'a failed task waits for the time-out of its queue',
      message_id: messageId,
      error: { name, message },
    });
  }
};
