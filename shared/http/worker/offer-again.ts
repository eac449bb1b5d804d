import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSRecord } from 'aws-lambda';
import { connection } from '../../base/connection.ts';
import { environment } from '../../base/environment.ts';
import { type QueueName, retryDelay } from '../../base/queues.ts';
import { logLine } from '../log.ts';

let client: SQSClient | undefined;

/**
 * Hides a message for some seconds more. It throws nothing: if the queue cannot be reached, the message stays hidden as
 * long as before.
 */
const hide = async (
  queue: QueueName,
  { receiptHandle, messageId }: SQSRecord,
  seconds: number,
): Promise<void> => {
  client ??= new SQSClient(connection('queue'));
  try {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: environment(`${queue.toUpperCase() as Uppercase<QueueName>}_QUEUE_URL`),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
  } catch (error) {
    const { name, message } = error as Error;
    logLine('error', {
      message: 'a task stays hidden until the time-out of its queue if it fails',
      message_id: messageId,
      error: { name, message },
    });
  }
};

/** Makes a message that failed visible again after the delay of its attempt. */
export const offerAgain = (queue: QueueName, message: SQSRecord, attempt: number): Promise<void> =>
  hide(queue, message, retryDelay(attempt));

/**
 * Hides a message whose work begins until the function has certainly ended, and for the delay of its attempt. Its queue
 * would hide it for several times the function's time limit, because Lambda may hold a message back while it throttles
 * the function. So a task whose function crashes waits hardly longer than one that fails.
 * @param context of the invocation; without one nothing is changed
 */
export const hideDuringWork = async (
  queue: QueueName,
  message: SQSRecord,
  attempt: number,
  context: Pick<Context, 'getRemainingTimeInMillis'> | undefined,
): Promise<void> => {
  if (!context) return;
  const left = Math.ceil(context.getRemainingTimeInMillis() / 1_000);
  await hide(queue, message, left + retryDelay(attempt));
};
