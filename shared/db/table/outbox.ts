import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { QueueName } from '../../base/queues.ts';
import type { Event, EventType } from '../../schemas/event.ts';
import { change } from './change.ts';
import { hasValues, isAbsent } from './conditions.ts';
import { dueAt, dueRows } from './due.ts';
import { type Key, keys } from './keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from './listing.ts';
import { getRow, getRows, queryRows, withoutKeys } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

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
  by_due_at: string;
}

/** A row's outbox fields that its organization's worker needs to act as it. */
export const actorOf = ({ org_id, actor_id }: OutboxRow): Caller => ({
  org_id,
  user_id: actor_id,
  name: 'service',
});

const outboxRow = (caller: Caller, fields: Pick<OutboxRow, 'outbox' | 'data' | 'type'>): Write => {
  const id = uuidv7();
  const now = new Date().toISOString();
  const row: OutboxRow = {
    id,
    org_id: caller.org_id,
    occurred_at: now,
    actor_id: caller.user_id,
    ...fields,
    ...dueAt('OUTBOX', id, now),
  };
  return write.create({ ...keys.outbox(caller, id), ...row });
};

/** Tells those who follow the organization what this change did. `data` holds ids, never an answer's text. */
export const emit = (caller: Caller, type: EventType, data: Record<string, string | number | null>): Write =>
  outboxRow(caller, { outbox: 'event', type, data });

/** Has a worker carry on behind this change; it is told who caused it, and may be told more than once. */
export const enqueue = (caller: Caller, queue: QueueName, message: Record<string, unknown>): Write =>
  outboxRow(caller, { outbox: queue, data: message });

/** Rows still there that were written before a time: what an outage of the stream has left behind. */
export const leftBehind = (before: Date): Promise<OutboxRow[]> => dueRows('OUTBOX', before);

/** Which of these rows are still to be handed on; a repeated delivery finds none. */
const stillThere = async (caller: Caller, rows: readonly OutboxRow[]): Promise<OutboxRow[]> => {
  const standing = await getRows<OutboxRow>(
    caller,
    rows.map(({ id }) => keys.outbox(caller, id)),
  );
  return standing.filter((row) => row !== undefined);
};

/** An event is two rows of a transaction's hundred, and one is the sequence's. */
const MOST_EVENTS = 45;

/**
 * Gives events of one organization the next numbers of its sequence, in one transaction with their leaving the
 * outbox: none is lost, none twice, and whoever has read up to a number has missed nothing before it.
 */
export const appendEvents = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  for (let start = 0; start < rows.length; start += MOST_EVENTS) {
    await change(caller, async () => {
      const sequence = keys.sequence(caller, 'EVENT');
      // Read before the rows: whoever takes one of them out in between moves the sequence and so voids this.
      const { last = 0 } = (await getRow<{ last: number }>(caller, sequence)) ?? {};
      const events = await stillThere(caller, rows.slice(start, start + MOST_EVENTS));
      if (events.length === 0) return { writes: [], reply: undefined };
      const writes = events.flatMap(({ id, type, occurred_at, actor_id, data }, position) => {
        const number = last + position + 1;
        return [
          write.create({
            ...keys.event(caller, number),
            id,
            sequence: number,
            type,
            occurred_at,
            actor_id,
            data,
          }),
          write.drop(keys.outbox(caller, id)),
        ];
      });
      return { writes: [moveSequence(sequence, last, last + events.length), ...writes], reply: undefined };
    });
  }
};

const moveSequence = (key: Key, from: number, to: number): Write =>
  write.update(key, { set: { last: to } }, from === 0 ? isAbsent : hasValues({ last: from }));

/** Takes tasks that a queue has accepted out of the outbox. */
export const dropTasks = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  await change(caller, () => ({
    writes: rows.map(({ id }) => write.drop(keys.outbox(caller, id))),
    reply: undefined,
  }));
};

/** The events of an organization after a number of its sequence, in their order. */
export const listEvents = (
  caller: Caller,
  { after, limit, ...rest }: ListQuery & { after?: number | undefined },
): Promise<Listing<Event>> => {
  const query = { ...rest, limit, after };
  const start = readCursor(caller, 'EVENT', query) ?? keys.event(caller, after ?? 0).sk;
  const rows = queryRows<Event>(caller, { partition: keys.event(caller, 0).pk, after: start });
  return listing(caller, 'EVENT', query, rows, (row) => row.sk, withoutKeys<Event>);
};
