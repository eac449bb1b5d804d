import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Message } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { QueueName } from '../../../shared/base/queues.ts';
import { DEFAULT_BATCH_SIZE } from '../../limits.ts';
import type { Poll } from './polling.ts';
import { base64, failedIds, LOCATION, type Run } from './run.ts';

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

/**
 * Gives a worker the messages of its queue. A message that fails stays invisible until the queue offers it again or
 * moves it to the dead-letter queue.
 */
export const pollQueue = (queue: QueueName, run: Run, batchSize: number = DEFAULT_BATCH_SIZE.queue): Poll => {
  const client = new SQSClient();
  return async () => {
    const QueueUrl = process.env[`${queue.toUpperCase()}_QUEUE_URL`];
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batchSize,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (messages.length === 0) return false;
    const event = { Records: messages.map((message) => toSqsRecord(message, queue)) };
    const failed = await failedIds(
      run(event),
      messages.map((message) => message.MessageId!),
    );
    const done = messages.filter((message) => !failed.has(message.MessageId!));
    if (done.length > 0) {
      const Entries = done.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
    return true;
  };
};
