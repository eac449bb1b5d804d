import { v7 as uuidv7 } from 'uuid';
import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { actorOf, dropTasks } from '../../shared/table/outbox/outbox.ts';
import { countRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { createWebhook } from '../../shared/webhooks/endpoints.ts';
import * as webhooks from '../../shared/webhooks/webhooks.ts';
import { as } from '../support/call.ts';
import { seeded } from '../support/chance.ts';
import { useClock } from '../support/clock.ts';
import { chaos, impatient, installFaults, withFault } from '../support/faults.ts';
import { deliver } from '../support/outbox.ts';
import { type Kill, killedAtPlaces } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import {
  type Admin,
  answers,
  asAdmin,
  deliveriesOf,
  emitEvents,
  handOnEvents,
  newAdmin,
  newReceiver,
  newWebhook,
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
let receiver: Receiver;

beforeEach(() => {
  receiver = receiverOf();
});

/** More than the longest wait for a lost worker or task, in seconds. */
const RECOVERED = 1_000;

const eventsOf = (admin: Admin): Promise<Event[]> => as(admin).events.list({});

const expectSound = async ({ caller }: Admin) => {
  const { found, unsettled, differences } = await checkOrganization(caller, { repair: false });
  expect({ found, unsettled, differences }).toEqual({ found: 0, unsettled: 0, differences: [] });
};

/** All events have reached an endpoint that gets all, and nothing is left to do for it. */
const expectDelivered = async (admin: Admin, endpoint: Receiver, webhook: { id: string }) => {
  const bodies = (await eventsOf(admin)).map((event) => JSON.stringify(event));
  expect(new Set(endpoint.received.map(({ body }) => body))).toEqual(new Set(bodies));
  const statuses = (await deliveriesOf(admin, webhook)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['succeeded']));
  expect(await countRows(admin.caller, keys.pendingDelivery.range(admin.caller, webhook.id))).toBe(0);
};

describe('workers that are killed', () => {
  test('between any two calls lose nothing, and repeat what they had on its way at most', async () => {
    let checks = 0;
    const attempt = async ({ place, fault, isReached }: Kill) => {
      const admin = await newAdmin(`Killed ${place}`);
      const other = await newReceiver();
      receiver.received.length = 0;
      const [one, two] = [await newWebhook(admin, receiver.url), await newWebhook(admin, other.url)];
      await emitEvents(admin, 7);
      await withFault(fault, () => settle(admin)).catch((error: unknown) => {
        if (!isReached()) throw error;
      });
      clock.pass(RECOVERED);
      await settle(admin);
      await expectDelivered(admin, receiver, one);
      await expectDelivered(admin, other, two);
      expect(receiver.received.length + other.received.length).toBeLessThanOrEqual(14 + 5);
      expect(await deliveriesOf(admin, one)).toHaveLength(7);
      other.close();
      if (checks % 10 === 0) await expectSound(admin);
      checks += 1;
    };
    expect(await killedAtPlaces(attempt, { every: 3 })).toBeGreaterThan(30);
  });

  /** More than one transaction creates. */
  const EVENTS = scaled(50, 60);

  test('during a replay send every event of the period', async () => {
    const attempt = async ({ place, fault, isReached }: Kill) => {
      const admin = await newAdmin(`Replayed ${place}`);
      receiver.received.length = 0;
      await emitEvents(admin, EVENTS);
      await handOnEvents(admin);
      const webhook = await newWebhook(admin, receiver.url);
      const body = { from: '2026-01-01T00:00:00Z' };
      const params = { webhook_id: webhook.id };
      await (await asAdmin(admin)).webhooks.replayEvents({ params, body });
      await withFault(fault, () => settle(admin)).catch((error: unknown) => {
        if (!isReached()) throw error;
      });
      clock.pass(RECOVERED);
      await settle(admin);
      await expectDelivered(admin, receiver, webhook);
      expect(await deliveriesOf(admin, webhook)).toHaveLength(EVENTS);
    };
    expect(await killedAtPlaces(attempt, { every: 10 })).toBeGreaterThan(40);
  });
});

test.each(scaled([1], [1, 2]))('faults of the database with seed %i lose nothing', async (seed) => {
  const random = seeded(seed);
  const admin = await newAdmin(`Faulty ${seed}`);
  const webhook = await newWebhook(admin, receiver.url);
  for (let turn = 0; turn < 12; turn += 1) {
    await emitEvents(admin, 5);
    receiver.behave(answers(random() < 0.3 ? 500 : 200));
    const rates = { refused: 0.05, lost: 0.05 };
    await withFault(chaos(random, rates), () => settle(admin)).catch(() => undefined);
    clock.pass(random() * 400);
  }
  receiver.behave(answers(200));
  const pending = () => countRows(admin.caller, keys.pendingDelivery.range(admin.caller, webhook.id));
  for (let turn = 0; turn < 6 || (await pending()) > 0; turn += 1) {
    clock.pass(10_000);
    await settle(admin);
  }
  await expectDelivered(admin, receiver, webhook);
  await expectSound(admin);
});

/** Does tasks as the workers of a queue do, some at once, and each again if it fails. */
const doAtOnce = async (tasks: readonly OutboxTask[]): Promise<void> => {
  const rest = tasks.values();
  const take = async () => {
    for (const task of rest) {
      let attempt = 1;
      while (!(await deliver(deliverWebhooks, task, attempt)) && attempt < QUEUE_ATTEMPTS) attempt += 1;
      expect(attempt).toBeLessThan(QUEUE_ATTEMPTS);
      await dropTasks(actorOf(task), [task]);
    }
  };
  await Promise.all(Array.from({ length: 40 }, take));
};

/** Endpoints that get their events in several parts of a hundred, of which one each never answers. */
const ENDPOINTS = scaled(200, 1_000);
const DEAD = ENDPOINTS / 100;

test(`${ENDPOINTS} endpoints, of which ${DEAD} never answer: all others get the event before these have failed`, async () => {
  const admin = await newAdmin('Thousand');
  const hanging = await newReceiver();
  hanging.behave(() => undefined);
  const dead: string[] = [];
  for (let n = 0; n < ENDPOINTS; n += 1) {
    const isDead = n % 100 === 50;
    const url = isDead ? hanging.url : receiver.url;
    const { id } = await createWebhook(admin.caller, { url, types: ['*'], description: `${n}` });
    if (isDead) dead.push(id);
  }
  expect(dead).toHaveLength(DEAD);
  await emitEvents(admin);
  await handOnEvents(admin);

  const fanOuts = await tasksOf(admin);
  expect(fanOuts).toHaveLength(1);
  await doAtOnce(fanOuts);
  const parts = await tasksOf(admin);
  expect(parts).toHaveLength(ENDPOINTS / 100);
  // A part that is repeated creates nothing again.
  await doAtOnce([...parts, ...parts.slice(0, 3)]);
  const tasks = await tasksOf(admin);
  expect(tasks).toHaveLength(ENDPOINTS);

  const failedBefore: boolean[] = [];
  receiver.behave((request, response, body) => {
    failedBefore.push(hanging.received.some((_, position) => position >= DEAD));
    answers(204)(request, response, body);
  });
  await doAtOnce(tasks);
  expect(receiver.received).toHaveLength(ENDPOINTS - DEAD);
  expect(new Set(receiver.ids()).size).toBe(1);
  // Each that is dead was asked once, and is asked again later.
  expect(failedBefore).not.toContain(true);
  expect(hanging.received).toHaveLength(DEAD);
  for (const id of dead) {
    expect(await deliveriesOf(admin, { id })).toMatchObject([{ status: 'pending', attempts_count: 1 }]);
  }
  const later = await tasksOf(admin);
  expect(later.map(({ delay_seconds }) => delay_seconds! >= 5)).toEqual(Array(DEAD).fill(true));
  hanging.close();
  await expectSound(admin);
});

test('an endpoint that hangs delays neither another nor another organization', async () => {
  const hanging = await newReceiver();
  hanging.behave(() => undefined);
  const [admin, other] = [await newAdmin(), await newAdmin('Other')];
  const slow = await newWebhook(admin, hanging.url);
  const quick = await newWebhook(admin, receiver.url);
  const foreign = await newWebhook(other, receiver.url);
  await Promise.all([emitEvents(admin, 20), emitEvents(other, 20)]);
  for (const each of [admin, other]) {
    await handOnEvents(each);
    await doAtOnce(await tasksOf(each));
  }
  const tasks = [...(await tasksOf(admin)), ...(await tasksOf(other))];
  // One for each endpoint, so that a worker that waits for one waits for no other.
  expect(tasks).toHaveLength(3);
  expect(new Set(tasks.map(({ data }) => data['webhook_id']))).toEqual(
    new Set([slow.id, quick.id, foreign.id]),
  );
  const slowest = tasks.find(({ data }) => data['webhook_id'] === slow.id)!;
  const waiting = doAtOnce([slowest]);
  await doAtOnce(tasks.filter((task) => task !== slowest));
  expect(new Set(receiver.ids()).size).toBe(40);
  await waiting;
  // Of twenty deliveries, a few were on their way at once, and none after these had failed.
  expect(hanging.received).toHaveLength(5);
  expect((await shown(admin, slow)).last_failure!.message).toContain('did not answer in time');
  hanging.close();
});

test('an endpoint that is deleted and one that is rotated while events are sent lose nothing of others', async () => {
  const admin = await newAdmin('Busy');
  const kept = await newWebhook(admin, receiver.url);
  const gone = await newWebhook(admin, receiver.url, ['issue.*']);
  await emitEvents(admin, 30);
  await Promise.all([
    settle(admin),
    webhooks.remove(admin.caller, gone.id),
    webhooks.update(admin.caller, kept.id, { description: uuidv7() }),
  ]);
  await settle(admin);
  await expectDelivered(admin, receiver, kept);
  await expectSound(admin);
});
