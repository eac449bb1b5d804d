import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { present } from '../../schemas/projection.ts';
import { Webhook } from '../../schemas/webhook.ts';
import { collection } from '../table/collection.ts';
import type { EventSequence, StoredWebhook, WebhookState } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { dueAt } from '../table/outbox/due.ts';
import { enqueue, isSequenceAsRead } from '../table/outbox/outbox.ts';
import { getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** The longest delay of a task in its queue, in milliseconds (Amazon SQS quotas). What is later is found by the sweep. */
const MAX_DELAY_MS = 900_000;

/** How long after its time a task counts as lost, in milliseconds. The sweep then gives a new one. */
const LOST_AFTER_MS = 900_000;

/** How long deliveries and replays are kept, in seconds: 30 days. */
const KEPT_SECONDS = 30 * 86_400;

export const webhookRecords = collection('WEBHOOK', 'webhook');

/** When a delivery or replay that is created now is deleted, in epoch seconds. */
export const keptUntil = (): number => Math.ceil(Date.now() / 1_000) + KEPT_SECONDS;

/** A time in epoch milliseconds as ISO 8601 in UTC. */
export const iso = (time: number): string => new Date(time).toISOString();

/** The secret before the last rotation, while it signs too. */
export const previousSecret = ({ previous_secret }: StoredWebhook): StoredWebhook['previous_secret'] =>
  previous_secret && Date.parse(previous_secret.until) > Date.now() ? previous_secret : null;

/** An endpoint as it is sent to clients: never with its secrets. */
export const toWebhook = (
  webhook: StoredWebhook,
  { failing_since, last_success_at, last_failure }: WebhookState,
): Webhook =>
  present(Webhook, webhook, {
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

/** The endpoint of two rows, undefined unless both exist. They are created and deleted together. */
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

/** Changes a state, unless somebody else has changed it since it was read. */
export const changeState = (caller: Caller, state: WebhookState, changes: Partial<WebhookState>): Write =>
  write.replace(stateRow(caller, { ...state, ...changes, version: state.version + 1 }), state.version);

/** Whether a worker has the endpoint. */
export const isHeld = ({ leased_until }: WebhookState): boolean => leased_until > Date.now();

/** Has a worker take an endpoint at a time, in epoch milliseconds; null when nothing is to be sent. */
export const takenAt = (
  caller: Caller,
  { webhook_id, turn }: WebhookState,
  at: number | null,
): { changes: Pick<WebhookState, 'run_at' | 'due_at' | 'leased_until'>; tasks: Write[] } => {
  if (at === null) return { changes: { run_at: null, due_at: null, leased_until: 0 }, tasks: [] };
  const delay = Math.max(0, at - Date.now());
  const isQueued = delay <= MAX_DELAY_MS;
  return {
    changes: { run_at: iso(at), due_at: iso(isQueued ? at + LOST_AFTER_MS : at), leased_until: 0 },
    tasks: isQueued
      ? [enqueue(caller, 'webhooks', { what: 'deliver', webhook_id, turn }, Math.ceil(delay / 1_000))]
      : [],
  };
};

/**
 * Tells the worker of an endpoint that there is something to send, in the transaction that adds it. While the endpoint
 * fails, it waits for the next probe.
 */
export const wake = (caller: Caller, state: WebhookState, changes: Partial<WebhookState> = {}): Write[] => {
  const next = { ...state, ...changes };
  // The worker that has it looks again before it lets go, because the version has moved.
  if (isHeld(state)) return [changeState(caller, state, changes)];
  const at = Math.max(Date.now(), Date.parse(next.probe_at ?? '') || 0);
  if (next.run_at !== null && Date.parse(next.run_at) <= at) {
    const isUnchanged = Object.keys(changes).length === 0;
    return isUnchanged
      ? [write.check(keys.webhookState(caller, state.webhook_id), undefined, state.version)]
      : [changeState(caller, state, changes)];
  }
  const { changes: taken, tasks } = takenAt(caller, next, at);
  return [changeState(caller, state, { ...changes, ...taken }), ...tasks];
};

/** Changes how many endpoints an organization has, unless the sequence of its events has moved since it was read. */
export const countWebhooks = (
  caller: Caller,
  sequence: EventSequence,
  add: { webhooks?: number; active_webhooks?: number },
): Write => write.update(keys.eventSequence(caller), { add }, isSequenceAsRead(sequence));

/** Counts a new endpoint. */
export const countWebhook = (
  caller: Caller,
  sequence: EventSequence,
  { status }: Pick<StoredWebhook, 'status'>,
): Write => countWebhooks(caller, sequence, { webhooks: 1, active_webhooks: status === 'active' ? 1 : 0 });
