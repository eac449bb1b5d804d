import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../domain/caller.ts';
import type { QueueName } from '../http/grants.ts';
import type { EventType } from '../schemas/event.ts';
import { duePartition, keys, shardOf } from './keys.ts';
import { create, type Write } from './writes.ts';

/**
 * What a change leaves for the world behind it, written in its own transaction: an event to be told, or a
 * task for a worker's queue. The stream hands each on; a row that stays is found by the sweeper.
 */
export interface OutboxRow {
  id: string;
  org_id: string;
  /** Also what the stream's filter looks for. */
  outbox: 'event' | QueueName;
  occurred_at: string;
  actor_id: string;
  /** Of an event. */
  type?: EventType;
  /** Of an event, what it tells; of a task, the worker's message. */
  data: Record<string, unknown>;
  by_due: string;
  due_at: string;
}

const outboxRow = (caller: Caller, fields: Pick<OutboxRow, 'outbox' | 'data' | 'type'>): Write => {
  const id = uuidv7();
  const now = new Date().toISOString();
  const row: OutboxRow = {
    id,
    org_id: caller.org_id,
    occurred_at: now,
    actor_id: caller.user_id,
    ...fields,
    by_due: duePartition(shardOf(id)),
    due_at: now,
  };
  return create({ ...keys.outbox(caller, id), ...row });
};

/** Tells those who follow the organization what this change did. `data` holds ids, never an answer's text. */
export const emit = (caller: Caller, type: EventType, data: Record<string, string | number | null>): Write =>
  outboxRow(caller, { outbox: 'event', type, data });

/** Has a worker carry on behind this change; it is told who caused it, and may be told more than once. */
export const enqueue = (caller: Caller, queue: QueueName, message: Record<string, string>): Write =>
  outboxRow(caller, { outbox: queue, data: message });
