import { gunzipSync, gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, viaKey } from '../../base/caller.ts';
import type { QueueName } from '../../base/queues.ts';
import { currentRequest } from '../../base/request.ts';
import type { EventData, EventType } from '../../schemas/event-data.ts';
import type { Event } from '../../schemas/event.ts';
import type { Presented } from '../../schemas/projection.ts';
import { change, takeWhatFits, type Work } from '../change.ts';
import { exists, hasValues } from '../conditions.ts';
import type {
  ChangedAnswers,
  EventSequence,
  EventSubject,
  InOutbox,
  OutboxEvent,
  OutboxRow,
  OutboxTask,
  StoredEvent,
} from '../entities/machinery.ts';
import { upgradedData } from '../forms.ts';
import { type Key, keys } from '../keys.ts';
import { getRow, getRows, queryRows, readRow } from '../rows.ts';
import type { Tasks } from '../tasks.ts';
import * as write from '../writes.ts';
import type { Write } from '../writes.ts';
import { countFailure } from './dead-letters.ts';
import { dueAt, dueRows } from './due.ts';

/** How long an event is kept, in seconds: 400 days. */
const KEPT_SECONDS = 400 * 86_400;

/** On whose behalf a worker acts that carries on a change: the service, with the id of who made the change. */
export const actorOf = ({
  org_id,
  actor_id,
  ...row
}: Pick<OutboxRow, 'org_id' | 'actor_id' | 'acted_via_key_id'>): Caller => ({
  org_id,
  user_id: actor_id,
  ...viaKey(row),
  name: 'service',
});

/** What the rows of events and tasks have in common, with their keys. */
const inOutbox = (work: Work): InOutbox & Pick<Key, 'pk' | 'sk'> => {
  const id = uuidv7();
  const request_id = currentRequest()?.requestId;
  const { pk, sk } = keys.outbox(work, id);
  return {
    pk,
    sk,
    id,
    org_id: work.org_id,
    occurred_at: work.now,
    actor_id: work.user_id,
    ...viaKey(work),
    ...(request_id !== undefined && { request_id }),
    ...dueAt('OUTBOX', id, work.now),
  };
};

/** The data of an event as it is stored. It fits into a row wherever its resource does. */
const encoded = (data: object): Uint8Array => gzipSync(JSON.stringify(data));

/** The data of an event that was stored, as this release would store it. */
export const eventData = ({ type, body }: Pick<StoredEvent, 'type' | 'body'>): Event['data'] =>
  // `emit` has written it with the data of its type.
  upgradedData(type, JSON.parse(gunzipSync(body).toString())) as Event['data'];

/** What an inspection is about, for the events of what is in it. */
export const aboutOf = ({
  template_family_id,
  client_account_id,
  location_id,
}: EventSubject): EventSubject => ({
  template_family_id,
  client_account_id,
  location_id,
});

/**
 * Emits an event in the transaction of a change.
 * @param data what GET shows right after the change; of a deletion, before it. See `EVENTS`
 * @param beside `answers_of`: the inspection whose answers are to be read again, for those who follow answers; `about`:
 *   what filters of webhooks ask for, where the data does not tell it
 */
export const emit = <Type extends EventType>(
  work: Work,
  type: Type,
  data: Presented<EventData<Type>>,
  beside: Pick<OutboxEvent, 'answers_of' | 'about'> = {},
): Write =>
  write.create<OutboxEvent>({
    ...inOutbox(work),
    outbox: 'event',
    type,
    body: encoded(data),
    ...beside,
  });

/**
 * Gives a worker a task in the transaction of a change. The worker may receive the task more than once.
 * @param delay how long the task waits before the worker gets it, in seconds; at most 900
 */
export const enqueue = <Queue extends QueueName>(
  work: Work,
  queue: Queue,
  task: Tasks[Queue],
  delay = 0,
): Write =>
  write.create<OutboxTask<Queue>>({
    ...inOutbox(work),
    outbox: queue,
    data: task,
    ...(delay > 0 && { delay_seconds: delay }),
  });

/**
 * Gives a worker a task again, in the transaction of a change. It keeps its id, by which the worker knows what it has
 * done of it.
 */
export const enqueueAgain = (work: Work, { id, ...task }: OutboxTask): Write => {
  const { delay_seconds: _, attempts: __, ...rest } = task;
  return write.put({ ...rest, ...keys.outbox(work, id), id, ...dueAt('OUTBOX', id, work.now) });
};

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

/** Rows of one page, for a reader who may need no more than the first. */
const FIRST_ROWS = 25;

/** The events and tasks that were not handed on yet, the oldest first. */
export const waitingRows = (caller: Caller): AsyncGenerator<OutboxRow> =>
  queryRows<OutboxRow>(caller, { partition: keys.outbox.partition(caller), pageSize: FIRST_ROWS });

/** Those of these events that were not handed on yet, as they are stored. A repeated delivery finds none. */
export const stillThere = async (caller: Caller, rows: readonly OutboxRow[]): Promise<OutboxEvent[]> => {
  const standing = await getRows(
    caller,
    rows.map(({ id }) => keys.outbox(caller, id)),
  );
  // Tasks go to their queues; this room sees events alone.
  return standing.filter((row) => row?.outbox === 'event');
};

/** Events of one transaction. Each takes up to three writes; the sequence and the task for endpoints take one each. */
export const MAX_EVENTS = 32;

/**
 * Bytes of the events of one transaction. Each counts twice, created and removed, and a transaction holds at most 4 MB
 * (Amazon DynamoDB quotas); the rest is room for keys.
 */
