import { gzipSync } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import { scopeFor, scopeForEvent } from '../../shared/domain/key-scopes.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { KEY_SCOPES, type KeyScope } from '../../shared/schemas/api-key.ts';
import { EVENT_TYPES, EVENTS, type EventType, isSent } from '../../shared/schemas/event-data.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { WebhookDeliveryDetails } from '../../shared/schemas/webhook.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import type { Write } from '../../shared/table/writes.ts';
import { newDelivery, deliveryWrites } from '../../shared/webhooks/deliveries.ts';
import { as } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { useClock } from '../support/clock.ts';
import { newAdmin, type Admin } from './fixtures.ts';

/*
 * A key sees of an event what it could read of the resource itself. Each type of event is tried in each place that
 * shows or sends events.
 */

useClock();

/** What the events are about, and all that they tell. */
const SECRET = '018f0000-0000-7000-8000-000000000000';
const ATTEMPT = {
  duration_ms: 5,
  status_code: 200,
  error: null,
  reply_headers: { echo: SECRET },
  reply_body: SECRET,
};

let admin: Admin;
let webhookId: string;
let events: Event[];
/** The id of the delivery that sends the event of each type. */
const deliveries = new Map<EventType, string>();

const storedEvent = (type: EventType, sequence: number): Write => {
  const { caller } = admin;
  const at = new Date().toISOString();
  const data = { [EVENTS[type].idIn]: SECRET };
  return write.create({
    ...keys.event(caller, sequence),
    id: uuidv7(),
    sequence,
    org_id: caller.org_id,
    type,
    timestamp: at,
    recorded_at: at,
    actor_id: caller.user_id,
    request_id: null,
    body: gzipSync(JSON.stringify(data)),
    ttl: Math.ceil(Date.now() / 1_000) + 400 * 86_400,
  });
};

beforeAll(async () => {
  admin = await newAdmin();
  const webhook = await as(admin).webhooks.create({
    body: { url: 'https://hooks.example.com/in', types: ['*'] },
  });
  webhookId = webhook.id;
  // As they are stored. Those that a change emits would have to be whole.
  const writes = EVENT_TYPES.map((type, position) => storedEvent(type, position + 1));
  await Promise.all(writes.map((one) => change(admin.caller, () => ({ writes: [one], reply: undefined }))));
  events = await as(admin).events.list();
  expect(events.every(({ data }) => JSON.stringify(data).includes(SECRET))).toBe(true);
  for (const { id, type, sequence } of events)
    await change(admin.caller, (work) => {
      const delivery = newDelivery(work, webhookId, { event_id: id, type, sequence });
      deliveries.set(type, delivery.id);
      const attempts = [{ ...ATTEMPT, at: work.now }];
      return { writes: deliveryWrites(work, { ...delivery, attempts }), reply: undefined };
    });
});

/** A key with these scopes and those of events and webhooks. */
const keyWith = async (scopes: readonly string[]): Promise<string> => {
  const all = ['events:read', 'webhooks:write', ...scopes] as KeyScope[];
  const made = await apiKeys.create(admin.caller, { name: 'Sync', access: 'read_write', scopes: all });
  return made.key;
};

const others = (type: EventType): string[] =>
  KEY_SCOPES.filter(
    (scope) =>
      scope.endsWith(':read') &&
      scope !== scopeForEvent(type) &&
      scope !== 'events:read' &&
      scope !== 'webhooks:read',
  );

interface Keys {
  /** Has the scope of a type of event. */
  reader: string;
  /** Has every other scope. */
  stranger: string;
}

const keysOfScopes = new Map<string, Promise<Keys>>();
/** The types of a scope share their keys. */
const keysFor = (type: EventType): Promise<Keys> => {
  const scope = scopeForEvent(type)!;
  const make = async () => ({
    reader: await keyWith([scope]),
    stranger: await keyWith(others(type)),
  });
  const made = keysOfScopes.get(scope) ?? make();
  keysOfScopes.set(scope, made);
  return made;
};

const lists = new Map<string, Promise<Event[]>>();
/** All events that a key lists; they are the same for each type. */
const listOf = (key: string): Promise<Event[]> => {
  const listed = lists.get(key) ?? (as(key).events.list() as Promise<Event[]>);
  lists.set(key, listed);
  return listed;
};

