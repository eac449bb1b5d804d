import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import type { Event } from '../../shared/schemas/event.ts';
import { keys } from '../../shared/table/keys.ts';
import { actorOf, dropTasks } from '../../shared/table/outbox/outbox.ts';
import { countRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { impatient, installFaults } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { betweenSome } from '../support/places.ts';
import {
  type Admin,
  asAdmin,
  deliveriesOf,
  emitEvents,
  handOnEvents,
  isSigned,
  newAdmin,
  newWebhook,
  type Receiver,
  settle,
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

/** Events of an endpoint: some that wait, and one that happens while somebody else acts. */
const EVENTS = 7;

/** More than the longest wait for a lost worker or task, in seconds. */
const RECOVERED = 1_000;

/** An organization with an endpoint for which deliveries wait, after a replay was asked for. */
interface Prepared {
  admin: Admin;
  webhook: { id: string; secret: string };
}

const prepare = async (): Promise<Prepared> => {
  receiver.received.length = 0;
  const admin = await newAdmin('Overtaken');
  const webhook = await newWebhook(admin, receiver.url);
  await emitEvents(admin, EVENTS);
  await handOnEvents(admin);
  return { admin, webhook };
};

/** A worker does each task that waits, in their order, once. */
const work = async ({ admin }: Prepared): Promise<void> => {
  const done = new Set<string>();
  for (;;) {
    const task = (await tasksOf(admin)).find(
      ({ id, delay_seconds = 0 }) => !done.has(id) && delay_seconds === 0,
    );
    if (!task) return;
    done.add(task.id);
    if (await deliver(deliverWebhooks, task)) await dropTasks(actorOf(task), [task]);
  }
};

const of = ({ webhook }: Prepared) => ({ params: { webhook_id: webhook.id } });
const change = async (prepared: Prepared, body: object): Promise<void> =>
  (await asAdmin(prepared.admin)).webhooks.update({ ...of(prepared), body });

const pendingOf = ({ admin, webhook }: Prepared) =>
  countRows(admin.caller, keys.pendingDelivery.range(admin.caller, webhook.id));
const statusesOf = async ({ admin, webhook }: Prepared) =>
  (await deliveriesOf(admin, webhook)).map(({ status }) => status);

const expectSound = async ({ admin: { caller } }: Prepared) => {
  const { found, unsettled, differences } = await checkOrganization(caller, { repair: false });
  expect({ found, unsettled, differences }).toEqual({ found: 0, unsettled: 0, differences: [] });
};

const overtaken = async (
  act: (prepared: Prepared) => Promise<unknown>,
  check: (prepared: Prepared) => Promise<void>,
): Promise<void> => {
  const places = await betweenSome({
    prepare,
    work,
    act,
    check: async (prepared) => {
      clock.pass(RECOVERED);
      await settle(prepared.admin);
      await check(prepared);
      await expectSound(prepared);
    },
  });
  expect(places).toBeGreaterThan(10);
};

/** All events have arrived, and nothing waits. */
const expectAll = async (prepared: Prepared): Promise<void> => {
  const ids = ((await as(prepared.admin).events.list({})) as Event[]).map(({ id }) => id);
  expect(new Set(receiver.ids())).toEqual(new Set(ids));
  expect(new Set(await statusesOf(prepared))).toEqual(new Set(['succeeded']));
  expect(await pendingOf(prepared)).toBe(0);
};

describe('between any two calls of a worker', () => {
  test('its endpoint is disabled: nothing is pending any more, and nothing is sent after that', () =>
    overtaken(
      (prepared) => change(prepared, { status: 'disabled' }),
      async (prepared) => {
        expect(await pendingOf(prepared)).toBe(0);
        const sent = receiver.received.length;
        const statuses = await statusesOf(prepared);
        expect(statuses.filter((status) => !['succeeded', 'cancelled'].includes(status))).toEqual([]);
        await emitEvents(prepared.admin);
        await settle(prepared.admin);
        expect([receiver.received.length, await statusesOf(prepared)]).toEqual([sent, statuses]);
      },
    ));

  test('its endpoint is disabled and enabled: what happens from then on arrives', () =>
    overtaken(
      async (prepared) => {
        await change(prepared, { status: 'disabled' });
        clock.pass(1);
        await change(prepared, { status: 'active' });
        await emitEvents(prepared.admin, 1, 'location.created');
        await handOnEvents(prepared.admin);
      },
      async (prepared) => {
        expect(await pendingOf(prepared)).toBe(0);
        expect(receiver.received.at(-1)!.body).toContain('location.created');
        const [latest] = await deliveriesOf(prepared.admin, prepared.webhook);
        expect(latest).toMatchObject({ type: 'location.created', status: 'succeeded' });
      },
    ));

  test('its endpoint is deleted: no row of it is left', () =>
    overtaken(
      async (prepared) => (await asAdmin(prepared.admin)).webhooks.delete(of(prepared)),
      async (prepared) => {
        const { admin, webhook } = prepared;
        const tasks = await waitingTasks(admin.caller);
        for (const task of tasks.filter(({ outbox }) => outbox === 'cleanup'))
          expect(await deliver(deleteRemains, task)).toBe(true);
        const partition = keys.below(admin.caller, 'WEBHOOK', webhook.id);
        expect(await countRows(admin.caller, { partition })).toBe(0);
        expect(await (await asAdmin(admin)).webhooks.list({})).toEqual([]);
      },
    ));

  test('its secret is rotated: all arrives, and what is sent later has the new signature', async () => {
    const secrets = new Map<Prepared, string>();
    await overtaken(
      async (prepared) => {
        const { secret } = await (await asAdmin(prepared.admin)).webhooks.rotateSecret(of(prepared));
        secrets.set(prepared, secret);
      },
      async (prepared) => {
        await expectAll(prepared);
        await emitEvents(prepared.admin);
        await settle(prepared.admin);
        expect(isSigned(receiver.received.at(-1)!, secrets.get(prepared)!)).toBe(true);
        await expectAll(prepared);
      },
    );
  });

  test('a second worker does it, because the first one was slow: each attempt is recorded once', () =>
    overtaken(
      async (prepared) => {
        clock.pass(RECOVERED);
        await settle(prepared.admin);
      },
      async (prepared) => {
        await expectAll(prepared);
        const counts = (await deliveriesOf(prepared.admin, prepared.webhook)).map(
          ({ attempts_count }) => attempts_count,
        );
        expect(counts).toEqual(Array(EVENTS).fill(1));
      },
    ));

  test('a replay is asked for, and another event happens: all arrives', () =>
    overtaken(
      async (prepared) => {
        const body = { from: '2026-01-01T00:00:00Z' };
        await (await asAdmin(prepared.admin)).webhooks.replayEvents({ ...of(prepared), body });
        await emitEvents(prepared.admin);
        await handOnEvents(prepared.admin);
      },
      async (prepared) => {
        await expectAll(prepared);
        expect(await statusesOf(prepared)).toHaveLength(2 * EVENTS + 1);
      },
    ));
});
