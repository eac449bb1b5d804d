import { setImmediate as turn } from 'node:timers/promises';
import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import { handler as takeDueWebhooks } from '../../functions/workers/take-due-webhooks.ts';
import { resume, suspend } from '../../shared/organizations/suspension.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { WebhookReplay } from '../../shared/schemas/webhook.ts';
import { workOf } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { dropTasks } from '../../shared/table/outbox/outbox.ts';
import { countRows, getRow, queryRows, withoutKeys } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { findWebhook, takenAt } from '../../shared/webhooks/records.ts';
import { recordAttempts, takeWebhook } from '../../shared/webhooks/turns.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { between, type Fault, impatient, installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { commit } from '../support/notices.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { auditOf, operatorOf } from '../support/people.ts';
import {
  type Admin,
  answers,
  asAdmin,
  deliveriesOf,
  emitEvents,
  handOnEvents,
  isSigned,
  newAdmin,
  newWebhook,
  overdue,
  passTime,
  type Receiver,
  settle,
  shown,
  tasksOf,
  useReceiver,
} from './fixtures.ts';

installFaults();
impatient();

const clock = useClock();
const receiverOf = useReceiver();
let admin: Admin;
let receiver: Receiver;

beforeEach(async () => {
  admin = await newAdmin();
  receiver = receiverOf();
});

const DAY = 86_400;
const NOWHERE = 'http://127.0.0.1:1025/';
const of = ({ id }: { id: string }) => ({ params: { webhook_id: id } });
const update = async (webhook: { id: string }, body: object) =>
  (await asAdmin(admin)).webhooks.update({ ...of(webhook), body });
const pendingOf = ({ id }: { id: string }): Promise<number> =>
  countRows(admin.caller, keys.pendingDelivery.range(admin.caller, id));
const statusesOf = async (webhook: { id: string }) =>
  (await deliveriesOf(admin, webhook)).map(({ status }) => status);
const taskFor = async (what: string) => (await tasksOf(admin)).find(({ data }) => data.what === what)!;

/** Events of which the task to deliver them waits. @returns that task */
const waiting = async (count = 1) => {
  await emitEvents(admin, count);
  await handOnEvents(admin);
  const tasks = (await tasksOf(admin)).filter(({ data }) => data.what === 'fan_out');
  for (const task of tasks) expect(await deliver(deliverWebhooks, task)).toBe(true);
  await dropTasks(admin.caller, tasks);
  return taskFor('deliver');
};

/** Each transaction takes longer than a worker has. */
const slowly: Fault = on(
  ({ input }) => 'TransactItems' in input,
  async ({ send }) => {
    const output = await send();
    clock.pass(26);
    return output;
  },
);

