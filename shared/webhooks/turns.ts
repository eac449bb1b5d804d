import { type Caller, serviceOf } from '../base/caller.ts';
import { healthAfter, reasonToDisable, retryWait } from '../domain/webhooks.ts';
import type { WebhookAttempt } from '../schemas/webhook.ts';
import { audit } from '../table/audit.ts';
import { change, type Decision, NOTHING, type Work } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import { exists, hasValues } from '../table/conditions.ts';
import type { StoredDelivery, WebhookState } from '../table/entities/webhooks.ts';
import { keys } from '../table/keys.ts';
import { dueRowsInTurns } from '../table/outbox/due.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { isOutage } from '../table/retry.ts';
import { getRow, getRows, queryRows } from '../table/rows.ts';
import { takeShortly } from '../table/slots.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf, isTest, pendingKey, queueWrite } from './deliveries.ts';
import { disabledNotices, type Disabling, disablingWrites } from './disable.ts';
import {
  findWebhook,
  iso,
  LEASE_MS,
  takenAt,
  webhookJob,
  webhookRecords,
  type WholeWebhook,
} from './records.ts';

/*
 * A worker's turn at an endpoint: it takes the endpoint, sends due deliveries, records the attempts, and lets go.
 * `shared/webhooks/deliver.ts` calls these functions in that order.
 *
 *              attempts fail                        3 days without a success, or the endpoint answers 410
 *   active --------------------> active, failing -------------------------------------------> disabled
 *     ^  ^                           |    |                                                    |    ^
 *     |  |   an attempt succeeds     |    | waits for `probe_at`, then tries one delivery      |    |
 *     |  +---------------------------+    +---> (the same state)                               |    |
 *     |                                                                                        |    |
 *     +-------------------------------------- a client enables it -----------------------------+    |
 *     +-------------------------------------- a client disables it ---------------------------------+
 */

/** Deliveries that are sent to an endpoint at the same time. */
const MAX_IN_FLIGHT = 5;

/** The seconds after which an endpoint is tried again that found no slot. Those that wait do not come at once. */
const WAIT_SECONDS = { min: 2, max: 6 } as const;

/** Leaves an endpoint due, because as many of the organization's are sent to as may be. */
const postponed = (work: Work, state: WebhookState): Decision<undefined> => {
  const { min, max } = WAIT_SECONDS;
  const now = Date.parse(work.now);
  const { changes, tasks } = takenAt(work, state, now + (min + Math.random() * (max - min)) * 1_000);
  // It is due, so what is added meanwhile makes no task of its own.
  return { ...webhookJob.release(work, state, { ...changes, run_at: iso(now) }, ...tasks), reply: undefined };
};

/** An endpoint that a worker has taken, and the slot that it has meanwhile. */
export interface TakenWebhook {
  whole: WholeWebhook;
  slot: number;
}

/**
 * Takes an endpoint for this worker.
 * @param turn the task's count: the task is outdated when the endpoint has been taken since
 * @returns undefined when the task is outdated, another worker has the endpoint, nothing may be sent to it, or as many
 *   endpoints of the organization are sent to as may be at the same time; then it stays due
 */
export const takeWebhook = (caller: Caller, id: string, turn: number): Promise<TakenWebhook | undefined> =>
  change<TakenWebhook | undefined>(caller, async (work) => {
    const whole = await findWebhook(caller, id);
    if (whole?.webhook.status !== 'active' || whole.state.turn !== turn) return NOTHING;
    const { writes, reply: state } = webhookJob.take(work, whole.state);
    if (!state) return NOTHING;
    const taken = await takeShortly(work, 'WEBHOOK', LEASE_MS / 1_000);
    if (!taken) return postponed(work, whole.state);
    return { writes: [...writes, ...taken.writes], reply: { whole: { ...whole, state }, slot: taken.slot } };
  });

/** The endpoint as it is now, if this worker still has it; undefined when it does not. */
export const stillTaken = async (
  caller: Caller,
  { state }: WholeWebhook,
): Promise<WholeWebhook | undefined> => {
  const now = await findWebhook(caller, state.webhook_id);
  return now?.state.turn === state.turn ? now : undefined;
};

/** A delivery that must be sent now, and its body. */
export interface DueDelivery {
  delivery: StoredDelivery;
  body: string;
}

