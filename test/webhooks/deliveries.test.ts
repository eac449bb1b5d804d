import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import { handler as takeDueWebhooks } from '../../functions/workers/take-due-webhooks.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { resolveHost } from '../../shared/outside/resolve.ts';
import type { KeyScope } from '../../shared/schemas/api-key.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { WebhookReplay } from '../../shared/schemas/webhook.ts';
import { as, locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { auditOf } from '../support/people.ts';
import {
  type Admin,
  answers,
  asAdmin,
  type Behaviour,
  deliveriesOf,
  emitEvents,
  handOnEvents,
  isSigned,
  newAdmin,
  newWebhook,
  passTime,
  type Receiver,
  settle,
  shown,
  tasksOf,
  useReceiver,
} from './fixtures.ts';

jest.mock('../../shared/outside/resolve.ts');
const resolved = jest.mocked(resolveHost);

const clock = useClock();
const receiverOf = useReceiver();
let admin: Admin;
let receiver: Receiver;

beforeEach(async () => {
  admin = await newAdmin();
  receiver = receiverOf();
  resolved.mockReset().mockResolvedValue([]);
});

const DAY = 86_400;
const of = ({ id }: { id: string }) => ({ params: { webhook_id: id } });
const events = (): Promise<Event[]> => as(admin).events.list({});
const detailsOf = async (webhook: { id: string }, id: string) =>
  (await asAdmin(admin)).webhooks.getDelivery({
    params: { webhook_id: webhook.id, delivery_id: id },
  });

describe('a delivery', () => {
  test('is whole after the key that has made the endpoint lost its scopes, and was revoked', async () => {
    const scopes: KeyScope[] = ['webhooks:write', 'client-accounts:read'];
    const made = await apiKeys.create(admin.caller, { name: 'Sync', access: 'read_write', scopes });
    const body = { url: receiver.url, types: ['client_account.*'] };
    const webhook = await as(made.key).webhooks.create({ body });
    // Endpoints belong to the organization.
    await apiKeys.update(admin.caller, made.id, { scopes: ['issues:read'] });
    await emitEvents(admin);
    await settle(admin);
    await apiKeys.revoke(admin.caller, made.id);
    await emitEvents(admin);
    await settle(admin);
    expect(receiver.received.map((message) => JSON.parse(message.body))).toEqual(await events());
    expect((await shown(admin, webhook)).created_by).toBe(made.user_id);
    await (await asAdmin(admin)).webhooks.delete(of(webhook));
    await emitEvents(admin);
    await settle(admin);
    expect(receiver.received).toHaveLength(2);
  });

  test('is the document of GET /v1/events, signed as Standard Webhooks says', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await emitEvents(admin);
    await settle(admin);
    const [event] = await events();
    const [message] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    expect(message!.body).toBe(JSON.stringify(event));
    expect(message!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event!.id,
      'user-agent': expect.stringContaining('InspectionService'),
    });
    expect(isSigned(message!, webhook.secret)).toBe(true);
    expect(isSigned({ ...message!, body: `${message!.body} ` }, webhook.secret)).toBe(false);
    const late = { ...message!.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 900) };
    expect(isSigned({ ...message!, headers: late }, webhook.secret)).toBe(false);
    const [delivery] = await deliveriesOf(admin, webhook);
    expect(delivery).toMatchObject({
      event_id: event!.id,
      type: 'client_account.created',
      sequence: 1,
      is_test: false,
      status: 'succeeded',
      attempts_count: 1,
      next_attempt_at: null,
    });
    expect(await detailsOf(webhook, delivery!.id)).toMatchObject({
      ...delivery,
      request: {
        url: receiver.url,
        headers: { 'webhook-signature': message!.headers['webhook-signature'] },
        body: message!.body,
      },
      attempts: [{ status_code: 204, error: null, reply_body: '' }],
    });
  });

  test('goes to the endpoints that subscribe to its type', async () => {
    const [all, kind, type, other] = [
      await newWebhook(admin, receiver.url),
      await newWebhook(admin, receiver.url, ['client_account.*']),
      await newWebhook(admin, receiver.url, ['location.deleted', 'client_account.created']),
      await newWebhook(admin, receiver.url, ['client_account.updated', 'inspection.*']),
    ];
    await emitEvents(admin);
    await settle(admin);
    const counts = await Promise.all(
      [all, kind, type, other].map(async (each) => (await deliveriesOf(admin, each)).length),
    );
    expect(counts).toEqual([1, 1, 1, 0]);
  });

  test('costs nothing where there is no endpoint, or none that is active', async () => {
    await emitEvents(admin);
    await handOnEvents(admin);
    expect(await tasksOf(admin)).toEqual([]);
    const webhook = await newWebhook(admin, receiver.url);
    await as(admin.admin).webhooks.update({ ...of(webhook), body: { status: 'disabled' } });
    await settle(admin);
    await emitEvents(admin);
    await handOnEvents(admin);
    expect(await tasksOf(admin)).toEqual([]);
  });

  test('is listed by its status and its type, newest first, page by page', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave((request, response, body) =>
      answers(body.includes('location') ? 500 : 200)(request, response, body),
    );
    await emitEvents(admin, 3);
    await emitEvents(admin, 2, 'location.deleted');
    await settle(admin);
    const sequences = async (query: Record<string, string | number>) =>
      (await deliveriesOf(admin, webhook, query)).map(({ sequence }) => sequence);
    expect(new Set(await sequences({ status: 'pending' }))).toEqual(new Set([4, 5]));
    expect(new Set(await sequences({ type: 'location.deleted' }))).toEqual(new Set([4, 5]));
    expect(await sequences({ status: 'pending', type: 'client_account.created' })).toEqual([]);
    expect(await sequences({ sequence: 2 })).toEqual([2]);
    expect(await sequences({ sequence: 99 })).toEqual([]);
    const params = { webhook_id: webhook.id };
    const page = await as(admin.admin).try.webhooks.listDeliveries({ params, query: { limit: 2 } });
    expect(page.body).toHaveLength(2);
    const [, cursor] = /cursor=([\w-]+)/.exec(page.headers['link']!)!;
    const next = await as(admin.admin).try.webhooks.listDeliveries({
      params,
      query: { limit: 200, cursor: cursor! },
    });
    expect(next.body).toHaveLength(3);
    const created = (await deliveriesOf(admin, webhook)).map(({ created_at }) => created_at);
    expect(created).toEqual(created.toSorted().toReversed());
  });
});

