import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import * as errors from '../base/errors.ts';
import { currentRequest } from '../base/request.ts';
import { expectScope, scopeForEvent, seesEvent } from '../domain/key-scopes.ts';
import { isNamed } from '../domain/webhooks.ts';
import { present } from '../schemas/projection.ts';
import {
  type DeliveredType,
  type DeliveryQuery,
  WebhookDelivery,
  WebhookDeliveryDetails,
} from '../schemas/webhook.ts';
import { audit } from '../table/audit.ts';
import { change, type Work } from '../table/change.ts';
import type { StoredEvent } from '../table/entities/machinery.ts';
import type { StoredDelivery } from '../table/entities/webhooks.ts';
import { lastIdBefore, timeOfId } from '../table/id-times.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { eventDocument } from '../table/outbox/outbox.ts';
import { getRow, getRows, queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import {
  expectActive,
  getWebhook,
  iso,
  keptUntil,
  wake,
  webhookRecords,
  wholeKeys,
  wholeOf,
  type WholeWebhook,
} from './records.ts';

/** The type of the message that only checks whether an endpoint works. */
const TEST = 'webhook.test' satisfies DeliveredType;

/** The place in the queue of a delivery that a person waits for: before all others. */
const AT_ONCE = iso(0);

/** The event or test that a new delivery sends. */
type Message = Pick<StoredDelivery, 'event_id' | 'type' | 'sequence'> & { body?: string | undefined };

/**
 * The body of a delivery: the document of its event, in the same bytes each time, or the message of a test.
 * @throws Error when the event is gone, which cannot happen: events are kept for longer than deliveries
 */
export const contentOf = (
  { body, sequence }: StoredDelivery,
  event: Row<StoredEvent> | undefined,
): string => {
  if (body !== undefined) return body;
  if (!event) throw new Error(`event ${sequence} of a delivery is gone`);
  return JSON.stringify(eventDocument(event));
};

export const isTest = ({ type }: { type: DeliveredType }): boolean => type === TEST;

/** A delivery as lists show it. */
export const toDelivery = (delivery: StoredDelivery): WebhookDelivery =>
  present(WebhookDelivery, delivery, {
    is_test: isTest(delivery),
    attempts_count: delivery.attempts.length,
    last_attempt: delivery.attempts.at(-1) ?? null,
  });

/**
 * A delivery that waits to be sent.
 *
 *                  a worker sends it
 *              +------------------------> succeeded
 *   pending ---+------------------------> failed, after its last attempt
 *    ^   |     +------------------------> cancelled, when its endpoint is disabled
 *    +---+
 *    another attempt is left: it waits for that
 *
 * @param queued_at its place in the queue, ISO 8601: deliveries with earlier times are sent first. The default is
 *   `created_at`
 */
export const newDelivery = (
  work: Work,
  webhook_id: string,
  { event_id, type, sequence, body }: Message,
  {
    id = uuidv7(),
    created_at = work.now,
    queued_at,
  }: Partial<Record<'id' | 'created_at' | 'queued_at', string>> = {},
): StoredDelivery => ({
  id,
  webhook_id,
  event_id,
  type,
  sequence,
  status: 'pending',
  created_at,
  next_attempt_at: created_at,
  queued_at: queued_at ?? created_at,
  attempts: [],
  request: null,
  ...(body !== undefined && { body }),
  ttl: keptUntil(work),
});

/**
 * The id of the first delivery of an event: in the order of events, and the same in a repeated task, because its random
 * part is a hash.
 */
export const deliveryId = (
  webhookId: string,
  { id, recorded_at }: Pick<StoredEvent, 'id' | 'recorded_at'>,
): string =>
  uuidv7({
    msecs: Date.parse(recorded_at),
    random: Buffer.from(sha256(`${webhookId}\n${id}`), 'hex').subarray(0, 16),
  });

/** The key of a delivery in the list of pending ones. */
export const pendingKey = (caller: Caller, { webhook_id, queued_at, id }: StoredDelivery) =>
  keys.pendingDelivery(caller, webhook_id, queued_at!, id);

/** Adds a delivery to the list of pending ones. */
export const queueWrite = (caller: Caller, delivery: StoredDelivery): Write => {
  const { id, created_at, ttl } = delivery;
  return write.create({ ...pendingKey(caller, delivery), delivery_id: id, created_at, ttl });
};

/** The rows of a new delivery. */
export const deliveryWrites = (caller: Caller, delivery: StoredDelivery): Write[] => [
  write.create({ ...keys.delivery(caller, delivery.webhook_id, delivery.id), ...delivery }),
  queueWrite(caller, delivery),
];

/** An endpoint and a delivery to it. One call. @throws ApiError 404 */
const find = async (caller: Caller, webhookId: string, id: string) => {
  const [webhook, state, delivery] = await getRows(caller, [
    ...wholeKeys(caller, webhookId),
    keys.delivery(caller, webhookId, id),
  ]);
  const whole = wholeOf(webhook, state);
  if (!whole) throw errors.notFound(webhookRecords.noun);
  if (!delivery) throw errors.notFound('delivery');
  return { ...whole, delivery };
};

/** Creates a delivery that is sent at once, also while the endpoint fails. @throws ApiError 409 for a disabled one */
const sendNow = (
  work: Work,
  { webhook, state }: WholeWebhook,
  action: 'webhook.tested' | 'webhook.replayed',
  message: Message,
) => {
  expectActive(webhook);
  const delivery = newDelivery(work, webhook.id, message, { queued_at: AT_ONCE });
  return {
    writes: [
      ...deliveryWrites(work, delivery),
      ...wake(work, state, state.probe_at === null ? {} : { probe_at: work.now }),
      audit(work, action, webhook.id),
    ],
    reply: toDelivery(delivery),
  };
};

/** Sends a message that only checks whether an endpoint works. @throws ApiError 404; 409 for one that is disabled */
export const sendTest = (caller: Caller, webhookId: string): Promise<WebhookDelivery> =>
  change(caller, async (work) => {
    const id = uuidv7();
    const document = {
      type: TEST,
      id,
      sequence: null,
      timestamp: work.now,
      organization_id: caller.org_id,
      actor_id: caller.user_id,
      acted_via_key_id: caller.acted_via_key_id ?? null,
      request_id: currentRequest()?.requestId ?? null,
      data: { webhook_id: webhookId },
    };
    const body = JSON.stringify(document);
    const message = { event_id: id, type: TEST, sequence: null, body } as const;
    return sendNow(work, await getWebhook(caller, webhookId), 'webhook.tested', message);
  });

/**
 * Sends the message of a delivery once more.
 * @throws ApiError 404; 403 for a key that may not read the event; 409 for an endpoint that is disabled
 */
export const sendAgain = (caller: Caller, webhookId: string, id: string): Promise<WebhookDelivery> =>
  change(caller, async (work) => {
    const { delivery, ...whole } = await find(caller, webhookId, id);
    expectScope(caller, scopeForEvent(delivery.type));
    return sendNow(work, whole, 'webhook.replayed', delivery);
  });

/** The first delivery of an event, as a list. Two reads. */
const ofEvent = async (caller: Caller, webhookId: string, sequence: number) => {
  const event = await getRow(caller, keys.event(caller, sequence));
  const delivery =
    event && (await getRow(caller, keys.delivery(caller, webhookId, deliveryId(webhookId, event))));
  return { page: delivery ? [toDelivery(delivery)] : [] };
};

/**
 * The deliveries of some types in a period. The time of a first delivery's id is that of its event, so the deliveries
 * come newest first, and nothing before the period is read.
 */
const wanted = async function* (
  rows: AsyncIterable<Row<StoredDelivery>>,
  { types, since, until }: DeliveryQuery,
): AsyncGenerator<Row<StoredDelivery>> {
  for await (const row of rows) {
    const at = timeOfId(row.id);
    if (since !== undefined && at < since) return;
    if ((until === undefined || at <= until) && (types === undefined || isNamed(types, row.type))) yield row;
  }
};

/** The deliveries to an endpoint, newest first. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  webhookId: string,
  query: DeliveryQuery,
): Promise<Listing<WebhookDelivery>> => {
  const name = `DELIVERY ${webhookId}`;
  const after = readCursor(caller, name, query);
  await webhookRecords.get(caller, webhookId);
  if (query.sequence !== undefined) return ofEvent(caller, webhookId, query.sequence);
  const end = query.until && keys.delivery(caller, webhookId, lastIdBefore(query.until)).sk;
  const rows = queryRows(caller, {
    ...keys.parts(caller, 'WEBHOOK', webhookId, 'DELIVERY'),
    after: [after, end].filter((sk) => sk !== undefined).toSorted()[0],
    newestFirst: true,
    where: { status: query.status, type: query.type },
  });
  return listing(caller, name, query, wanted(rows, query), ({ sk }) => sk, toDelivery);
};

/** The request of a delivery, as far as it is known before the first attempt. */
const plannedRequest = (url: string, { event_id }: StoredDelivery) => ({
  url,
  headers: { 'content-type': 'application/json', 'webhook-id': event_id },
});

/** A delivery with its request and its attempts. @throws ApiError 404 */
export const get = async (caller: Caller, webhookId: string, id: string): Promise<WebhookDeliveryDetails> => {
  const { webhook, delivery } = await find(caller, webhookId, id);
  const { sequence, request } = delivery;
  const sees = seesEvent(caller, delivery.type);
  const event = !sees || sequence === null ? undefined : await getRow(caller, keys.event(caller, sequence));
  return present(WebhookDeliveryDetails, delivery, {
    ...toDelivery(delivery),
    request: {
      ...(request ?? plannedRequest(webhook.url, delivery)),
      body: sees ? contentOf(delivery, event) : '',
    },
    // A receiver may repeat in its reply what it got.
    attempts: sees
      ? delivery.attempts
      : delivery.attempts.map((attempt) => ({ ...attempt, reply_headers: {}, reply_body: '' })),
  });
};