/** How many deliveries may be sent to an endpoint now. While it fails: one, and only from the time of its probe on. */
export const allowedNow = ({ state: { probe_at } }: WholeWebhook, now: number): number => {
  if (probe_at === null) return MAX_IN_FLIGHT;
  return Date.parse(probe_at) <= now ? 1 : 0;
};

/** The deliveries that must be sent to an endpoint now. The one that has waited longest comes first. */
export const dueDeliveries = async (caller: Caller, whole: WholeWebhook): Promise<DueDelivery[]> => {
  const now = Date.now();
  const most = allowedNow(whole, now);
  if (most === 0) return [];
  const { webhook_id } = whole.state;
  const range = { ...keys.pendingDeliveries(caller, webhook_id, iso(now)), pageSize: most };
  const ids: string[] = [];
  for await (const { delivery_id } of queryRows(caller, range)) if (ids.push(delivery_id) === most) break;
  const rows = await getRows(
    caller,
    ids.map((id) => keys.delivery(caller, webhook_id, id)),
  );
  const due = rows.filter((row) => row !== undefined);
  const events = await getRows(
    caller,
    due.map(({ sequence }) => (sequence === null ? undefined : keys.event(caller, sequence))),
  );
  return due.map((delivery, position) => ({ delivery, body: contentOf(delivery, events[position]) }));
};

/** A delivery that was sent once, and its new attempt. */
export interface SentDelivery {
  delivery: StoredDelivery;
  request: NonNullable<StoredDelivery['request']>;
  attempt: WebhookAttempt;
}

/** A delivery after an attempt. A test has only one attempt. */
const attempted = ({ delivery, request, attempt }: SentDelivery, now: number): StoredDelivery => {
  const attempts = [...delivery.attempts, attempt];
  const ended = { ...delivery, attempts, request, next_attempt_at: null, queued_at: null };
  if (attempt.error === null) return { ...ended, status: 'succeeded' };
  const wait = isTest(delivery) ? undefined : retryWait(attempts.length);
  if (wait === undefined) return { ...ended, status: 'failed' };
  const next = iso(now + wait);
  return { ...ended, next_attempt_at: next, queued_at: next };
};

/** The rows of a delivery after an attempt. A delivery that was cancelled meanwhile stays cancelled. */
const attemptWrites = (caller: Caller, sent: SentDelivery, now: number): Write[] => {
  const { delivery } = sent;
  const next = attempted(sent, now);
  const key = keys.delivery(caller, delivery.webhook_id, delivery.id);
  return [
    write.replace({ ...next, ...key }, hasValues({ queued_at: delivery.queued_at })),
    write.remove(pendingKey(caller, delivery), exists),
    ...(next.queued_at === null ? [] : [queueWrite(caller, next)]),
  ];
};

/** The sent deliveries that nobody has changed since they were sent. */
const stillPending = async (caller: Caller, sent: readonly SentDelivery[]): Promise<SentDelivery[]> => {
  const rows = await getRows(
    caller,
    sent.map(({ delivery }) => keys.delivery(caller, delivery.webhook_id, delivery.id)),
  );
  return sent.filter(({ delivery }, position) => rows[position]?.queued_at === delivery.queued_at);
};

/** Disables an endpoint that is gone or has failed too long. */
const disabling = async (work: Work, whole: WholeWebhook, reason: 'gone' | 'failing'): Promise<Disabling> => {
  const sequence = (await getRow(work, keys.eventSequence(work))) ?? {};
  const { webhook, state, writes } = disablingWrites(work, whole, sequence, reason);
  const next = nextVersion(work, whole.webhook, webhook);
  const { id, version } = whole.webhook;
  return {
    webhook: next,
    state,
    writes: [
      write.replace({ ...next, ...webhookRecords.key(work, id) }, version),
      ...writes,
      // Not by whoever has caused the event that was sent last.
      audit({ ...serviceOf(work.org_id), now: work.now }, 'webhook.disabled', id),
      ...(await disabledNotices(work, next, state)),
    ],
  };
};

/**
 * Records the attempts of deliveries that were sent at the same time, in one transaction.
 * @returns the endpoint as it is now, which may be disabled; undefined when this worker has lost it
 */
