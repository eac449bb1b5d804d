import type { Caller } from '../base/caller.ts';
import { noticesOf } from '../domain/notifications/notices.ts';
import { noticeWrites } from '../notices/notify.ts';
import { adminsOf } from '../organizations/members/members.ts';
import type { Webhook } from '../schemas/webhook.ts';
import { change, type Work } from '../table/change.ts';
import { exists, hasValues } from '../table/conditions.ts';
import type { EventSequence } from '../table/entities/machinery.ts';
import type { PendingDelivery, StoredWebhook, WebhookState } from '../table/entities/webhooks.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRows, queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { countWrite, webhookJob, type WholeWebhook } from './records.ts';

type Reason = NonNullable<Webhook['disabled_reason']>;

/** A disabled endpoint, and the writes that disable it. */
export interface Disabling extends WholeWebhook {
  writes: Write[];
}

/**
 * Disables an endpoint: its worker loses it, its replay is cancelled, and a task cancels its pending deliveries.
 * @param whole the endpoint with its other changes, and with the version of the state that was read
 */
export const disablingWrites = (
  work: Work,
  { webhook, state }: WholeWebhook,
  sequence: EventSequence,
  disabled_reason: Reason,
): Disabling => {
  const { now } = work;
  const { replay_id, turn } = state;
  const idle = { turn: turn + 1, run_at: null, due_at: null, probe_at: null, replay_id: null };
  const { writes, reply: ended } = webhookJob.release(work, state, idle);
  const disabled = { ...webhook, status: 'disabled', disabled_reason } as const;
  return {
    webhook: disabled,
    state: ended,
    writes: [
      ...writes,
      countWrite(work, sequence, webhook, disabled),
      enqueue(work, 'webhooks', { what: 'cancel', webhook_id: webhook.id, before: now }),
      ...(replay_id === null
        ? []
        : [
            write.update(
              keys.webhookReplay(work, webhook.id, replay_id),
              { set: { status: 'cancelled', completed_at: now, updated_at: now } },
              exists,
            ),
          ]),
    ],
  };
};

/** The name of an endpoint in a notice. The whole URL may contain secrets. */
const titleOf = ({ description, url }: StoredWebhook): string => description || new URL(url).host;

/**
 * Tells the creator of an endpoint and all admins that the service has disabled it. No member has caused this, so
 * nobody is left out.
 */
export const disabledNotices = async (
  work: Work,
  webhook: StoredWebhook,
  { last_failure }: WebhookState,
): Promise<Write[]> => {
  const user_ids = [webhook.created_by, ...(await adminsOf(work))];
  const facts = {
    webhook: { id: webhook.id, title: titleOf(webhook) },
    failure: last_failure?.message ?? null,
    user_ids,
  };
  return noticeWrites(work, noticesOf('webhookDisabled', facts, null));
};

/** Deliveries that one transaction cancels. Each takes two writes. */
const MAX_CANCELLED = 45;

/** The first pending deliveries that were created up to a time. */
const pendingSince = async (caller: Caller, webhookId: string, before: string) => {
  const pending: Row<PendingDelivery>[] = [];
  for await (const row of queryRows(caller, keys.pendingDelivery.range(caller, webhookId))) {
    if (row.created_at <= before && pending.push(row) === MAX_CANCELLED) break;
  }
  return pending;
};

/** @returns whether there may be more */
const cancelSome = (caller: Caller, webhookId: string, before: string): Promise<boolean> =>
  change(caller, async (work) => {
    const pending = await pendingSince(work, webhookId, before);
    const deliveries = await getRows(
      work,
      pending.map(({ delivery_id }) => keys.delivery(work, webhookId, delivery_id)),
    );
    const cancelled = { status: 'cancelled', next_attempt_at: null, queued_at: null };
    return {
      writes: pending.flatMap((row, position) => {
        const delivery = deliveries[position];
        return [
          write.remove(row, exists),
          ...(delivery
            ? [write.update(delivery, { set: cancelled }, hasValues({ queued_at: delivery.queued_at }))]
            : []),
        ];
      }),
      reply: pending.length === MAX_CANCELLED,
    };
  });

/**
 * Cancels the deliveries that were pending when an endpoint was disabled. At the deadline, a new task gets the rest.
 * @param before ISO 8601: only deliveries that were created up to then
 * @param deadline epoch milliseconds
 */
export const cancelPending = async (
  caller: Caller,
  webhookId: string,
  before: string,
  deadline: number,
): Promise<void> => {
  let isMore;
  do isMore = await cancelSome(caller, webhookId, before);
  while (isMore && Date.now() < deadline);
  if (!isMore) return;
  await change(caller, (work) => ({
    writes: [enqueue(work, 'webhooks', { what: 'cancel', webhook_id: webhookId, before })],
    reply: undefined,
  }));
};
