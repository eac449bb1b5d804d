import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Message } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { connection } from '../../../shared/base/connection.ts';
import type { QueueName } from '../../../shared/base/queues.ts';
import type { Worker } from '../../../shared/http/worker/worker.ts';
import { DEFAULT_BATCH_SIZE, LOCAL_CONCURRENCY } from '../../limits.ts';
import { limitGroups } from '../engines/fair-queues.ts';
import type { Poll } from './polling.ts';
import { base64, failedIds, LOCATION, type Run } from './run.ts';

/** Messages of one call (Amazon SQS quotas). */
const MAX_RECEIVED = 10;

const toSqsRecord = (message: Message, queue: QueueName): SQSRecord => ({
  messageId: message.MessageId!,
  receiptHandle: message.ReceiptHandle!,
  body: message.Body!,
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType as 'String',
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue && { binaryValue: base64(BinaryValue) }),
      },
    ]),
  ),
  md5OfBody: message.MD5OfBody!,
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:${LOCATION.region}:${LOCATION.account}:${queue}`,
  awsRegion: LOCATION.region,
});

/** A message, as the workers of this process count it. */
const groupOf = ({ Attributes }: Message): string | undefined => Attributes?.MessageGroupId;

/** How a worker gets the messages of its queue. */
export interface QueuePolling {
  /** Begins to work on messages, if there are any and there is room. It does not wait for their end. */
  poll: Poll;
  /** Resolves when nothing is being worked on. */
  settled: () => Promise<void>;
}

/**
 * Gives a worker the messages of its queue, each by itself and several at once. A message that fails stays invisible
 * until the queue offers it again or moves it to the dead-letter queue.
 * @param onDone called after each message that has ended, because there may be new work, and there is room again
 */
export const pollQueue = (
  queue: QueueName,
  run: Run,
  { batchSize = DEFAULT_BATCH_SIZE.queue, heavy }: Pick<Worker, 'batchSize' | 'heavy'>,
  onDone: () => void,
): QueuePolling => {
  const client = new SQSClient(connection('queue'));
  const most = heavy ? LOCAL_CONCURRENCY.heavy : LOCAL_CONCURRENCY.light * batchSize;
  const share = most / 2;
  const running = new Map<Promise<void>, Message>();

  const room = (group: string | undefined): number =>
    share - [...running.values()].filter((message) => groupOf(message) === group).length;

  const work = async (message: Message, QueueUrl: string | undefined): Promise<void> => {
    const failed = await failedIds(run({ Records: [toSqsRecord(message, queue)] }), [message.MessageId!]);
    if (failed.size > 0) return;
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  };

  const begin = (message: Message, QueueUrl: string | undefined): void => {
    const begun = work(message, QueueUrl)
      // The message is offered again.
      .catch(() => undefined)
      .then(() => {
        running.delete(begun);
        onDone();
      });
    running.set(begun, message);
  };

  return {
    poll: async () => {
      const free = Math.min(most - running.size, MAX_RECEIVED);
      if (free <= 0) return false;
      const QueueUrl = process.env[`${queue.toUpperCase()}_QUEUE_URL`];
      if (QueueUrl) limitGroups(QueueUrl, room);
      const { Messages: messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: free,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      for (const message of messages) begin(message, QueueUrl);
      return messages.length > 0;
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running.keys());
    },
  };
};