describe('a worker', () => {
  test('sends five deliveries at once, and no more', async () => {
    await newWebhook(admin, receiver.url);
    const task = await waiting(7);
    let open = 0;
    let most = 0;
    const five = Promise.withResolvers<void>();
    const someTurns = async () => {
      for (let turns = 0; turns < 500; turns += 1) await turn();
    };
    receiver.behave((request, response, body) => {
      most = Math.max(most, (open += 1));
      if (open === 5) five.resolve();
      // A sixth one would come while these are open.
      void five.promise.then(someTurns).then(() => {
        open -= 1;
        answers(200)(request, response, body);
      });
    });
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    expect([most, receiver.received.length]).toEqual([5, 7]);
  });

  test('whose secret cannot be opened once gives the endpoint back, and its task sends everything when it comes again', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting(2);
    const refusing: Fault = on(
      ({ command }) => command === 'Decrypt',
      () => Promise.reject(sdkError('KMSInternalException', { $metadata: { httpStatusCode: 500 } })),
    );
    expect(await withFault(refusing, () => deliver(deliverWebhooks, task))).toBe(false);
    expect(await statusesOf(webhook)).toEqual(['pending', 'pending']);
    expect(await deliver(deliverWebhooks, task, 2)).toBe(true);
    expect(await statusesOf(webhook)).toEqual(['succeeded', 'succeeded']);
  });

  test('signs by the secret that is the endpoint’s, also after a rotation in its turn', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting(12);
    let secret: string | undefined;
    receiver.behave((request, response, body) => {
      const isFirst = receiver.received.length === 1;
      const rotated = isFirst ? as(admin.admin).webhooks.rotateSecret(of(webhook)) : undefined;
      void Promise.resolve(rotated).then((reply) => {
        secret ??= reply?.secret;
        answers(200)(request, response, body);
      });
    });
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    const signed = receiver.received.map((message) => isSigned(message, secret!));
    expect(signed).toEqual([...Array(5).fill(false), ...Array(7).fill(true)]);
  });

  test('ends in time, and leaves the rest to another task', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting(12);
    expect(await withFault(slowly, () => deliver(deliverWebhooks, task))).toBe(true);
    expect(receiver.received.length).toBeLessThan(12);
    await dropTasks(admin.caller, [task]);
    await settle(admin);
    expect(await statusesOf(webhook)).toEqual(Array(12).fill('succeeded'));
    expect(receiver.received).toHaveLength(12);
  });

  test('with an outdated task does nothing', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting();
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    await waiting();
    receiver.received.length = 0;
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    expect(receiver.received).toEqual([]);
    expect(await pendingOf(webhook)).toBe(1);
  });

  test('that comes late records nothing: neither for another worker nor for what was cancelled', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting(2);
    const attempt = {
      at: new Date().toISOString(),
      duration_ms: 1,
      status_code: 500,
      error: 'no',
      reply_headers: {},
      reply_body: '',
    };
    const rows = await Array.fromAsync(
      queryRows(admin.caller, keys.parts(admin.caller, 'WEBHOOK', webhook.id, 'DELIVERY')),
      withoutKeys,
    );
    const sent = rows.map((delivery) => ({ delivery, request: { url: receiver.url, headers: {} }, attempt }));
    const slow = (await takeWebhook(admin.caller, webhook.id, task.data.turn))!;
    clock.pass(66);
    await takeDueWebhooks();
    const second = (await tasksOf(admin)).findLast(({ data }) => data.what === 'deliver')!;
    expect(await deliver(deliverWebhooks, second)).toBe(true);
    expect(await recordAttempts(admin.caller, slow.whole, sent)).toBeUndefined();
    expect(await statusesOf(webhook)).toEqual(['succeeded', 'succeeded']);
    expect((await shown(admin, webhook)).last_failure).toBeNull();
  });

  test.each([
    [64.999, 0],
    [65, 1],
  ])('that has said nothing for %d s is followed by %d others', async (seconds, followers) => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting();
    await takeWebhook(admin.caller, webhook.id, task.data.turn);
    await dropTasks(admin.caller, [task]);
    clock.pass(seconds);
    await takeDueWebhooks();
    expect(await tasksOf(admin)).toHaveLength(followers);
  });

  test('that works hears of what is added, and nobody else takes its endpoint', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting();
    const { state } = (await takeWebhook(admin.caller, webhook.id, task.data.turn))!.whole;
    await dropTasks(admin.caller, [task]);
    expect(await waiting()).toBeUndefined();
    const after = (await findWebhook(admin.caller, webhook.id))!.state;
    expect(after).toMatchObject({ turn: state.turn, version: state.version + 1 });
    expect(after.leased_until).toBeGreaterThan(Date.now());
  });

  test('that works is not followed by another one, however late it is', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting();
    await takeWebhook(admin.caller, webhook.id, task.data.turn);
    await overdue(admin, webhook.id);
    await takeDueWebhooks();
    expect(await tasksOf(admin)).toEqual([task]);
  });
});

