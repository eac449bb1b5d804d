import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import * as deliveries from '../../shared/webhooks/deliveries.ts';
import { createWebhook, updateWebhook } from '../../shared/webhooks/endpoints.ts';
import * as replays from '../../shared/webhooks/replays.ts';
import { newClient, sharedFamily } from '../inspections/fixtures.ts';
import { deliver } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { emitEvents, handOnEvents, tasksOf } from './fixtures.ts';

const ENDPOINT = { url: 'https://hooks.example.org/in', description: 'ERP', types: ['*' as const] };

const created = async ({ caller }: Person) => (await createWebhook(caller, ENDPOINT)).id;

const existing = async (person: Person) => ({ params: { webhook_id: await created(person) } });

/** An endpoint that somebody has disabled. */
const disabled = async (person: Person) => {
  const webhook_id = await created(person);
  await updateWebhook(person.caller, webhook_id, { status: 'disabled' });
  return { params: { webhook_id } };
};

/** A delivery of a test, which waits to be sent. */
const tested = async (person: Person) => {
  const webhook_id = await created(person);
  const { id } = await deliveries.sendTest(person.caller, webhook_id);
  return { params: { webhook_id, delivery_id: id } };
};

const ofEndpoint = ({ params: { webhook_id } }: { params: { webhook_id: string } }) => ({
  params: { webhook_id },
});

/** A delivery of an event, which waits to be sent. */
const delivered = async (person: Person) => {
  const webhook_id = await created(person);
  await emitEvents(person);
  await handOnEvents(person);
  // The task that creates the deliveries; those that send them wait.
  for (const task of await tasksOf(person)) await deliver(deliverWebhooks, task);
  const listing = await deliveries.list(person.caller, webhook_id, { limit: 1 });
  if (!('page' in listing)) throw new Error('a limit makes pages');
  return { params: { webhook_id, delivery_id: listing.page[0]!.id } };
};

const replayed = async (person: Person) => {
  await emitEvents(person);
  await handOnEvents(person);
  const webhook_id = await created(person);
  await replays.start(person.caller, webhook_id, { from: '2026-01-01T00:00:00.000Z' });
  return { params: { webhook_id } };
};

export const scenarios: Scenarios = {
  listWebhooks: [
    async (person) => {
      await disabled(person);
      await created(person);
      return {};
    },
  ],
  createWebhook: [
    () => ({ body: ENDPOINT }),
    () => ({ body: { url: 'https://hooks.example.org:8443/', types: ['inspection.*', 'report.ready'] } }),
    async (person) => ({
      body: {
        ...ENDPOINT,
        filter: { client_account_id: (await newClient(person)).id },
        headers: { Authorization: 'Bearer 7c1a9d52', 'X-Till': '4' },
      },
    }),
  ],
  getWebhook: [existing, disabled],
  updateWebhook: [
    async (person) => ({ ...(await existing(person)), body: { types: ['issue.*'], description: 'Issues' } }),
    async (person) => ({ ...(await existing(person)), body: { url: 'https://hooks.example.org/other' } }),
    async (person) => ({
      ...(await existing(person)),
      body: { filter: { template_family_id: await sharedFamily(person) }, headers: { 'X-Till': '4' } },
    }),
    async (person) => ({ ...(await existing(person)), body: { status: 'disabled' } }),
    async (person) => ({ ...(await disabled(person)), body: { status: 'active' } }),
  ],
  deleteWebhook: [existing, disabled],
  rotateWebhookSecret: [
    existing,
    async (person) => ({ ...(await existing(person)), body: { overlap_hours: 2 } }),
  ],
  testWebhook: [existing, async (person) => ofEndpoint(await tested(person))],
  listWebhookDeliveries: [
    async (person) => ofEndpoint(await tested(person)),
    async (person) => ({
      ...ofEndpoint(await tested(person)),
      query: { status: ['pending'], types: ['webhook.test'], since: '2026-01-01T00:00:00Z', limit: 1 },
    }),
  ],
  getWebhookDelivery: [tested, delivered],
  replayWebhookDelivery: [tested, delivered],
  replayWebhookEvents: [
    async (person) => ({ ...(await existing(person)), body: { since: '2026-01-01T00:00:00Z' } }),
    async (person) => ({
      ...(await existing(person)),
      body: { since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00+02:00', types: ['inspection.*'] },
    }),
  ],
  listWebhookReplays: [replayed],
};