/** What a key gets in each place, of one type of event. */
const placesOf = (type: EventType) => {
  const params = { webhook_id: webhookId, delivery_id: deliveries.get(type)! };
  const group = `${type.split('.')[0]!}.*`;
  const url = 'https://hooks.example.com/own';
  return {
    list: async (key: string) => (await listOf(key)).filter((event) => event.type === type),
    found: async (key: string) => {
      const query = { types: type, resource_id: SECRET };
      return (await as(key).events.list({ query })) as Event[];
    },
    delivery: async (key: string): Promise<WebhookDeliveryDetails> =>
      as(key).webhooks.getDelivery({ params }),
    sends: {
      replayDelivery: (key: string) => as(key).try.webhooks.replayDelivery({ params }),
      replayEvents: (key: string) =>
        as(key).try.webhooks.replayEvents({
          params: { webhook_id: webhookId },
          body: { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:01Z', types: [type] },
        }),
      create: (key: string) => as(key).try.webhooks.create({ body: { url, types: [type] } }),
      createForKind: (key: string) => as(key).try.webhooks.create({ body: { url, types: [group] } }),
    },
  };
};

test.each(EVENT_TYPES)('%s is read with the scope of a GET that replies with its data', (type) => {
  const { data } = EVENTS[type];
  const options: readonly z.ZodType[] = 'options' in data ? data.options : [data];
  const fields = (schema: z.ZodType) => Object.keys((schema as z.ZodObject).shape ?? {});
  const replies = operationEntries()
    .filter(({ operation }) => operation.method === 'GET' && scopeFor(operation) === scopeForEvent(type))
    .flatMap(({ operation: { response } }) =>
      response instanceof z.ZodArray
        ? [response.element as z.ZodType]
        : response
          ? [response as z.ZodType]
          : [],
    )
    .map((reply) => new Set(fields(reply)));
  // What no GET has: which correction, which action, which answers, and by when an occurrence was to be started.
  const own = new Set(['correction_id', 'corrective_action_id', 'answers', 'missed_after']);
  for (const option of options) {
    const wanted = fields(option).filter((name) => !own.has(name));
    expect(wanted.length).toBeGreaterThan(0);
    const best = Math.max(...replies.map((reply) => wanted.filter((name) => reply.has(name)).length));
    expect([type, best]).toEqual([type, wanted.length]);
  }
});

test.each(EVENT_TYPES)(
  '%s: all of it with its scope, and nothing that it tells with every other one',
  async (type) => {
    const places = placesOf(type);
    const { reader, stranger } = await keysFor(type);
    const event = events.find((each) => each.type === type)!;
    const { id } = event;
    expect(await places.list(reader)).toEqual([event]);
    expect(await places.list(stranger)).toEqual([]);
    expect((await places.found(reader)).map((each) => each.id)).toEqual([id]);
    expect(await places.found(stranger)).toEqual([]);
    if (!isSent(type)) return;
    expect((await places.delivery(reader)).request.body).toBe(JSON.stringify(event));
    const withheld = await places.delivery(stranger);
    expect(withheld.request.body).toBe('');
    expect(withheld.event_id).toBe(id);
    expect(JSON.stringify(withheld)).not.toContain(SECRET);
    for (const [name, send] of Object.entries(places.sends)) {
      const refused = await send(stranger);
      const lacking = `This API key lacks the scope ${scopeForEvent(type)}.`;
      expect([name, refused.status, refused.body.detail]).toEqual([name, 403, lacking]);
    }
    expect((await places.sends.create(reader)).status).toBe(201);
    expect((await places.sends.createForKind(reader)).status).toBe(201);
    expect((await places.sends.replayDelivery(reader)).status).toBe(202);
  },
);

test('403 for an endpoint of others that would get what the key may not read; 200 to disable it', async () => {
  const key = await keyWith(['issues:read']);
  const params = { webhook_id: webhookId };
  const update = (body: object) => as(key).try.webhooks.update({ params, body });
  for (const body of [
    { url: 'https://hooks.example.com/own' },
    { types: ['issue.*'] },
    { description: 'Theirs' },
    { status: 'active' },
  ])
    expect([body, (await update(body)).status]).toEqual([body, 403]);
  const own = await as(key).webhooks.create({
    body: { url: 'https://hooks.example.com/own', types: ['issue.*'] },
  });
  const widened = await as(key).try.webhooks.update({
    params: { webhook_id: own.id },
    body: { types: ['*'] },
  });
  expect(widened.status).toBe(403);
  expect((await update({ status: 'disabled' })).status).toBe(200);
  const all = await as(admin).webhooks.update({ params, body: { status: 'active' } });
  expect(all.status).toBe('active');
});

test('403 for the rows of a bulk change without the scope to read what it changes', async () => {
  const { id } = await as(admin).bulkChanges.create({
    body: { resource: 'locations', filter: {}, action: { type: 'archive' }, dry_run: true },
  });
  const rowsWith = async (scopes: string[]) => {
    const key = await keyWith(['bulk-changes:read', ...scopes]);
    const { status, body } = await as(key).try.bulkChanges.listRows({ params: { bulk_change_id: id } });
    return [status, body.detail];
  };
  expect(await rowsWith(['issues:read'])).toEqual([403, 'This API key lacks the scope locations:read.']);
  expect(await rowsWith(['locations:read'])).toEqual([200, undefined]);
});
