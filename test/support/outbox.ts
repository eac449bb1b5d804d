import type { SQSBatchResponse } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../shared/base/caller.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import { EVENTS, type EventType } from '../../shared/schemas/event-data.ts';
import { present } from '../../shared/schemas/projection.ts';
import { workOf } from '../../shared/table/change.ts';
import type { OutboxEvent, OutboxRow, OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { emit, eventData } from '../../shared/table/outbox/outbox.ts';
import { queryRows } from '../../shared/table/rows.ts';
import type { Write } from '../../shared/table/writes.ts';

/** The events and tasks in the outbox of an organization, in their order. */
export const outboxOf = (caller: Caller): Promise<OutboxRow[]> =>
  Array.fromAsync(queryRows<OutboxRow>(caller, { partition: keys.outbox.partition(caller) }));

/** A task that waits in the outbox. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it, whatever its queue
export type WaitingTask = OutboxTask & { data: any };

/** The tasks in the outbox of an organization, in their order. */
export const waitingTasks = async (caller: Caller): Promise<WaitingTask[]> =>
  (await outboxOf(caller)).filter((row) => row.outbox !== 'event');

/** An event that waits in the outbox. */
interface WaitingEvent {
  id: string;
  actor_id: string;
  type: EventType;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it, whatever its type
  data: any;
}

/** The events in the outbox of an organization, in their order. */
export const waitingEvents = async (caller: Caller): Promise<WaitingEvent[]> =>
  (await outboxOf(caller))
    .filter((row) => row.outbox === 'event')
    .map((row: OutboxEvent) => ({
      id: row.id,
      actor_id: row.actor_id,
      type: row.type,
      data: eventData(row),
    }));

/** The write of an event that a test knows again by its note. */
export const notedEvent = (caller: Caller, note: string | number): Write => {
  const id = uuidv7();
  const comment = {
    id,
    kind: 'commented' as const,
    actor_id: caller.user_id,
    acted_via_key_id: null,
    from: null,
    to: null,
    note: String(note),
    at: new Date().toISOString(),
    corrective_action_id: id,
  };
  const type = 'corrective_action.commented';
  return emit(workOf(caller), type, present(EVENTS[type].data, comment));
};

type QueueHandler = (event: never, context?: never) => Promise<SQSBatchResponse>;

/**
 * Delivers a task to its worker as SQS does.
 * @param milliseconds the time that the function has; without limit if not given
 * @returns whether the worker accepted it
 */
export const deliver = async (
  handler: QueueHandler,
  task: OutboxRow,
  attempt = 1,
  milliseconds?: number,
): Promise<boolean> => {
  const record = {
    messageId: task.id,
    body: JSON.stringify(task),
    attributes: { ApproximateReceiveCount: String(attempt) },
  };
  const context = milliseconds !== undefined && { getRemainingTimeInMillis: () => milliseconds };
  const { batchItemFailures } = await handler(
    { Records: [record] } as never,
    (context || undefined) as never,
  );
  return batchItemFailures.length === 0;
};

export const deliverLast = (handler: QueueHandler, task: OutboxRow): Promise<boolean> =>
  deliver(handler, task, QUEUE_ATTEMPTS);