const cases: [string, Behaviour, { status_code: number | null; error: unknown }][] = [
  ['an error', answers(500), { status_code: 500, error: 'The endpoint answered 500.' }],
  ['a refusal', answers(404), { status_code: 404, error: 'The endpoint answered 404.' }],
  [
    'a redirect, which is not followed',
    answers(307, { location: 'https://example.com/' }),
    { status_code: 307, error: 'The endpoint redirects (307), which is not followed.' },
  ],
  [
    'a cut connection',
    (request) => void request.socket.destroy(),
    { status_code: null, error: expect.stringContaining('failed') },
  ],
  [
    'what is no HTTP',
    (request) => void request.socket.end('SSH-2.0-x\r\n'),
    { status_code: null, error: expect.stringContaining('failed') },
  ],
];

describe('a delivery fails', () => {
  test.each(cases)('for %s', async (_, behaviour, attempt) => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(behaviour);
    await emitEvents(admin);
    await settle(admin);
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await deliveriesOf(admin, webhook);
    expect(delivery).toMatchObject({ status: 'pending', last_attempt: attempt });
    expect(await shown(admin, webhook)).toMatchObject({
      status: 'active',
      failing_since: expect.any(String),
      last_failure: { status_code: attempt.status_code, message: attempt.error },
    });
  });

  test('for an address that is no longer on the internet when it is sent', async () => {
    resolved.mockResolvedValue(['93.184.216.34']);
    const webhook = await newWebhook(admin, 'https://hooks.example.org/');
    resolved.mockResolvedValue(['169.254.169.254']);
    await emitEvents(admin);
    await settle(admin);
    const [delivery] = await deliveriesOf(admin, webhook);
    expect(delivery!.last_attempt).toMatchObject({
      status_code: null,
      error: 'The address is not on the internet.',
    });
  });

  test('but not for a huge reply, of which a kilobyte is kept', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave((_, response) => {
      response.writeHead(202, { 'x-big': 'b'.repeat(5_000) });
      const more = () => {
        while (response.write('<script>alert(1)</script>'.repeat(4_000)));
        response.once('drain', more);
      };
      more();
    });
    await emitEvents(admin);
    await settle(admin);
    const [delivery] = await deliveriesOf(admin, webhook);
    expect(delivery!.status).toBe('succeeded');
    const [attempt] = (await detailsOf(webhook, delivery!.id)).attempts;
    expect(attempt.reply_body).toHaveLength(1_024);
    expect(attempt.reply_headers['x-big']).toHaveLength(200);
  });

  test('nine times, with growing waits, and then for good', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(500));
    await emitEvents(admin);
    await passTime(admin, 2.5 * DAY);
    const [delivery] = await deliveriesOf(admin, webhook);
    expect(delivery).toMatchObject({ status: 'failed', attempts_count: 9, next_attempt_at: null });
    const { attempts } = await detailsOf(webhook, delivery!.id);
    const times = (attempts as { at: string }[]).map(({ at }) => Date.parse(at) / 1_000);
    const waits = times.slice(1).map((at, position) => at - times[position]!);
    for (const [position, wait] of [5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400].entries()) {
      expect(waits[position]).toBeGreaterThanOrEqual(wait);
      expect(waits[position]).toBeLessThan(wait * 1.2 + 120);
    }
  });
});

