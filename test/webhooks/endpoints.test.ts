import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { commands } from '../../infra/operator/commands.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import type { NewApiKey } from '../../shared/schemas/api-key.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { countRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { as, locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { auditOf } from '../support/people.ts';
import { revealedBy } from '../support/secrets.ts';
import {
  type Admin,
  answers,
  asAdmin,
  deliveriesOf,
  emitEvents,
  isSigned,
  newAdmin,
  newWebhook,
  passTime,
  type Receiver,
  settle,
  shown,
  useReceiver,
} from './fixtures.ts';

const clock = useClock();
const receiverOf = useReceiver();
let admin: Admin;
let receiver: Receiver;

beforeEach(async () => {
  admin = await newAdmin();
  receiver = receiverOf();
});

const of = ({ id }: { id: string }) => ({ params: { webhook_id: id } });
const URL_OF_ALL = 'https://hooks.example.org/in';

const create = (body: object) => as(admin.admin).try.webhooks.create({ body });
const update = async (webhook: { id: string }, body: object, headers: Record<string, string> = {}) =>
  (await asAdmin(admin)).try.webhooks.update({ ...of(webhook), body, headers });
const actions = async () =>
  (await auditOf(admin)).map(({ action }) => action).filter((action) => action.startsWith('webhook.'));

describe('POST /app/webhooks', () => {
  test('201 with a secret, which no other reply has', async () => {
    const { status, body } = await create({ url: URL_OF_ALL, types: ['inspection.*'], description: 'ERP' });
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(body.secret.slice(6), 'base64')).toHaveLength(32);
    const { secret, ...webhook } = body;
    expect(webhook).toMatchObject({
      status: 'active',
      disabled_reason: null,
      failing_since: null,
      secret_hint: secret.slice(-4),
      previous_secret_until: null,
      created_by: admin.admin.userId,
      version: 1,
    });
    expect(await as(admin.admin).webhooks.list({})).toEqual([webhook]);
    expect(await actions()).toEqual(['webhook.created']);
  });

  test.each([
    'http://hooks.example.org/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/',
    'https://localhost/',
    'https://intranet/',
    'https://printer.local/',
    'https://user:word@hooks.example.org/',
    'https://hooks.example.org:22/',
    'ftp://hooks.example.org/',
    'hooks.example.org',
  ])('422 for the URL %s', async (url) => {
    delete process.env['ALLOW_LOOPBACK_WEBHOOKS'];
    const answer = await create({ url, types: ['*'] });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.url']]);
    const webhook = (await create({ url: URL_OF_ALL, types: ['*'] })).body;
    const changed = await update(webhook, { url });
    expect([changed.status, locs(changed)]).toEqual([422, ['body.url']]);
  });

  test('422 for what is no type, and for no type at all', async () => {
    const unknown = await create({ url: URL_OF_ALL, types: ['*', 'inspection.exploded', 'in*'] });
    expect([unknown.status, locs(unknown)]).toEqual([422, ['body.types.1', 'body.types.2']]);
    expect((await create({ url: URL_OF_ALL, types: [] })).status).toBe(422);
  });

  test('409 beyond a thousand, until one is deleted', async () => {
    const webhook = await newWebhook(admin, URL_OF_ALL);
    const count = (webhooks: number) =>
      change(admin.caller, () => ({
        writes: [write.update(keys.eventSequence(admin.caller), { add: { webhooks } })],
        reply: undefined,
      }));
    await count(999);
    const answer = await create({ url: URL_OF_ALL, types: ['*'] });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([409, 'too_many_webhooks']);
    await as(admin.admin).webhooks.delete(of(webhook));
    expect((await create({ url: URL_OF_ALL, types: ['*'] })).status).toBe(201);
  });

  test('201 while events are recorded: it gets those after it, and none before', async () => {
    await emitEvents(admin, 3);
    await settle(admin);
    const late = await newWebhook(admin, receiver.url);
    await emitEvents(admin, 2);
    await settle(admin);
    const sequences = (await deliveriesOf(admin, late)).map(({ sequence }) => sequence);
    expect(new Set(sequences)).toEqual(new Set([4, 5]));
  });
});

describe('PATCH /app/webhooks/{webhook_id}', () => {
  test('200 changes what is present, and shows it in the audit log', async () => {
    const webhook = await newWebhook(admin, URL_OF_ALL);
    const { body } = await update(webhook, { types: ['issue.*'] });
    expect(body).toMatchObject({ url: URL_OF_ALL, types: ['issue.*'], version: 2 });
    expect((await update(webhook, {})).body).toEqual(body);
    expect((await update(webhook, { types: ['issue.*'], status: 'active' })).body).toEqual(body);
    const [, record] = await auditOf(admin).then((all) =>
      all.filter(({ action }) => action.startsWith('webhook.')),
    );
    expect(record).toMatchObject({
      action: 'webhook.updated',
      changes: { types: { from: ['*'], to: ['issue.*'] } },
    });
  });

  test('409 for another version', async () => {
    const webhook = await newWebhook(admin, URL_OF_ALL);
    await update(webhook, { description: 'New' });
    expect((await update(webhook, { description: 'Newer' }, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await update(webhook, { description: 'Newer', expected_version: 2 })).status).toBe(200);
  });

  test('200 disables: what is pending is cancelled, and nothing more is sent until it is active again', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(503));
    await emitEvents(admin, 7);
    await settle(admin);
    const { body } = await update(webhook, { status: 'disabled' });
    expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'manual' });
    await passTime(admin);
    const statuses = async () => (await deliveriesOf(admin, webhook)).map(({ status }) => status);
    expect(await statuses()).toEqual(Array(7).fill('cancelled'));
    const before = receiver.received.length;
    await emitEvents(admin, 2);
    await passTime(admin);
    expect(receiver.received).toHaveLength(before);

    receiver.behave(answers(200));
    const enabled = (await update(webhook, { status: 'active' })).body;
    expect(enabled).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
    await emitEvents(admin, 1);
    await passTime(admin);
    expect(receiver.received).toHaveLength(before + 1);
    expect((await statuses()).filter((status) => status === 'succeeded')).toHaveLength(1);
  });

  test('200 with another URL sends there at once what waits', async () => {
    const webhook = await newWebhook(admin, 'http://127.0.0.1:1025/');
    await emitEvents(admin, 3);
    await settle(admin);
    expect((await shown(admin, webhook)).failing_since).not.toBeNull();
    clock.pass(1);
    expect((await update(webhook, { url: receiver.url })).body.failing_since).toBeNull();
    await passTime(admin, 30);
    expect(new Set(receiver.ids()).size).toBe(3);
  });
});

