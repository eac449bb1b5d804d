import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { keptFrom, timeAfter } from '../base/time.ts';
import { present } from '../schemas/projection.ts';
import { Webhook } from '../schemas/webhook.ts';
import type { Work } from '../table/change.ts';
import { collection } from '../table/collection.ts';
import type { EventSequence } from '../table/entities/machinery.ts';
import type { SealedHeader, StoredWebhook, WebhookState } from '../table/entities/webhooks.ts';
import { job } from '../table/job.ts';
import { keys } from '../table/keys.ts';
import { dueAt } from '../table/outbox/due.ts';
import { enqueue, isSequenceAsRead } from '../table/outbox/outbox.ts';
import { countChange } from '../table/resource.ts';
import { getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** The longest delay of a task in its queue, in milliseconds (Amazon SQS quotas). Later work is found by the sweep. */
const MAX_DELAY_MS = 900_000;

/** How long a worker has an endpoint, in milliseconds: a little longer than its function lives. */
export const LEASE_MS = 65_000;

/** A task counts as lost this long after its time, in milliseconds. Then the sweep makes a new one. */
const LOST_AFTER_MS = 900_000;

/** How long deliveries and replays are kept, in seconds: 30 days. */
const KEPT_SECONDS = 30 * 86_400;

/** Endpoints. Their counts stand beside the numbers of events, and show whether any endpoint can get an event. */
export const webhookRecords = collection('WEBHOOK', 'webhook', {
  counts: {
    in: keys.eventSequence,
    by: ({ status }) => ({ webhooks: 1, active_webhooks: Number(status === 'active') }),
  },
});

/** When a delivery or replay that is created now is deleted, in epoch seconds. */
export const keptUntil = ({ now }: Work): number => keptFrom(now, KEPT_SECONDS);

/** A time in epoch milliseconds as ISO 8601 in UTC. */
export const iso = (time: number): string => new Date(time).toISOString();

/** The secret before the last rotation, while it still signs. */
export const previousSecret = ({ previous_secret }: StoredWebhook): StoredWebhook['previous_secret'] =>
  previous_secret && Date.parse(previous_secret.until) > Date.now() ? previous_secret : null;

/** The names of the customer's own headers. */
export const headerNames = ({ headers = [] }: { headers?: readonly SealedHeader[] | undefined }): string[] =>
  headers.map(({ name }) => name);

/** An endpoint as it is sent to clients, without its secrets. */
export const toWebhook = (
  webhook: StoredWebhook,
  { failing_since, last_success_at, last_failure }: WebhookState,
): Webhook =>
  present(Webhook, webhook, {
    filter: webhook.filter ?? null,
    header_names: headerNames(webhook),
    failing_since,
    last_success_at,
    last_failure,
    previous_secret_until: previousSecret(webhook)?.until ?? null,
  });

export const newState = ({ org_id }: Caller, webhook_id: string): WebhookState => ({
  org_id,
  webhook_id,
  failures: 0,
  failing_since: null,
  last_success_at: null,
  last_failure: null,
  probe_at: null,
  replay_id: null,
  turn: 0,
  run_at: null,
  leased_until: 0,
  due_at: null,
  version: 1,
});

/** A state with the attributes by which the sweep finds it. */
export const stateRow = (caller: Caller, state: WebhookState) => ({
  ...state,
  ...keys.webhookState(caller, state.webhook_id),
  ...(state.due_at !== null && dueAt('WEBHOOK', state.webhook_id, state.due_at)),
});

/** An endpoint with its state. */
export interface WholeWebhook {
  webhook: StoredWebhook;
  state: WebhookState;
}

/** The endpoint of two rows; undefined unless both exist. They are created and deleted together. */
export const wholeOf = (
  webhook: Row<StoredWebhook> | undefined,
  state: Row<WebhookState> | undefined,
): WholeWebhook | undefined =>
  webhook && state && { webhook: withoutKeys(webhook), state: withoutKeys<WebhookState>(state) };

/** The keys of an endpoint and of its state. */
export const wholeKeys = (caller: Caller, id: string) =>
  [webhookRecords.key(caller, id), keys.webhookState(caller, id)] as const;

/** An endpoint with its state; undefined when it does not exist. One call. */
export const findWebhook = async (caller: Caller, id: string): Promise<WholeWebhook | undefined> =>
  wholeOf(...(await getRows(caller, wholeKeys(caller, id))));

/** @throws ApiError 404 */
export const getWebhook = async (caller: Caller, id: string): Promise<WholeWebhook> => {
  const whole = await findWebhook(caller, id);
  if (!whole) throw errors.notFound(webhookRecords.noun);
  return whole;
};

/** The same, with the sequence of the organization's events. One call. @throws ApiError 404 */
export const getWithSequence = async (
  caller: Caller,
  id: string,
): Promise<WholeWebhook & { sequence: EventSequence }> => {
  const [webhook, state, sequence = {}] = await getRows(caller, [
    ...wholeKeys(caller, id),
    keys.eventSequence(caller),
  ]);
  const whole = wholeOf(webhook, state);
  if (!whole) throw errors.notFound(webhookRecords.noun);
  return { ...whole, sequence };
};

/** @throws ApiError 409 for an endpoint that is disabled */
export const expectActive = ({ status }: StoredWebhook): void => {
  if (status === 'disabled') throw errors.webhookDisabled();
};

/**
 * Sending to an endpoint, one worker at a time. Requests change the state of an endpoint too. Each change counts its
 * version up, so the worker notices the changes of others and decides again.
 */
export const webhookJob = job<WebhookState>({
  key: (caller, { webhook_id }) => keys.webhookState(caller, webhook_id),
  row: stateRow,
  guard: ['version'],
  moved: ({ version }) => ({ version: version + 1 }),
  begun: ({ turn }, now) => ({ turn: turn + 1, run_at: null, due_at: timeAfter(now, LEASE_MS) }),
  lease: LEASE_MS,
});

/** The changes and tasks that make a worker take an endpoint. @param at epoch milliseconds; null for never */
export const takenAt = (
  work: Work,
  { webhook_id, turn }: WebhookState,
  at: number | null,
): { changes: Pick<WebhookState, 'run_at' | 'due_at'>; tasks: Write[] } => {
  if (at === null) return { changes: { run_at: null, due_at: null }, tasks: [] };
  const delay = Math.max(0, at - Date.parse(work.now));
  const isQueued = delay <= MAX_DELAY_MS;
  return {
    changes: { run_at: iso(at), due_at: iso(isQueued ? at + LOST_AFTER_MS : at) },
    tasks: isQueued
      ? [enqueue(work, 'webhooks', { what: 'deliver', webhook_id, turn }, Math.ceil(delay / 1_000))]
      : [],
  };
};

/**
 * Makes a worker send something to an endpoint, in the transaction that adds it. While the endpoint fails, the worker
 * waits for the next probe.
 */
export const wake = (work: Work, state: WebhookState, changes: Partial<WebhookState> = {}): Write[] => {
  const next = { ...state, ...changes };
  // The worker that has the endpoint notices the new version, and looks again before it lets go.
  if (webhookJob.isHeld(state, work.now)) return webhookJob.save(work, state, changes).writes;
  const at = Math.max(Date.parse(work.now), Date.parse(next.probe_at ?? '') || 0);
  if (next.run_at !== null && Date.parse(next.run_at) <= at) {
    const isUnchanged = Object.keys(changes).length === 0;
    return isUnchanged ? [webhookJob.check(work, state)] : webhookJob.save(work, state, changes).writes;
  }
  const { changes: taken, tasks } = takenAt(work, next, at);
  return webhookJob.release(work, state, { ...changes, ...taken }, ...tasks).writes;
};

/**
 * Counts a change of an endpoint, if no event was numbered since the sequence was read.
 */
export const countWrite = (
  work: Work,
  sequence: EventSequence,
  before: StoredWebhook | undefined,
  after: StoredWebhook | undefined,
): Write =>
  write.update(
    keys.eventSequence(work),
    { add: countChange(webhookRecords, before, after) },
    isSequenceAsRead(sequence),
  );
