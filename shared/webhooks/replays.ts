import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { expectSeesEvents } from '../domain/key-scopes.ts';
import { isSubscribed } from '../domain/webhooks.ts';
import { present } from '../schemas/projection.ts';
import { type NewWebhookReplay, WebhookReplay } from '../schemas/webhook.ts';
import { audit } from '../table/audit.ts';
import { change, NOTHING, type Work } from '../table/change.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredEvent } from '../table/entities/machinery.ts';
import type { StoredReplay, StoredWebhook } from '../table/entities/webhooks.ts';
import { keys } from '../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../table/listing.ts';
import { firstNumberFrom } from '../table/outbox/list-events.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { deliveryWrites, newDelivery } from './deliveries.ts';
import { eventsBetween } from './fan-out.ts';
import { FILTERED_FIELDS, filtersOn } from './filters.ts';
import {
  expectActive,
  getWithSequence,
  iso,
  keptUntil,
  wake,
  webhookJob,
  webhookRecords,
  type WholeWebhook,
} from './records.ts';
import { stillTaken } from './turns.ts';

/** Deliveries that one transaction creates. Each takes two writes. */
const MAX_CREATED = 45;

/** Events that one transaction reads, when few of them are wanted. */
const MAX_SEEN = 500;

/** Older events are left out, because they may be gone before they are sent: 398 of 400 days, in milliseconds. */
const MAX_AGE_MS = 398 * 86_400_000;

/** A replay as it is sent to clients. */
const toReplay = (stored: StoredReplay): WebhookReplay =>
  present(WebhookReplay, stored, { since: stored.from, until: stored.to });

/**
 * Starts a replay: the events of a period are sent again. The endpoint's worker does it, beside its other deliveries.
 * @throws ApiError 404; 403 for a key that may not read the events; 409 for an endpoint that is disabled, and while
 *   another replay runs
 */
export const start = (
  caller: Caller,
  webhookId: string,
  { types, ...period }: NewWebhookReplay,
): Promise<WebhookReplay> =>
  change(caller, async (work) => {
    const { webhook, state, sequence } = await getWithSequence(caller, webhookId);
    expectSeesEvents(caller, types ?? webhook.types);
    expectActive(webhook);
    if (state.replay_id !== null) throw errors.replayRunning(state.replay_id);
    const { now } = work;
    const replay: StoredReplay = {
      id: uuidv7(),
      webhook_id: webhookId,
      // The request has one of both.
      from: (period.since ?? period.from)!,
      to: period.until ?? period.to ?? now,
      types: types ?? webhook.types,
      status: 'running',
      events_count: 0,
      requested_by: caller.user_id,
      created_at: now,
      completed_at: null,
      next: null,
      last: sequence.last ?? 0,
      updated_at: now,
      ttl: keptUntil(work),
    };
    return {
      writes: [
        write.create({ ...keys.webhookReplay(caller, webhookId, replay.id), ...replay }),
        ...wake(work, state, { replay_id: replay.id }),
        audit(work, 'webhook.replayed', webhookId),
      ],
      reply: toReplay(replay),
    };
  });

/** The replays of an endpoint, newest first. @throws ApiError 404 */
export const list = (caller: Caller, webhookId: string, query: ListQuery): Promise<Listing<WebhookReplay>> =>
  listRows(
    caller,
    `WEBHOOK_REPLAY ${webhookId}`,
    query,
    { ...keys.parts(caller, 'WEBHOOK', webhookId, 'REPLAY'), newestFirst: true },
    toReplay,
    () => webhookRecords.get(caller, webhookId),
  );

/** The number from which a replay looks for its events. */
const firstOf = (work: Work, { from, last }: StoredReplay): Promise<number> =>
  firstNumberFrom(work, iso(Math.max(Date.parse(from), Date.parse(work.now) - MAX_AGE_MS)), last);

/** The next events of a replay, and the number from which the next transaction goes on. */
const nextEvents = async (
  caller: Caller,
  { from, to, types, last }: StoredReplay,
  first: number,
  isFiltered: boolean,
) => {
  const events: Row<StoredEvent>[] = [];
  let next = first;
  const needed = ['id', 'type', 'sequence', 'timestamp', 'recorded_at'] as const;
  const fields = isFiltered ? [...new Set([...needed, ...FILTERED_FIELDS])] : needed;
  for await (const event of eventsBetween(caller, first, last, fields)) {
    next = event.sequence + 1;
    // An event may have happened before the period and been recorded in it. It belongs to the period, because it could
    // not be sent before it was recorded.
    if (event.recorded_at >= from && event.timestamp <= to && isSubscribed(types, event.type)) {
      events.push(event);
    }
    if (events.length === MAX_CREATED || next - first === MAX_SEEN) return { events, next };
  }
  return { events, next: last + 1 };
};

/** The next part of a replay: its deliveries, and how far it is afterwards. */
const nextPart = async (work: Work, webhook: StoredWebhook, replay: StoredReplay) => {
  const first = replay.next ?? (await firstOf(work, replay));
  const { events: read, next } = await nextEvents(work, replay, first, Boolean(webhook.filter));
  const passes = await filtersOn(work, () => read)([webhook]);
  const events = read.filter((event) => passes(webhook, event));
  const { now } = work;
  const isLast = next > replay.last;
  return {
    isLast,
    deliveries: events.map(({ id, type, sequence }) =>
      newDelivery(work, replay.webhook_id, { event_id: id, type, sequence }),
    ),
    set: {
      next,
      events_count: replay.events_count + events.length,
      updated_at: now,
      ...(isLast && { status: 'completed', completed_at: now }),
    },
  };
};

/**
 * Creates the next deliveries of an endpoint's replay. One transaction writes the deliveries and how far the replay is,
 * so a worker that crashes leaves out no delivery and repeats none.
 * @returns the endpoint as it is now; undefined when this worker has lost it
 */
export const continueReplay = (caller: Caller, taken: WholeWebhook): Promise<WholeWebhook | undefined> =>
  change<WholeWebhook | undefined>(caller, async (work) => {
    const whole = await stillTaken(caller, taken);
    if (!whole) return NOTHING;
    const { webhook } = whole;
    const key = keys.webhookReplay(caller, webhook.id, whole.state.replay_id!);
    const replay = await getRow(caller, key);
    // A replay that was not completed in 30 days has been deleted.
    const part = replay?.status === 'running' ? await nextPart(work, webhook, replay) : undefined;
    const { writes, reply: state } = webhookJob.save(
      work,
      whole.state,
      part?.isLast === false ? {} : { replay_id: null },
      ...(part
        ? [
            write.update(key, { set: part.set }, hasValues({ next: replay!.next, status: 'running' })),
            ...part.deliveries.flatMap((delivery) => deliveryWrites(work, delivery)),
          ]
        : []),
    );
    return { writes, reply: { webhook, state } };
  });