describe('while the organization is suspended', () => {
  test('403 for a test, which is not sent, and the task that waits is put back until it is resumed', async () => {
    const operator = operatorOf(admin);
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting(2);
    await suspend(operator);
    expect(await admin.try.webhooks.test(of(webhook))).toMatchObject({
      status: 403,
      headers: { 'x-error-code': 'organization_suspended' },
    });
    // The queue has the task, and the outbox no longer.
    await dropTasks(admin.caller, [task]);
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    const putBack = [{ id: task.id, data: task.data }];
    expect(await tasksOf(admin)).toMatchObject(putBack);
    await overdue(admin, webhook.id);
    await takeDueWebhooks();
    expect(await tasksOf(admin)).toMatchObject(putBack);
    expect(receiver.received).toEqual([]);
    await resume(operator);
    await settle(admin);
    expect(await statusesOf(webhook)).toEqual(['succeeded', 'succeeded']);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('a task', () => {
  test.each([
    [899, 0],
    [901, 1],
  ])(
    'that was lost is replaced after a quarter of an hour: after %d s there is %d',
    async (seconds, count) => {
      await newWebhook(admin, receiver.url);
      await dropTasks(admin.caller, [await waiting()]);
      clock.pass(seconds);
      await takeDueWebhooks();
      expect(await tasksOf(admin)).toHaveLength(count);
    },
  );

  test.each([
    [0, [0], 900],
    [899.2, [900], 1_799.2],
    [900, [900], 1_800],
    [900.001, [], 900.001],
    [3_600, [], 3_600],
  ])(
    'for work in %d s waits in its queue for %j s, and the sweep looks after %d s',
    async (seconds, delays, due) => {
      const { id } = await newWebhook(admin, receiver.url);
      const { state } = (await findWebhook(admin.caller, id))!;
      const work = workOf(admin.caller);
      const now = Date.parse(work.now);
      const { changes, tasks } = takenAt(work, state, now + seconds * 1_000);
      expect(tasks.map(({ item }) => item.Put!.Item!['delay_seconds'] ?? 0)).toEqual(delays);
      expect((Date.parse(changes.due_at!) - now) / 1_000).toBeCloseTo(due, 3);
    },
  );
});

describe('an endpoint that is disabled', () => {
  test('has nothing pending left, however much that was and however slow the table is', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await waiting(100);
    await update(webhook, { status: 'disabled' });
    let tasks = 0;
    for (let task = await taskFor('cancel'); task; task = await taskFor('cancel')) {
      expect(await withFault(slowly, () => deliver(deliverWebhooks, task))).toBe(true);
      await dropTasks(admin.caller, [task]);
      tasks += 1;
    }
    expect(tasks).toBeGreaterThan(1);
    expect(await pendingOf(webhook)).toBe(0);
    expect(await statusesOf(webhook)).toEqual(Array(100).fill('cancelled'));
  });

  test('and enabled again gets what happens from then on, even if what was pending is cancelled later', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await waiting();
    await update(webhook, { status: 'disabled' });
    const cancel = await taskFor('cancel');
    clock.pass(1);
    await update(webhook, { status: 'active' });
    await emitEvents(admin);
    await handOnEvents(admin);
    for (const task of (await tasksOf(admin)).filter(({ data }) => data.what === 'fan_out'))
      await deliver(deliverWebhooks, task);
    expect(await deliver(deliverWebhooks, cancel)).toBe(true);
    expect(await statusesOf(webhook)).toEqual(['pending', 'cancelled']);
    await settle(admin);
    expect(receiver.received).toHaveLength(1);
    expect(await statusesOf(webhook)).toEqual(['succeeded', 'cancelled']);
  });

  test('and enabled again sends nothing twice of what is cancelled while it is on its way', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await waiting(2);
    await update(webhook, { status: 'disabled' });
    await update(webhook, { status: 'active' });
    const [cancel, task] = [await taskFor('cancel'), (await tasksOf(admin)).at(-1)!];
    expect(task.data.what).toBe('deliver');
    receiver.behave((request, response, body) => {
      const isFirst = receiver.received.length === 1;
      void Promise.resolve(isFirst && deliver(deliverWebhooks, cancel)).then(() =>
        answers(500)(request, response, body),
      );
    });
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    expect(receiver.received).toHaveLength(2);
    expect([await statusesOf(webhook), await pendingOf(webhook)]).toEqual([['cancelled', 'cancelled'], 0]);
  });

  test('leaves its worker nothing, which is in the middle of its turn', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    const task = await waiting(12);
    receiver.behave((request, response, body) => {
      const isFirst = receiver.received.length === 1;
      void Promise.resolve(isFirst && update(webhook, { status: 'disabled' })).then(() =>
        answers(200)(request, response, body),
      );
    });
    expect(await deliver(deliverWebhooks, task)).toBe(true);
    await settle(admin);
    expect(receiver.received).toHaveLength(5);
    expect(await statusesOf(webhook)).toEqual(Array(12).fill('cancelled'));
    expect(await pendingOf(webhook)).toBe(0);
  });
});

describe('an endpoint that is deleted', () => {
  test('leaves no row, however many it had', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await waiting(60);
    await as(admin.admin).webhooks.delete(of(webhook));
    expect(await getRow(admin.caller, keys.webhookState(admin.caller, webhook.id))).toBeUndefined();
    const cleanup = (await waitingTasks(admin.caller)).find(({ outbox }) => outbox === 'cleanup')!;
    expect(await deliver(deleteRemains, cleanup)).toBe(true);
    const partition = keys.below(admin.caller, 'WEBHOOK', webhook.id);
    expect(await countRows(admin.caller, { partition })).toBe(0);
  });
});

