import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../../base/caller.ts';
import type { QueueName } from '../../../base/queues.ts';
import { currentRequest } from '../../../base/request.ts';
import type { Event, EventType } from '../../../schemas/event.ts';
import { change } from '../change.ts';
import { exists, hasValues, isAbsent } from '../conditions.ts';
import type { OutboxRow, Sequence } from '../entities.ts';
import { type Key, keys } from '../keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../listing.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../rows.ts';
import * as write from '../writes.ts';
import type { Write } from '../writes.ts';
import { countFailure } from './dead-letters.ts';
import { dueAt, dueRows } from './due.ts';

/** On whose behalf a worker acts that carries on a change: the service, with the id of who made the change. */
export const actorOf = ({ org_id, actor_id }: OutboxRow): Caller => ({
  org_id,
  user_id: actor_id,
  name: 'service',
});

const outboxRow = (
  caller: Caller,
  fields: Pick<OutboxRow, 'outbox' | 'data' | 'type' | 'delay_seconds'>,
): Write => {
  const id = uuidv7();
  const now = new Date().toISOString();
  const request_id = currentRequest()?.requestId;
  const row: OutboxRow = {
    id,
    org_id: caller.org_id,
    occurred_at: now,
    actor_id: caller.user_id,
    ...(request_id !== undefined && { request_id }),
    ...fields,
    ...dueAt('OUTBOX', id, now),
  };
  return write.create({ ...keys.outbox(caller, id), ...row });
};

/** Emits an event in the transaction of a change. `data` holds ids, never the text of an answer. */
export const emit = (caller: Caller, type: EventType, data: Readonly<Record<string, unknown>>): Write =>
  outboxRow(caller, { outbox: 'event', type, data });

/**
 * Gives a worker a task in the transaction of a change. The worker may receive the task more than once.
 * @param delay how long the task waits before the worker gets it, in seconds; at most 900
 */
export const enqueue = (
  caller: Caller,
  queue: QueueName,
  message: Record<string, unknown>,
  delay = 0,
): Write => outboxRow(caller, { outbox: queue, data: message, ...(delay > 0 && { delay_seconds: delay }) });

/** Rows that the stream has not handed on and whose next attempt is due, the oldest first, page by page. */
export const leftBehind = (before: Date): AsyncGenerator<OutboxRow[]> => dueRows('OUTBOX', before);

/**
 * Counts that a row was refused, because of what it holds. It waits for its next attempt, or goes to the dead letters.
 * @returns whether it is now a dead letter
 */
export const countRefusal = (row: OutboxRow, reason: string): Promise<boolean> => {
  const caller = actorOf(row);
  const key = keys.outbox(caller, row.id);
  return countFailure(caller, 'OUTBOX', key, reason, {
    id: row.id,
    what: row.outbox,
    end: ({ attempts }) => write.remove(key, hasValues({ attempts })),
  });
};

/** Those of these rows that were not handed on yet. A repeated delivery finds none. */
const stillThere = async (caller: Caller, rows: readonly OutboxRow[]): Promise<OutboxRow[]> => {
  const standing = await getRows(
    caller,
    rows.map(({ id }) => keys.outbox(caller, id)),
  );
  return standing.filter((row) => row !== undefined);
};

/** Events of one transaction. Each takes two writes, and the sequence takes one. */
export const MAX_EVENTS = 45;

/**
 * Gives events of one organization the next numbers of its sequence, and deletes them from the outbox in the same
 * transaction. No event is lost or numbered twice, and a client that has read up to a number has missed none before it.
 */
export const appendEvents = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  for (let start = 0; start < rows.length; start += MAX_EVENTS) {
    await change(caller, async () => {
      const sequence = keys.sequence(caller, 'EVENT');
      // Read before the rows: another worker that takes one of them moves the sequence, and this change fails.
      const { last = 0 } = (await getRow(caller, sequence)) ?? {};
      const events = await stillThere(caller, rows.slice(start, start + MAX_EVENTS));
      if (events.length === 0) return { writes: [], reply: undefined };
      const writes = events.flatMap(
        ({ id, type, occurred_at, actor_id, request_id = null, data }, position) => {
          const number = last + position + 1;
          return [
            write.create({
              ...keys.event(caller, number),
              id,
              sequence: number,
              type: type!,
              occurred_at,
              actor_id,
              request_id,
              data,
            }),
            write.remove(keys.outbox(caller, id), exists),
          ];
        },
      );
      return { writes: [moveSequence(sequence, last, last + events.length), ...writes], reply: undefined };
    });
  }
};

const moveSequence = (key: Key<Sequence>, from: number, to: number): Write =>
  write.update(key, { set: { last: to } }, from === 0 ? isAbsent : hasValues({ last: from }));

/** Deletes tasks from the outbox that a queue has accepted. */
export const dropTasks = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  await change(caller, () => ({
    writes: rows.map(({ id }) => write.drop(keys.outbox(caller, id))),
    reply: undefined,
  }));
};

/** The events of an organization after a number of its sequence, in order. */
export const listEvents = (
  caller: Caller,
  { after, limit, ...rest }: ListQuery & { after?: number | undefined },
): Promise<Listing<Event>> => {
  const query = { ...rest, limit, after };
  const start = readCursor(caller, 'EVENT', query) ?? keys.event(caller, after ?? 0).sk;
  const rows = queryRows(caller, { partition: keys.events(caller), after: start });
  return listing(caller, 'EVENT', query, rows, (row) => row.sk, withoutKeys);
};
