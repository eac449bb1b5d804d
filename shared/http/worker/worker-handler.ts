import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import { connection } from '../../base/connection.ts';
import { environment } from '../../base/environment.ts';
import { logDeadLetter, logLine } from '../../base/log.ts';
import { QUEUE_ATTEMPTS, type QueueName, retryDelay } from '../../base/queues.ts';
import { currentRequest, inRequest, newScope, type RequestScope } from '../../base/request.ts';
import { inTime } from '../../base/time-limit.ts';
import { standingOf } from '../../organizations/suspension.ts';
import { change } from '../../table/change.ts';
import type { InOutbox, OutboxRow, OutboxTask } from '../../table/entities/machinery.ts';
import { deadLetter, reasonOf } from '../../table/outbox/dead-letters.ts';
import { actorOf, enqueueAgain, writtenRows } from '../../table/outbox/outbox.ts';
import { readRow } from '../../table/rows.ts';
import { logRun } from '../log.ts';
import type { Worker } from './worker.ts';

/**
 * Runs part of a worker's work in its own scope, with its own log line.
 * @param fields the id of the request that led to the work, if there is one, and other fields of the log line
 * @throws what the work throws
 */
const run = (
  worker: Worker,
  { request_id, ...fields }: { request_id?: string | undefined } & Record<string, unknown>,
  work: () => Promise<void>,
): Promise<void> =>
  inRequest(async () => {
    const startedAt = performance.now();
    try {
      await work();
      logRun(worker, startedAt, fields);
    } catch (error) {
      logRun(worker, startedAt, fields, error);
      throw error;
    }
  }, newScope(request_id));

/**
 * Stores the reason of a task's last failure. The task itself goes to the dead-letter queue and can be sent again from
 * there.
 */
const storeReason = async (
  task: InOutbox & Pick<OutboxTask, 'outbox'>,
  attempts: number,
  error: unknown,
): Promise<void> => {
  const { id, org_id, outbox: what, request_id } = task;
  const caller = actorOf(task);
  const reason = reasonOf(error);
  const letter = { id, what, reason, attempts, work: { ...task } };
  logDeadLetter({ id, org_id, what, reason, request_id });
  await change(caller, (work) => ({ writes: [deadLetter(work, letter)], reply: undefined }));
};

/** Puts a task of a suspended organization back into the outbox, which nobody empties before it is resumed. */
const putBack = <Queue extends QueueName>(task: OutboxTask<Queue>): Promise<void> =>
  change(actorOf(task), (work) => ({
    // TypeScript does not see that a task of one queue is one of any queue.
    writes: [enqueueAgain(work, task as unknown as OutboxTask)],
    reply: undefined,
  }));

/**
 * Deletes the files that a task has stored for an organization that was deleted meanwhile: the deletion
 * has not seen them. One read when it has stored any. When that read fails, the files stay.
 */
const discardLateFiles = async ({ stored }: RequestScope): Promise<void> => {
  const [first] = stored;
  if (!first || (await standingOf(first.caller).catch(() => 'active')) !== 'deleted') return;
  await Promise.all(stored.map(({ discard }) => discard()));
};

/**
 * The Lambda handler of a worker on a queue. Its logic gets one task at a time, and may get the same task again. A
 * task that fails or whose function crashes is delivered again after a delay that grows. After `QUEUE_ATTEMPTS` it
 * goes to the dead-letter queue, and a dead letter of its organization names the reason.
 * @param giveUp ends what belongs to a task after its last attempt. It may be called twice: with the cause of the last
 * failure, and at the last delivery without one, in case the function crashed before.
 * @param taskOf reads the task from a message that another service has put into the queue
 */
export const createQueueWorker =
  <Queue extends QueueName>(
    worker: Worker<{ queue: Queue }>,
    logic: (task: OutboxTask<Queue>) => Promise<void>,
    giveUp: (task: OutboxTask<Queue>, cause?: unknown) => Promise<void> = async () => {},
    // A queue of tasks holds only tasks of its own type.
    taskOf: (body: string) => OutboxTask<Queue> = (body) => readRow(JSON.parse(body)),
  ) =>
  async (event: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const handle = async (task: OutboxTask<Queue>, attempt: number): Promise<void> => {
      const standing = worker.source.queue === 'feedback' ? 'active' : await standingOf(actorOf(task));
      // Nothing may be written for one that was deleted: the certificate says that nothing is left.
      if (standing === 'deleted') return;
      if (standing === 'suspended') {
        await putBack(task);
        return;
      }
      if (attempt > QUEUE_ATTEMPTS) {
        await giveUp(task);
        throw new Error('the task failed at every attempt');
      }
      try {
        await inTime(context, () => logic(task));
      } catch (error) {
        if (attempt < QUEUE_ATTEMPTS) throw error;
        await giveUp(task, error);
        // The reason is logged as well. The task goes to its queue's dead letters even if the reason is not stored.
        await storeReason(task, attempt, error).catch((cause: unknown) => {
          logLine('error', {
            message: 'the reason was not stored',
            task_id: task.id,
            error: reasonOf(cause),
          });
        });
        throw error;
      } finally {
        await discardLateFiles(currentRequest()!);
      }
    };
    const record = async (message: SQSRecord): Promise<void> => {
      const attempt = Number(message.attributes.ApproximateReceiveCount);
      const task = taskOf(message.body);
      const { id: task_id, org_id, request_id } = task;
      await hideDuringWork(worker.source.queue, message, attempt, context);
      try {
        await run(worker, { request_id, org_id, task_id, attempt }, () => handle(task, attempt));
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
 * and may get the same rows again. When it throws, the whole batch is delivered again, and everything behind it waits.
 */
export const createStreamWorker =
  (worker: Worker<{ stream: 'outbox' }>, logic: (rows: OutboxRow[]) => Promise<void>) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const rows = writtenRows(Records);
    const request_ids = [...new Set(rows.flatMap(({ request_id = [] }) => request_id))];
    await run(worker, { request_ids }, () => logic(rows));
    return { batchItemFailures: [] };
  };

/** The Lambda handler of a worker that a schedule starts. */
export const createScheduledWorker =
  (worker: Worker<{ every: `${number} minutes` }>, logic: () => Promise<void>) => async (): Promise<void> => {
    await run(worker, {}, logic);
  };

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

/** Offers a message that failed again, after the delay of its attempt. */
const offerAgain = (queue: QueueName, message: SQSRecord, attempt: number): Promise<void> =>
  hide(queue, message, retryDelay(attempt));

/**
 * Hides a message whose work begins until the function has certainly ended, plus the delay of its attempt. Its queue
 * would hide it for several times the function's time limit, because Lambda may hold a message back while it throttles
 * the function. So after a crash, a task waits hardly longer than after a failure.
 * @param context of the invocation; without one nothing is changed
 */
const hideDuringWork = async (
  queue: QueueName,
  message: SQSRecord,
  attempt: number,
  context: Pick<Context, 'getRemainingTimeInMillis'> | undefined,
): Promise<void> => {
  if (!context) return;
  const left = Math.ceil(context.getRemainingTimeInMillis() / 1_000);
  await hide(queue, message, left + retryDelay(attempt));
};