describe('an endpoint', () => {
  test('has each of its changes in the audit log, by whoever has made it', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    await update(webhook, { description: 'Till' });
    await as(admin.admin).webhooks.rotateSecret(of(webhook));
    await as(admin.admin).webhooks.test(of(webhook));
    const body = { from: '2026-01-01T00:00:00Z' };
    await as(admin.admin).webhooks.replayEvents({ ...of(webhook), body });
    receiver.behave(answers(410));
    await settle(admin);
    await as(admin.admin).webhooks.delete(of(webhook));
    const records = (await auditOf(admin)).filter(({ target_id }) => target_id === webhook.id);
    const kinds = ['created', 'updated', 'rotated', 'tested', 'replayed', 'disabled', 'deleted'];
    expect(records.map(({ action }) => action)).toEqual(kinds.map((kind) => `webhook.${kind}`));
    const byOthers = records.filter(({ actor_id }) => actor_id !== admin.admin.userId);
    expect(byOthers).toMatchObject([{ action: 'webhook.disabled', actor_id: '', actor_name: 'service' }]);
  });

  test('that is rotated and changed at once keeps both', async () => {
    const places = await between({
      prepare: () => newWebhook(admin, NOWHERE),
      work: (webhook) => as(admin.admin).webhooks.rotateSecret(of(webhook)),
      act: (webhook) => update(webhook, { description: 'Till' }),
      check: async (webhook) =>
        expect(await shown(admin, webhook)).toMatchObject({
          description: 'Till',
          previous_secret_until: expect.any(String),
          version: 3,
        }),
    });
    expect(places).toBeGreaterThan(1);
  });

  test('that is created while events are numbered gets each event after its first one, and is counted', async () => {
    const places = await between({
      prepare: async () => {
        admin = await newAdmin();
        await emitEvents(admin);
        await handOnEvents(admin);
      },
      work: () => as(admin.admin).webhooks.create({ body: { url: receiver.url, types: ['*'] } }),
      act: async () => {
        await emitEvents(admin);
        await handOnEvents(admin);
      },
      check: async () => {
        const [webhook] = await Array.fromAsync(
          queryRows(admin.caller, { partition: keys.all(admin.caller, 'WEBHOOK') }),
        );
        await settle(admin);
        const events: Event[] = await as(admin).events.list({});
        const due = events.filter(({ sequence }) => sequence > webhook!.after);
        const got = await deliveriesOf(admin, webhook!);
        expect(got.map(({ sequence }) => sequence)).toEqual(due.map(({ sequence }) => sequence).reverse());
        const sequence = await getRow(admin.caller, keys.eventSequence(admin.caller));
        expect(sequence).toMatchObject({ webhooks: 1, active_webhooks: 1 });
      },
    });
    expect(places).toBeGreaterThan(2);
  });

  test('that is created while events are being numbered gets all of them after its first one', async () => {
    const places = await between({
      prepare: async () => {
        admin = await newAdmin();
        await emitEvents(admin);
      },
      work: () => handOnEvents(admin),
      act: () => newWebhook(admin, receiver.url),
      check: async () => {
        const [webhook] = await Array.fromAsync(
          queryRows(admin.caller, { partition: keys.all(admin.caller, 'WEBHOOK') }),
        );
        await settle(admin);
        const events: Event[] = await as(admin).events.list({});
        const due = events.filter(({ sequence }) => sequence > webhook!.after);
        const got = await deliveriesOf(admin, webhook!);
        expect(got.map(({ sequence }) => sequence)).toEqual(due.map(({ sequence }) => sequence).reverse());
      },
    });
    expect(places).toBeGreaterThan(2);
  });

  test('among more than a hundred gets each event once', async () => {
    const first = await newWebhook(admin, receiver.url);
    const { webhook, state } = (await findWebhook(admin.caller, first.id))!;
    const copies = Array.from({ length: 204 }, (_, n) => {
      const id = `ffffffff-0000-7000-8000-${String(n).padStart(12, '0')}`;
      return [
        write.create({ ...webhook, id, ...keys.one(admin.caller, 'WEBHOOK', id) }),
        write.create({ ...state, webhook_id: id, ...keys.webhookState(admin.caller, id) }),
      ];
    });
    for (let start = 0; start < copies.length; start += 50)
      await commit(admin, copies.slice(start, start + 50).flat());
    await emitEvents(admin, 2);
    await handOnEvents(admin);
    const [whole] = await tasksOf(admin);
    expect(await deliver(deliverWebhooks, whole!)).toBe(true);
    await dropTasks(admin.caller, [whole!]);
    const parts = await tasksOf(admin);
    expect(parts.map(({ data }) => data.what)).toEqual(['fan_out', 'fan_out', 'fan_out']);
    const woken: string[][] = [];
    for (const part of parts) {
      const before = await tasksOf(admin);
      expect(await deliver(deliverWebhooks, part)).toBe(true);
      woken.push((await tasksOf(admin)).slice(before.length).map(({ data }) => data.webhook_id));
    }
    expect(woken.map(({ length }) => length)).toEqual([100, 100, 5]);
    expect(new Set(woken.flat()).size).toBe(205);
    // The same task may come again.
    expect(await deliver(deliverWebhooks, parts[2]!)).toBe(true);
    for (const id of [first.id, ...woken[1]!.slice(-1), ...woken[2]!])
      expect(await pendingOf({ id })).toBe(2);
  });
});