describe('POST /app/webhooks/{webhook_id}/rotate', () => {
  test('200 with the overlap of the request; 0 ends the former secret at once, and 422 beyond 30 days', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const rotate = (overlap_hours: number) =>
      as(admin.admin).try.webhooks.rotateSecret({ ...of(webhook), body: { overlap_hours } });
    const ends = async (hours: number) =>
      Date.parse((await rotate(hours)).body.previous_secret_until) - Date.now();
    expect(await ends(720)).toBe(720 * 3_600_000);
    expect(await ends(0)).toBe(0);
    expect((await as(admin.admin).webhooks.get(of(webhook))).previous_secret_until).toBeNull();
    expect([(await rotate(-1)).status, (await rotate(721)).status, (await rotate(0.5)).status]).toEqual([
      422, 422, 422,
    ]);
  });

  test('200: both secrets sign for 24 hours, then the new one alone', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const rotated = await as(admin.admin).webhooks.rotateSecret(of(webhook));
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(Date.parse(rotated.previous_secret_until) - Date.now()).toBe(24 * 3_600_000);
    expect(await shown(admin, webhook)).toMatchObject({
      secret_hint: rotated.secret.slice(-4),
      previous_secret_until: rotated.previous_secret_until,
    });
    const signers = async () => {
      await emitEvents(admin);
      await settle(admin);
      const message = receiver.received.at(-1)!;
      return [webhook.secret, rotated.secret].map((secret) => isSigned(message, secret));
    };
    expect(await signers()).toEqual([true, true]);
    clock.pass(24 * 3_600 - 60);
    expect(await signers()).toEqual([true, true]);
    clock.pass(61);
    expect(await signers()).toEqual([false, true]);
    expect((await shown(admin, webhook)).previous_secret_until).toBeNull();
    expect(await actions()).toEqual(['webhook.created', 'webhook.rotated']);
  });
});

describe('POST /app/webhooks/{webhook_id}/test', () => {
  test('202: a signed message that is no event, sent once', async () => {
    const webhook = await newWebhook(admin, receiver.url, ['issue.*']);
    receiver.behave(answers(500));
    const sent = await as(admin.admin).webhooks.test(of(webhook));
    expect(sent).toMatchObject({ type: 'webhook.test', is_test: true, sequence: null, status: 'pending' });
    await passTime(admin);
    expect(receiver.received).toHaveLength(1);
    const [message] = receiver.received;
    expect(isSigned(message!, webhook.secret)).toBe(true);
    expect(JSON.parse(message!.body)).toMatchObject({
      type: 'webhook.test',
      id: sent.event_id,
      sequence: null,
      organization_id: admin.caller.org_id,
      data: { webhook_id: webhook.id },
    });
    expect(await deliveriesOf(admin, webhook)).toMatchObject([{ id: sent.id, status: 'failed' }]);
    expect(await as(admin).events.list({})).toEqual([]);
  });

  test('202 is sent at once also while the endpoint fails', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(500));
    await emitEvents(admin, 10);
    await passTime(admin, 3_600);
    receiver.behave(answers(200));
    const { event_id } = await (await asAdmin(admin)).webhooks.test(of(webhook));
    const before = receiver.received.length;
    await settle(admin);
    expect(receiver.ids()[before]).toBe(event_id);
    expect((await shown(admin, webhook)).failing_since).toBeNull();
  });

  test('409 while the webhook is disabled', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await update(webhook, { status: 'disabled' });
    const answer = await as(admin.admin).try.webhooks.test(of(webhook));
    expect([answer.status, answer.headers['x-error-code']]).toEqual([409, 'webhook_disabled']);
  });
});