describe('an endpoint', () => {
  test('that answers 410 is disabled at once, and the admins are told', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(410));
    await emitEvents(admin, 12);
    await passTime(admin);
    expect(receiver.received.length).toBeLessThanOrEqual(5);
    expect(await shown(admin, webhook)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const statuses = (await deliveriesOf(admin, webhook)).map(({ status }) => status);
    expect(statuses).toEqual(Array(12).fill('cancelled'));
    const [mail] = await mailTasks(admin);
    expect(mail!.data).toMatchObject({
      kind: 'sync_status',
      // The URL may hold secrets.
      item: { event: 'webhook_disabled', webhook: { id: webhook.id, name: new URL(receiver.url).host } },
    });
    expect(mail!.data['user_ids']).toContain(admin.admin.userId);
    const actions = (await auditOf(admin)).map(({ action }) => action);
    expect(actions).toContain('webhook.disabled');
  });

  test('that has failed for 3 days without a success is disabled; a success in between counts from anew', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const daily = async (days: number) => {
      for (let day = 0; day < days; day += 1) {
        await emitEvents(admin);
        for (const _quarter of [1, 2, 3, 4]) {
          await settle(admin);
          clock.pass(DAY / 4);
        }
      }
    };
    receiver.behave(answers(500));
    await daily(2);
    receiver.behave(answers(200));
    await daily(1);
    receiver.behave(answers(500));
    await daily(2);
    expect((await shown(admin, webhook)).status).toBe('active');
    await daily(2);
    expect(await shown(admin, webhook)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    await passTime(admin);
    expect((await deliveriesOf(admin, webhook, { status: 'pending' })).length).toBe(0);
    expect((await deliveriesOf(admin, webhook, { status: 'cancelled' })).length).toBeGreaterThan(0);
  });

  test('that fails is probed with one delivery at a time, while all others wait', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(500));
    await emitEvents(admin, 60);
    await passTime(admin, 3_600);
    // Five at once, then a probe after 5 s, 1 min, and every 5 min.
    expect(receiver.received.length).toBeLessThanOrEqual(5 + 2 + 12);
    expect(receiver.received.length).toBeGreaterThan(10);
    receiver.behave(answers(200));
    await passTime(admin, 2 * DAY);
    expect(new Set(receiver.ids()).size).toBe(60);
    const statuses = (await deliveriesOf(admin, webhook)).map(({ status }) => status);
    expect(statuses).toEqual(Array(60).fill('succeeded'));
  });

  test('that refuses one event gets the others', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await emitEvents(admin, 30);
    await handOnEvents(admin);
    const poison = (await events())[7]!.id;
    receiver.behave((request, response, body) =>
      answers(request.headers['webhook-id'] === poison ? 500 : 200)(request, response, body),
    );
    await passTime(admin, 60);
    expect(await deliveriesOf(admin, webhook, { status: 'succeeded' })).toHaveLength(29);
  });
});

describe('the sweep', () => {
  test('finds an endpoint whose next attempt is too far away for a queue, or whose worker or task was lost', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(500));
    await emitEvents(admin);
    await passTime(admin, 1_000);
    clock.pass(2_200);
    receiver.behave(answers(200));
    expect((await tasksOf(admin)).length).toBe(0);
    await takeDueWebhooks();
    const [task] = await tasksOf(admin);
    expect(task!.data).toMatchObject({ what: 'deliver', webhook_id: webhook.id });
    await takeDueWebhooks();
    expect(await tasksOf(admin)).toHaveLength(1);
    expect(await deliver(deliverWebhooks, task!)).toBe(true);
    expect(await deliver(deliverWebhooks, task!)).toBe(true);
    expect(receiver.ids().length).toBe((await deliveriesOf(admin, webhook))[0]!.attempts_count);
    expect((await deliveriesOf(admin, webhook))[0]!.status).toBe('succeeded');
  });
});

describe('POST /app/webhooks/{webhook_id}/deliveries/{delivery_id}/replay', () => {
  test('202 sends the same bytes with the same id once more', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await emitEvents(admin);
    await settle(admin);
    const [delivery] = await deliveriesOf(admin, webhook);
    const params = { webhook_id: webhook.id, delivery_id: delivery!.id };
    const again = await as(admin.admin).webhooks.replayDelivery({ params });
    expect(again).toMatchObject({ event_id: delivery!.event_id, status: 'pending', attempts_count: 0 });
    expect(again.id).not.toBe(delivery!.id);
    await settle(admin);
    const [first, second] = receiver.received;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(isSigned(second!, webhook.secret)).toBe(true);
  });
});