describe('what is kept', () => {
  test('of deliveries and replays is deleted after 30 days by its row’s own time', async () => {
    const webhook = await newWebhook(admin, NOWHERE);
    await waiting();
    const body = { from: '2026-01-01T00:00:00Z' };
    await as(admin.admin).webhooks.replayEvents({ ...of(webhook), body });
    const partition = keys.below(admin.caller, 'WEBHOOK', webhook.id);
    const rows = (await Array.fromAsync(queryRows(admin.caller, { partition }))) as { ttl?: number }[];
    const days = rows.map(({ ttl = 0 }) => Math.round((ttl - Date.now() / 1_000) / DAY));
    expect(days).toEqual([30, 30, 30]);
  });
});

describe('a replay', () => {
  const replay = async (webhook: { id: string }, body: object): Promise<WebhookReplay> =>
    (await asAdmin(admin)).webhooks.replayEvents({ ...of(webhook), body });
  const replays = async (webhook: { id: string }): Promise<WebhookReplay[]> =>
    (await asAdmin(admin)).webhooks.listReplays(of(webhook));

  test.each([45, 46])('of %d events sends each of them', async (count) => {
    await emitEvents(admin, count);
    await handOnEvents(admin);
    const webhook = await newWebhook(admin, receiver.url);
    await replay(webhook, { from: '2026-01-01T00:00:00Z' });
    await settle(admin);
    const ids = ((await as(admin).events.list({})) as Event[]).map(({ id }) => id);
    expect(receiver.ids().toSorted()).toEqual(ids.toSorted());
    expect(await replays(webhook)).toMatchObject([{ status: 'completed', events_count: count }]);
  });

  test('has the events at the first and the last moment of its period, and none beside them', async () => {
    for (const _hour of [1, 2, 3, 4]) {
      await emitEvents(admin);
      await handOnEvents(admin);
      clock.pass(3_600);
    }
    const events: Event[] = await as(admin).events.list({});
    const rows = await Array.fromAsync(
      queryRows(admin.caller, { partition: keys.event.partition(admin.caller) }),
    );
    const webhook = await newWebhook(admin, receiver.url);
    await replay(webhook, { from: rows[1]!.recorded_at, to: events[2]!.timestamp });
    await settle(admin);
    expect(receiver.ids().toSorted()).toEqual([events[1]!.id, events[2]!.id].toSorted());
  });

  test('has no events that may be gone before they are sent', async () => {
    for (const days of [1, 399]) {
      await emitEvents(admin);
      await handOnEvents(admin);
      clock.pass(days * DAY);
    }
    await emitEvents(admin);
    await handOnEvents(admin);
    const webhook = await newWebhook(admin, receiver.url);
    await replay(webhook, { from: '2026-01-01T00:00:00Z' });
    await settle(admin);
    expect(await replays(webhook)).toMatchObject([{ status: 'completed', events_count: 1 }]);
  });

  test('waits while the endpoint fails', async () => {
    const webhook = await newWebhook(admin, receiver.url);
    receiver.behave(answers(500));
    await emitEvents(admin, 60);
    await settle(admin);
    await replay(webhook, { from: '2026-01-01T00:00:00Z' });
    await settle(admin);
    expect(await replays(webhook)).toMatchObject([{ status: 'running', events_count: 0 }]);
    receiver.behave(answers(200));
    await passTime(admin, 600);
    expect(await replays(webhook)).toMatchObject([{ status: 'completed', events_count: 60 }]);
  });

  test('that was cancelled in the middle does not go on when the endpoint is enabled again', async () => {
    await emitEvents(admin, 100);
    await handOnEvents(admin);
    const webhook = await newWebhook(admin, receiver.url);
    await replay(webhook, { from: '2026-01-01T00:00:00Z' });
    await withFault(slowly, async () => deliver(deliverWebhooks, await taskFor('deliver')));
    await update(webhook, { status: 'disabled' });
    clock.pass(1);
    await update(webhook, { status: 'active' });
    await passTime(admin, 3_600);
    expect(await replays(webhook)).toMatchObject([{ status: 'cancelled' }]);
    expect((await statusesOf(webhook)).length).toBeLessThan(100);
    expect(await replay(webhook, { from: '2026-01-01T00:00:00Z' })).toMatchObject({ status: 'running' });
  });
});