export const recordAttempts = (
  caller: Caller,
  taken: WholeWebhook,
  sent: readonly SentDelivery[],
): Promise<WholeWebhook | undefined> =>
  change<WholeWebhook | undefined>(caller, async (work) => {
    const whole = await stillTaken(caller, taken);
    if (!whole) return NOTHING;
    const now = Date.parse(work.now);
    const outcomes = sent.map(({ attempt }) => attempt);
    const health = healthAfter(whole.state, outcomes, now);
    const pending = await stillPending(caller, sent);
    const attempts = pending.flatMap((each) => attemptWrites(caller, each, now));
    const reason = reasonToDisable(health, outcomes, now);
    if (reason) {
      const failed = { ...whole, state: { ...whole.state, ...health } };
      const { writes, ...disabled } = await disabling(work, failed, reason);
      return { writes: [...attempts, ...writes], reply: disabled };
    }
    const { writes, reply: state } = webhookJob.save(work, whole.state, health, ...attempts);
    return { writes, reply: { ...whole, state } };
  });

/** When the next delivery to an endpoint is due, in epoch milliseconds; undefined when none is pending. */
const firstPending = async (caller: Caller, id: string): Promise<number | undefined> => {
  const range = { ...keys.pendingDelivery.range(caller, id), pageSize: 1 };
  for await (const { sk } of queryRows(caller, range)) return Date.parse(sk.split('#')[1]!);
  return undefined;
};

/** When a worker must take an endpoint next, in epoch milliseconds; null when nothing is left to send. */
const nextTurnAt = async (
  work: Work,
  { webhook_id, probe_at, replay_id }: WholeWebhook['state'],
): Promise<number | null> => {
  const first = replay_id === null ? await firstPending(work, webhook_id) : 0;
  if (first === undefined) return null;
  return Math.max(first, Date.parse(work.now), probe_at === null ? 0 : Date.parse(probe_at));
};

/** Lets go of an endpoint. A worker takes it again when there is something to send. */
export const letGo = (caller: Caller, taken: WholeWebhook): Promise<WebhookState | undefined> =>
  change<WebhookState | undefined>(caller, async (work) => {
    const whole = await stillTaken(caller, taken);
    if (!whole) return NOTHING;
    // This is read after the state. A delivery that is added meanwhile changes the state's version, so this runs again.
    const at = await nextTurnAt(work, whole.state);
    const { changes, tasks } = takenAt(work, whole.state, at);
    return webhookJob.release(work, whole.state, changes, ...tasks);
  });

/** Gives an endpoint back after an error of the service, so that the repeated task can take it. */
export const giveBack = (caller: Caller, taken: WholeWebhook): Promise<WebhookState | undefined> =>
  change<WebhookState | undefined>(caller, async (work) => {
    const whole = await stillTaken(caller, taken);
    if (!whole) return NOTHING;
    const { changes } = takenAt(work, whole.state, Date.parse(work.now));
    return webhookJob.release(work, whole.state, { ...changes, turn: whole.state.turn - 1 });
  });

/** Makes a worker take an endpoint that is due, or whose worker or task was lost. Otherwise it does nothing. */
export const takeDue = (caller: Caller, id: string, now: Date): Promise<WebhookState | undefined> =>
  change<WebhookState | undefined>(caller, async (work) => {
    const { state } = (await findWebhook(caller, id)) ?? {};
    if (!state || state.due_at === null || state.due_at > now.toISOString()) return NOTHING;
    if (webhookJob.isHeld(state, work.now)) return NOTHING;
    const { changes, tasks } = takenAt(work, state, Date.parse(work.now));
    return webhookJob.release(work, state, changes, ...tasks);
  });

/**
 * Makes a task for each endpoint that is due: its time was too far away for a queue, or its worker or task was lost. No
 * organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why organizations have to wait for the next sweep
 */
export const takeDueWebhooks = async (now: Date, time: number): Promise<unknown[]> => {
  const failures: unknown[] = [];
  const sweep = new Sweep<WebhookState>(
    time,
    () => 'webhook',
    async (states) => {
      for (const { org_id, webhook_id } of states) {
        try {
          await takeDue(serviceOf(org_id), webhook_id, now);
        } catch (error) {
          if (isOutage(error)) throw error;
          failures.push(error);
        }
      }
    },
  );
  for await (const states of dueRowsInTurns('WEBHOOK', now)) {
    await sweep.serve(states);
    if (sweep.isOver) break;
  }
  return [...failures, ...sweep.delays.map(({ error }) => error)];
};
