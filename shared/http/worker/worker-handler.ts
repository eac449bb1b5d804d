import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import { QUEUE_ATTEMPTS, type QueueName } from '../../base/queues.ts';
import { inRequest } from '../../base/request.ts';
import type { OutboxRow } from '../../db/table/entities.ts';
import { logRun } from '../log.ts';
import { offerAgain } from './offer-again.ts';
import { inTime } from './time-limit.ts';
import type { Worker } from './worker.ts';

/** Runs part of a worker's work in its own scope, with its own log line. @throws what the work throws */
const run = (worker: Worker, work: () => Promise<void>): Promise<void> =>
  inRequest(async () => {
    const startedAt = performance.now();
    try {
      await work();
      logRun(worker, startedAt);
    } catch (error) {
      logRun(worker, startedAt, error);
      throw error;
    }
  });

/**
 * The Lambda handler of a worker on a queue. Its logic gets one task at a time, and may get the same task again. A task
 * that fails is delivered again after a delay that grows, and goes to the dead-letter queue after `QUEUE_ATTEMPTS`.
 * @param giveUp ends what belongs to a task after its last attempt. It may be called twice: with the cause of the last
 * failure, and at the last delivery without one, in case the function crashed before.
 */
export const createQueueWorker =
  (
    worker: Worker<{ queue: QueueName }>,
    logic: (task: OutboxRow) => Promise<void>,
    giveUp: (task: OutboxRow, cause?: unknown) => Promise<void> = async () => {},
  ) =>
  async (event: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const handle = async (task: OutboxRow, attempt: number): Promise<void> => {
      if (attempt > QUEUE_ATTEMPTS) {
        await giveUp(task);
        throw new Error('the task failed at every attempt');
      }
      try {
        await inTime(context, () => logic(task));
      } catch (error) {
        if (attempt === QUEUE_ATTEMPTS) await giveUp(task, error);
        throw error;
      }
    };
    const record = async (message: SQSRecord): Promise<void> => {
      const attempt = Number(message.attributes.ApproximateReceiveCount);
      try {
        await run(worker, () => handle(JSON.parse(message.body) as OutboxRow, attempt));
      } catch (error) {
        await offerAgain(worker.source.queue, message, attempt);
        throw error;
      }
    };
    return processPartialResponse(event, record, new BatchProcessor(EventType.SQS), {
      throwOnFullBatchFailure: false,
    });
  };

/**
 * The Lambda handler of a worker on the outbox's stream. Its logic gets rows in the order in which they were written,
 * and may get the same rows again. After a failure the whole batch is delivered again.
 */
export const createStreamWorker =
  (worker: Worker<{ stream: 'outbox' }>, logic: (rows: OutboxRow[]) => Promise<void>) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const rows = Records.flatMap(({ dynamodb }) =>
      dynamodb?.NewImage
        ? [unmarshall(dynamodb.NewImage as Record<string, AttributeValue>) as OutboxRow]
        : [],
    );
    await run(worker, () => logic(rows));
    return { batchItemFailures: [] };
  };

/** The Lambda handler of a worker that a schedule starts. */
export const createScheduledWorker =
  (worker: Worker<{ every: `${number} minutes` }>, logic: () => Promise<void>) => async (): Promise<void> => {
    await run(worker, logic);
  };