describe('GET /app/webhooks/{webhook_id}/deliveries', () => {
  test('200 with those of some types, and of events of a period', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await emitEvents(admin, 2);
    await settle(admin);
    clock.pass(3_600);
    const between = new Date().toISOString();
    clock.pass(3_600);
    await emitEvents(admin, 1, 'location.created');
    await settle(admin);
    const [one, two, place] = (await events()).map(({ id }) => id);
    const listed = async (query: Record<string, string>) =>
      (await (await asAdmin(admin)).webhooks.listDeliveries({ ...of(webhook), query })).map(
        ({ event_id }: { event_id: string }) => event_id,
      );
    expect(await listed({ since: between })).toEqual([place]);
    expect(new Set(await listed({ until: between }))).toEqual(new Set([one, two]));
    expect(await listed({ until: between, since: between })).toEqual([]);
    expect(await listed({ types: 'location.*' })).toEqual([place]);
    expect(await listed({ types: 'location.*', until: between })).toEqual([]);
    expect(await listed({ types: '*' })).toHaveLength(3);
    expect(await listed({ types: 'location.*,webhook.test', type: 'location.created' })).toEqual([place]);
    expect(await listed({ types: 'webhook.test' })).toEqual([]);
  });
});

describe('POST /app/webhooks/{webhook_id}/replay', () => {
  const replay = async (webhook: { id: string }, body: object): Promise<WebhookReplay> =>
    (await asAdmin(admin)).webhooks.replayEvents({ ...of(webhook), body });
  const replays = async (webhook: { id: string }): Promise<WebhookReplay[]> =>
    (await asAdmin(admin)).webhooks.listReplays(of(webhook));

  test('202 after a day’s outage leaves no gap', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await emitEvents(admin, 4);
    await settle(admin);
    clock.pass(3_600);
    const from = new Date().toISOString();
    receiver.behave(answers(503));
    for (const _quarter of [1, 2, 3, 4]) {
      await emitEvents(admin, 30);
      await settle(admin);
      clock.pass(DAY / 4);
    }
    const got = new Set<string>();
    receiver.behave((request, response, body) => {
      got.add(`${request.headers['webhook-id'] as string} ${body}`);
      answers(200)(request, response, body);
    });
    expect(await replay(webhook, { since: from })).toMatchObject({
      status: 'running',
      since: from,
      from,
      types: ['*'],
    });
    await passTime(admin, 1_800);
    const missed = (await events()).slice(4).map((event) => `${event.id} ${JSON.stringify(event)}`);
    expect(missed).toHaveLength(120);
    expect([...got].toSorted()).toEqual(missed.toSorted());
    expect(await replays(webhook)).toMatchObject([{ status: 'completed', events_count: 120 }]);
  });

  test('202 for a period and types: no more than these, and new events first', async () => {
    await emitEvents(admin, 10);
    await emitEvents(admin, 10, 'location.created');
    await handOnEvents(admin);
    clock.pass(3_600);
    const to = new Date().toISOString();
    clock.pass(3_600);
    await emitEvents(admin, 50, 'location.created');
    await handOnEvents(admin);
    const webhook = await newWebhook(admin, receiver.url, ['issue.*']);
    await replay(webhook, { since: '2026-01-01T00:00:00Z', until: to, types: ['location.*'] });
    await passTime(admin, 60);
    const wanted = (await events()).slice(10, 20).map(({ id }) => id);
    expect(receiver.ids().toSorted()).toEqual(wanted.toSorted());
    expect((await replays(webhook))[0]).toMatchObject({ events_count: 10, until: to, to });
  });

  test('409 while another one runs; one of an endpoint that is disabled is cancelled', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const running = await replay(webhook, { from: '2026-01-01T00:00:00Z' });
    const body = { from: '2026-01-01T00:00:00Z' };
    const answer = await as(admin.admin).try.webhooks.replayEvents({ ...of(webhook), body });
    expect([answer.status, answer.body.detail]).toEqual([
      409,
      `The replay ${running.id} of the webhook is still running.`,
    ]);
    await as(admin.admin).webhooks.update({ ...of(webhook), body: { status: 'disabled' } });
    expect((await replays(webhook))[0]!.status).toBe('cancelled');
  });

  test('422 for a period that ends before it begins', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
    for (const [body, name] of [
      [{ since: late, until: early }, 'until'],
      [{ from: late, to: early }, 'to'],
      [{ since: late, to: early }, 'to'],
      [{ since: early, from: early }, 'from'],
      [{ since: early, until: late, to: late }, 'to'],
      [{ until: late }, 'since'],
    ] as const) {
      const answer = await as(admin.admin).try.webhooks.replayEvents({ ...of(webhook), body });
      expect([answer.status, locs(answer)]).toEqual([422, [`body.${name}`]]);
    }
    expect(await replay(webhook, { from: early, to: late })).toMatchObject({ status: 'running' });
  });
});