describe('DELETE /app/webhooks/{webhook_id}', () => {
  test('204: nothing more is sent, and a worker deletes all that it had', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(500));
    await emitEvents(admin, 5);
    await settle(admin);
    await as(admin.admin).webhooks.delete(of(webhook));
    const before = receiver.received.length;
    await passTime(admin);
    expect(receiver.received).toHaveLength(before);
    const partition = keys.below(admin.caller, 'WEBHOOK', webhook.id);
    expect(await countRows(admin.caller, { partition })).toBeGreaterThan(0);
    const cleanup = (await waitingTasks(admin.caller)).find(({ outbox }) => outbox === 'cleanup')!;
    expect(await deliver(deleteRemains, cleanup)).toBe(true);
    expect(await countRows(admin.caller, { partition })).toBe(0);
    expect(await as(admin.admin).webhooks.list({})).toEqual([]);
  });

  test('409 for another version', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const headers = { 'If-Match': '"2"' };
    expect((await as(admin.admin).try.webhooks.delete({ ...of(webhook), headers })).status).toBe(409);
  });
});

describe('GET /webhooks/{webhook_id}, by a key', () => {
  const keyWith = async (scopes: NewApiKey['scopes']) =>
    (await apiKeys.create(admin.caller, { name: 'Zap', access: 'read_write', expires: 'never', scopes })).key;

  test('that may write webhooks subscribes, looks, and ends it, also when the receiver has ended it', async () => {
    const { webhooks } = as(await keyWith(['reports:read', 'webhooks:write']));
    const { id, secret } = await webhooks.create({ body: { url: URL_OF_ALL, types: ['report.ready'] } });
    expect(secret).toMatch(/^whsec_/);
    expect(await webhooks.get(of({ id }))).toMatchObject({ id, status: 'active', types: ['report.ready'] });
    await webhooks.update({ ...of({ id }), body: { status: 'disabled' } });
    await webhooks.delete(of({ id }));
    expect(await webhooks.list({})).toEqual([]);
  });

  test('without the scope does not', async () => {
    const { webhooks } = as(await keyWith(['events:read'])).try;
    const answer = await webhooks.create({ body: { url: URL_OF_ALL, types: ['*'] } });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'api_key_scope']);
  });
});

describe('a secret', () => {
  test('is in no row, log, reply or error, whatever happens to its endpoint', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave((request, response) => {
      response.writeHead(500, { echo: request.headers['webhook-signature'] as string }).end('no');
    });
    const work = async () => {
      await emitEvents(admin, 2);
      await settle(admin);
      const { id } = (await deliveriesOf(admin, webhook))[0]!;
      return [id, await shown(admin, webhook), await update(webhook, { url: 'http://127.0.0.1:9/' })];
    };
    expect(await revealedBy(work, webhook.secret, admin.caller.org_id)).toEqual([]);
    const key = webhook.secret.slice('whsec_'.length);
    expect(await revealedBy(async () => undefined, key, admin.caller.org_id)).toEqual([]);
  });
});

describe('the operator', () => {
  test('creates an endpoint, and sees those of an organization, without secrets', async () => {
    const org = admin.caller.org_id;
    const options = { org, url: receiver.url, types: ['*' as const], description: 'Till' };
    const { id, secret } = await commands['webhook create'].run(options);
    await emitEvents(admin);
    await settle(admin);
    expect(isSigned(receiver.received[0]!, secret)).toBe(true);
    const listed = await commands['webhook list'].run({ org });
    expect(listed).toEqual([expect.objectContaining({ id, description: 'Till', status: 'active' })]);
    expect(JSON.stringify(listed)).not.toContain(secret.slice(6));
    const record = (await auditOf(admin)).find(({ action }) => action === 'webhook.created');
    expect(record).toMatchObject({ target_id: id, actor_id: 'operator', actor_kind: 'operator' });
  });

  test('names several types with commas, and learns of wrong ones', () => {
    const { options } = commands['webhook create'];
    const given = { org: admin.caller.org_id, url: URL_OF_ALL };
    expect(options.parse({ ...given, types: 'issue.*, report.ready' }).types).toEqual([
      'issue.*',
      'report.ready',
    ]);
    expect(options.safeParse({ ...given, types: 'issue' }).success).toBe(false);
  });
});