const MAX_EVENT_BYTES = 1_800_000;

/** As many of these events, in their order, as one transaction can append. */
const oneTransaction = (events: readonly OutboxEvent[]): OutboxEvent[] => {
  const taken: OutboxEvent[] = [];
  let bytes = 0;
  takeWhatFits(
    events,
    ({ body }) => taken.length < MAX_EVENTS && bytes + body.length <= MAX_EVENT_BYTES,
    (event) => {
      taken.push(event);
      bytes += event.body.length;
    },
  );
  return taken;
};

/** An event of the outbox with a number of its organization's sequence. */
const numbered = (
  { id, org_id, type, occurred_at, actor_id, request_id, body, about, ...row }: OutboxEvent,
  sequence: number,
  recorded_at: string,
): StoredEvent => ({
  id,
  sequence,
  org_id,
  type,
  timestamp: occurred_at,
  recorded_at,
  actor_id,
  ...viaKey(row),
  request_id: request_id ?? null,
  body,
  ...(about && { about }),
  ttl: Math.ceil(Date.parse(occurred_at) / 1_000) + KEPT_SECONDS,
});

/** What those who follow the answers of a template family find under the number of an event; nothing for most events. */
const answerChanges = (
  caller: Caller,
  { answers_of }: OutboxEvent,
  { sequence, recorded_at, ttl }: StoredEvent,
): Write[] => {
  if (!answers_of) return [];
  const { template_family_id, ...changed } = answers_of;
  const row: ChangedAnswers = { ...changed, sequence, recorded_at, ttl };
  return [write.create({ ...keys.changedAnswers(caller, template_family_id, sequence), ...row })];
};

/**
 * Gives events of one organization the next numbers of its sequence, and deletes them from the outbox in the same
 * transaction. No event is lost or numbered twice, and a client that has read up to a number has missed none before it.
 */
export const appendEvents = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  for (let start = 0; start < rows.length; start += MAX_EVENTS) {
    let isRest = true;
    while (isRest) isRest = await appendSome(caller, rows.slice(start, start + MAX_EVENTS));
  }
};

/** Appends as many of these events as one transaction can. @returns whether some are left */
const appendSome = (caller: Caller, rows: readonly OutboxRow[]): Promise<boolean> =>
  change(caller, async (work) => {
    // Read before the rows: another worker that takes one of them moves the sequence, and this change fails.
    const sequence: EventSequence = (await getRow(work, keys.eventSequence(work))) ?? {};
    const { last = 0 } = sequence;
    const waiting = await stillThere(work, rows);
    const events = oneTransaction(waiting);
    if (events.length === 0) return { writes: [], reply: false };
    // Another clock may be ahead of this one. Whoever asks for what was recorded since a time misses nothing.
    const recorded_at = [work.now, sequence.recorded_at ?? ''].toSorted()[1]!;
    const writes = events.flatMap((event, position) => {
      const number = last + position + 1;
      const row = numbered(event, number, recorded_at);
      return [
        write.create({ ...keys.event(work, number), ...row }),
        ...answerChanges(work, event, row),
        write.remove(keys.outbox(work, event.id), exists),
      ];
    });
    return {
      writes: [
        moveSequence(work, sequence, { last: last + events.length, recorded_at }),
        ...fanOutTasks(work, sequence, last + 1, last + events.length),
        ...writes,
      ],
      reply: events.length < waiting.length,
    };
  });

/** The sequence is as it was read: it has given no number since then, and no endpoint was added or removed. */
export const isSequenceAsRead = ({ last, webhooks, active_webhooks }: EventSequence) =>
  hasValues({ last, webhooks, active_webhooks });

const moveSequence = (
  caller: Caller,
  sequence: EventSequence,
  to: Required<Pick<EventSequence, 'last' | 'recorded_at'>>,
): Write => write.update(keys.eventSequence(caller), { set: to }, isSequenceAsRead(sequence));

/** An organization without endpoints needs no task. One that is added now changes the sequence, so it is not missed. */
const fanOutTasks = (
  work: Work,
  { active_webhooks = 0 }: EventSequence,
  first: number,
  last: number,
): Write[] => (active_webhooks > 0 ? [enqueue(work, 'webhooks', { what: 'fan_out', first, last })] : []);

/** Deletes tasks from the outbox that a queue has accepted. */
export const dropTasks = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  await change(caller, (work) => ({
    writes: rows.map(({ id }) => write.drop(keys.outbox(work, id))),
    reply: undefined,
  }));
};

/** An event as everybody gets it. As JSON it is always the same bytes. */
export const eventDocument = (row: StoredEvent): Event => {
  const { type, id, sequence, timestamp, org_id: organization_id, actor_id, request_id } = row;
  const acted_via_key_id = row.acted_via_key_id ?? null;
  const data = eventData(row);
  // The type and the data of one row belong together, which the union does not see.
  return {
    type,
    id,
    sequence,
    timestamp,
    organization_id,
    actor_id,
    acted_via_key_id,
    request_id,
    data,
  } as Event;
};

/** The rows that were written to the outbox, from the records of its stream. Other records are of deleted rows. */
export const writtenRows = (records: readonly DynamoDBRecord[]): OutboxRow[] =>
  records.flatMap(({ dynamodb }) =>
    dynamodb?.NewImage
      ? // The stream's events have types of their own.
        [readRow<OutboxRow>(unmarshall(dynamodb.NewImage as Record<string, AttributeValue>))]
      : [],
  );
