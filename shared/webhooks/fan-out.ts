import type { Caller } from '../base/caller.ts';
import { isSubscribed } from '../domain/webhooks.ts';
import { change, MAX_TRANSACTION_WRITES, type Work } from '../table/change.ts';
import type { StoredEvent } from '../table/entities/machinery.ts';
import type { StoredDelivery, StoredWebhook } from '../table/entities/webhooks.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { MAX_BATCH_KEYS, queryRows, readRows } from '../table/rows.ts';
import type { FanOutTask } from '../table/tasks.ts';
import type { Write } from '../table/writes.ts';
import { deliveryId, deliveryWrites, newDelivery } from './deliveries.ts';
import { FILTERED_FIELDS, type Filters, filtersOn } from './filters.ts';
import { wake, wholeKeys, wholeOf } from './records.ts';

/** Endpoints of one task. More are divided among several tasks, which run at the same time. */
const MAX_ENDPOINTS = 100;

/** The fields of an event that deliveries need. */
const EVENT_FIELDS = ['id', 'type', 'sequence', 'recorded_at'] as const;
export type NumberedEvent = Pick<StoredEvent, (typeof EVENT_FIELDS)[number]>;

/** Events by their numbers, from the first to the last, without their data. */
export const eventsBetween = (
  caller: Caller,
  first: number,
  last: number,
  fields: readonly (keyof StoredEvent)[] = EVENT_FIELDS,
) =>
  queryRows(caller, {
    partition: keys.event.partition(caller),
    after: keys.event(caller, first - 1).sk,
    upTo: keys.event(caller, last).sk,
    only: fields,
  });

/** Whether an endpoint gets an event if its filter lets it pass. */
const isMeantFor = (
  { status, types, after }: Pick<StoredWebhook, 'status' | 'types' | 'after'>,
  { type, sequence }: NumberedEvent,
): boolean => status === 'active' && sequence > after && isSubscribed(types, type);

const deliveryOf = (work: Work, webhookId: string, event: NumberedEvent): StoredDelivery =>
  newDelivery(
    work,
    webhookId,
    { event_id: event.id, type: event.type, sequence: event.sequence },
    { id: deliveryId(webhookId, event), created_at: event.recorded_at },
  );

/** Endpoints that subscribe to some of the events, in the order of their ids. */
const subscribers = async (
  caller: Caller,
  { after, through }: FanOutTask,
  events: readonly NumberedEvent[],
  filtersOf: Filters,
): Promise<string[]> => {
  const found: Pick<StoredWebhook, 'id' | 'status' | 'types' | 'filter' | 'after'>[] = [];
  const only = ['id', 'status', 'types', 'filter', 'after'] as const;
  for await (const webhook of queryRows(caller, { partition: keys.all(caller, 'WEBHOOK'), after, only })) {
    if (through !== undefined && webhook.id > through) break;
    if (events.some((event) => isMeantFor(webhook, event))) found.push(webhook);
  }
  const passes = await filtersOf(found);
  return found
    .filter((webhook) => events.some((event) => isMeantFor(webhook, event) && passes(webhook, event)))
    .map(({ id }) => id);
};

/** How many endpoints one transaction serves: two writes for each delivery, and two for the worker of each endpoint. */
const groupSize = (events: number): number =>
  Math.max(1, Math.floor(Math.min(MAX_TRANSACTION_WRITES / (2 * events + 2), MAX_BATCH_KEYS / (events + 2))));

/** Creates the deliveries that do not exist yet. A task may be repeated after it has created some of them. */
const createDeliveries = (
  caller: Caller,
  ids: readonly string[],
  events: readonly NumberedEvent[],
  filtersOf: Filters,
): Promise<void> =>
  change(caller, async (work) => {
    const wanted = ids.map((id) => ({
      whole: wholeKeys(caller, id),
      deliveries: events.map((event) => deliveryOf(work, id, event)),
    }));
    const keyOf = ({ webhook_id, id }: StoredDelivery) => keys.delivery(caller, webhook_id, id);
    const rowsOf = await readRows(
      caller,
      wanted.flatMap(({ whole, deliveries }) => [...whole, ...deliveries.map(keyOf)]),
    );
    const passes = await filtersOf(wanted.flatMap(({ whole: [key] }) => rowsOf([key])[0] ?? []));
    const writes = wanted.flatMap(({ whole, deliveries }): Write[] => {
      const endpoint = wholeOf(...rowsOf(whole));
      if (!endpoint) return [];
      const existing = rowsOf(deliveries.map(keyOf));
      const missing = deliveries.filter(
        (_, position) =>
          isMeantFor(endpoint.webhook, events[position]!) &&
          passes(endpoint.webhook, events[position]!) &&
          !existing[position],
      );
      if (missing.length === 0) return [];
      return [
        ...missing.flatMap((delivery) => deliveryWrites(work, delivery)),
        ...wake(work, endpoint.state),
      ];
    });
    return { writes, reply: undefined };
  });

/** Divides the endpoints among several tasks. */
const divide = (caller: Caller, { first, last }: FanOutTask, ids: readonly string[]): Promise<void> =>
  change(caller, (work) => {
    const writes: Write[] = [];
    for (let start = 0; start < ids.length; start += MAX_ENDPOINTS) {
      const through = ids[Math.min(start + MAX_ENDPOINTS, ids.length) - 1]!;
      const after = start === 0 ? {} : { after: ids[start - 1]! };
      writes.push(enqueue(work, 'webhooks', { what: 'fan_out', first, last, ...after, through }));
    }
    return { writes, reply: undefined };
  });

/**
 * Creates the deliveries of new events to their endpoints, and wakes the workers of these endpoints. It may be
 * repeated, and interrupted at any call.
 */
export const fanOut = async (caller: Caller, task: FanOutTask): Promise<void> => {
  const events: NumberedEvent[] = await Array.fromAsync(eventsBetween(caller, task.first, task.last));
  const filtersOf = filtersOn(caller, () => eventsBetween(caller, task.first, task.last, FILTERED_FIELDS));
  const ids = await subscribers(caller, task, events, filtersOf);
  if (ids.length > MAX_ENDPOINTS && task.through === undefined) {
    await divide(caller, task, ids);
    return;
  }
  const size = groupSize(events.length);
  for (let start = 0; start < ids.length; start += size) {
    await createDeliveries(caller, ids.slice(start, start + size), events, filtersOf);
  }
};
