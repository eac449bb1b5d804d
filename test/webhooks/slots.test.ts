import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import { dropTasks } from '../../shared/table/outbox/outbox.ts';
import { setMaxSlots } from '../../shared/table/slots.ts';
import { takeWebhook } from '../../shared/webhooks/turns.ts';
import { useClock } from '../support/clock.ts';
import { deliver } from '../support/outbox.ts';
import {
  type Admin,
  emitEvents,
  handOnEvents,
  newAdmin,
  newWebhook,
  passTime,
  tasksOf,
  useReceiver,
} from './fixtures.ts';

const clock = useClock();
const receiverOf = useReceiver();
const MOST = 2;
const ENDPOINTS = 5;

/** An organization with an event for each of its endpoints. @returns the tasks that deliver it */
const flooded = async () => {
  const admin = await newAdmin();
  await setMaxSlots(admin.caller, { WEBHOOK: MOST });
  for (let n = 0; n < ENDPOINTS; n += 1) await newWebhook(admin, `${receiverOf().url}?${n}`);
  return { admin, tasks: await waiting(admin) };
};

const waiting = async (admin: Admin) => {
  await emitEvents(admin);
  await handOnEvents(admin);
  const fanOuts = (await tasksOf(admin)).filter(({ data }) => data.what === 'fan_out');
  for (const task of fanOuts) expect(await deliver(deliverWebhooks, task)).toBe(true);
  await dropTasks(admin.caller, fanOuts);
  return tasksOf(admin);
};

describe('an organization with slow endpoints', () => {
  test('is sent to a few of them at the same time; the others stay due, and get everything later', async () => {
    const receiver = receiverOf();
    const { admin, tasks } = await flooded();
    expect(tasks).toHaveLength(ENDPOINTS);
    const answer = Promise.withResolvers<void>();
    const areAllAsked = Promise.withResolvers<void>();
    receiver.behave((_, response) => {
      if (receiver.received.length === MOST) areAllAsked.resolve();
      void answer.promise.then(() => response.writeHead(204).end());
    });
    const running = tasks.slice(0, MOST).map((task) => deliver(deliverWebhooks, task));
    await areAllAsked.promise;
    for (const task of tasks.slice(MOST)) expect(await deliver(deliverWebhooks, task)).toBe(true);
    expect(receiver.received).toHaveLength(MOST);
    await dropTasks(admin.caller, tasks);
    const later = (await tasksOf(admin)).map(({ delay_seconds }) => delay_seconds!);
    expect(later).toHaveLength(ENDPOINTS - MOST);
    for (const seconds of later) {
      expect(seconds).toBeGreaterThanOrEqual(2);
      expect(seconds).toBeLessThanOrEqual(6);
    }
    answer.resolve();
    expect(await Promise.all(running)).toEqual([true, true]);
    await passTime(admin, 7);
    expect(receiver.received).toHaveLength(ENDPOINTS);
  });

  test('gets one task for an endpoint that waits, however many events are added', async () => {
    const { admin, tasks } = await flooded();
    for (const { data } of tasks.slice(0, MOST)) await takeWebhook(admin.caller, data.webhook_id, data.turn);
    for (const task of tasks.slice(MOST)) await deliver(deliverWebhooks, task);
    await dropTasks(admin.caller, tasks);
    expect(await waiting(admin)).toHaveLength(ENDPOINTS - MOST);
  });

  test.each([
    [65, 0],
    [67, 1],
  ])(
    'has the slots of workers that were killed again after their lease (%d s: %d)',
    async (seconds, sent) => {
      const { admin, tasks } = await flooded();
      for (const { data } of tasks.slice(0, MOST))
        await takeWebhook(admin.caller, data.webhook_id, data.turn);
      clock.pass(seconds);
      await deliver(deliverWebhooks, tasks[MOST]!);
      expect(receiverOf().received).toHaveLength(sent);
    },
  );

  test('does not slow down another organization', async () => {
    const { admin, tasks } = await flooded();
    for (const { data } of tasks.slice(0, MOST)) await takeWebhook(admin.caller, data.webhook_id, data.turn);
    const quiet = await newAdmin('Quiet');
    await newWebhook(quiet, receiverOf().url);
    for (const task of [...tasks.slice(MOST), ...(await waiting(quiet))])
      expect(await deliver(deliverWebhooks, task)).toBe(true);
    expect(receiverOf().received).toHaveLength(1);
    expect(await tasksOf(admin)).not.toEqual([]);
  });
});
