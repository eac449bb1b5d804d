import type { SQSBatchResponse } from 'aws-lambda';
import type { Caller } from '../../shared/base/caller.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import type { OutboxRow } from '../../shared/db/table/entities.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { queryRows } from '../../shared/db/table/rows.ts';

/** The events and tasks in the outbox of an organization, in their order. */
export const outboxOf = (caller: Caller): Promise<OutboxRow[]> =>
  Array.fromAsync(queryRows<OutboxRow>(caller, { partition: keys.outbox(caller, '').pk }));

type QueueHandler = (event: never) => Promise<SQSBatchResponse>;

/** Delivers a task to its worker as SQS does. @returns whether the worker accepted it */
export const deliver = async (handler: QueueHandler, task: OutboxRow, attempt = 1): Promise<boolean> => {
  const record = {
    messageId: task.id,
    body: JSON.stringify(task),
    attributes: { ApproximateReceiveCount: String(attempt) },
  };
  const { batchItemFailures } = await handler({ Records: [record] } as never);
  return batchItemFailures.length === 0;
};

export const deliverLast = (handler: QueueHandler, task: OutboxRow): Promise<boolean> =>
  deliver(handler, task, QUEUE_ATTEMPTS);
