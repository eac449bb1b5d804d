import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { timeAfter } from '../base/time.ts';
import { expectSeesEvents } from '../domain/key-scopes.ts';
import { settingChanges } from '../domain/settings.ts';
import type {
  CreatedWebhook,
  NewWebhook,
  RotatedSecret,
  SecretRotation,
  Webhook,
  WebhookChanges,
} from '../schemas/webhook.ts';
import { audit } from '../table/audit.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import { exists } from '../table/conditions.ts';
import type { EventSequence } from '../table/entities/machinery.ts';
import type { SealedHeader, StoredWebhook, WebhookState } from '../table/entities/webhooks.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { writeRow } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { disablingWrites } from './disable.ts';
import { checkFilter, wholeFilter } from './filters.ts';
import {
  countWrite,
  getWebhook,
  getWithSequence,
  headerNames,
  newState,
  stateRow,
  toWebhook,
  wake,
  webhookRecords,
  wholeOf,
  type WholeWebhook,
} from './records.ts';

/** Endpoints of one organization. */
const MAX_WEBHOOKS = 1_000;

const HOUR_MS = 3_600_000;

/** A secret as it is stored. */
export interface SealedSecret {
  /** Encrypted. */
  secret: string;
  secret_hint: string;
}

/** The settings that an endpoint begins with. */
export type NewFields = Pick<NewWebhook, 'url' | 'description' | 'types'> & {
  filter?: NewWebhook['filter'] | undefined;
  headers?: SealedHeader[];
};

/**
 * @param secret as only the reply has it
 * @throws ApiError 403 for a key that may not read the events; 400 for a filter that names what does not exist; 409 for
 *   too many endpoints
 */
export const create = (
  caller: Caller,
  { filter: given, ...fields }: NewFields & SealedSecret & { id: string },
  secret: string,
): Promise<CreatedWebhook> =>
  change(caller, async (work) => {
    expectSeesEvents(caller, fields.types);
    const sequence: EventSequence = (await getRow(caller, keys.eventSequence(caller))) ?? {};
    if ((sequence.webhooks ?? 0) >= MAX_WEBHOOKS) throw errors.tooManyWebhooks(MAX_WEBHOOKS);
    const filter = wholeFilter(given);
    await checkFilter(work, filter, null);
    const { now } = work;
    const webhook: StoredWebhook = {
      ...fields,
      filter,
      status: 'active',
      disabled_reason: null,
      previous_secret: null,
      after: sequence.last ?? 0,
      created_by: caller.user_id,
      version: 1,
      created_at: now,
      updated_at: now,
    };
    const state = newState(caller, webhook.id);
    return {
      writes: [
        write.create({ ...webhookRecords.key(caller, webhook.id), ...webhook }),
        write.create(stateRow(caller, state)),
        countWrite(work, sequence, undefined, webhook),
        audit(work, 'webhook.created', webhook.id),
      ],
      reply: { ...toWebhook(webhook, state), secret },
    };
  });

/** Each endpoint with its state. Both are in the order of their ids, so each partition is read once. */
const withStates = async function* (
  caller: Caller,
  webhooks: AsyncIterable<Row<StoredWebhook>>,
  after: string | undefined,
): AsyncGenerator<WholeWebhook> {
  const states = queryRows(caller, { partition: keys.webhookState.partition(caller), after });
  let state: IteratorResult<Row<WebhookState>> = await states.next();
  for await (const webhook of webhooks) {
    while (!state.done && state.value.sk < webhook.sk) state = await states.next();
    const whole = wholeOf(webhook, !state.done && state.value.sk === webhook.sk ? state.value : undefined);
    if (whole) yield whole;
  }
};

/** In the order of their creation. Two calls per megabyte. */
export const list = (caller: Caller, query: ListQuery): Promise<Listing<Webhook>> => {
  const after = readCursor(caller, 'WEBHOOK', query);
  const rows = queryRows(caller, {
    partition: keys.all(caller, 'WEBHOOK'),
    after,
    updatedSince: query.updated_since,
  });
  return listing(
    caller,
    'WEBHOOK',
    query,
    withStates(caller, rows, after),
    ({ webhook }) => webhook.id,
    ({ webhook, state }) => toWebhook(webhook, state),
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Webhook> => {
  const { webhook, state } = await getWebhook(caller, id);
  return toWebhook(webhook, state);
};

/**
 * The endpoints that nothing reaches: those that fail, and those that were disabled because they did. Two calls per
 * megabyte of all endpoints, whose number has a maximum.
 */
export const failing = async function* (caller: Caller): AsyncGenerator<Webhook> {
  const rows = queryRows(caller, { partition: keys.all(caller, 'WEBHOOK') });
  for await (const { webhook, state } of withStates(caller, rows, undefined)) {
    const shown = toWebhook(webhook, state);
    const wasGivenUp = shown.disabled_reason === 'gone' || shown.disabled_reason === 'failing';
    if (shown.status === 'active' ? shown.failing_since !== null : wasGivenUp) yield shown;
  }
};

/** The settings that the audit log shows. */
const shownSettings = ({ url, description, types, filter = null, headers, status }: StoredWebhook) => ({
  url,
  description,
  types,
  filter,
  header_names: headerNames({ headers }),
  status,
});

/** An endpoint after a change of its status or URL, and further writes. */
interface Effects {
  webhook: StoredWebhook;
  state: WebhookState;
  writes: Write[];
}

/** An endpoint that becomes active again gets only events from now on. */
const enabled = (work: Work, { webhook, state }: WholeWebhook, sequence: EventSequence): Effects => {
  const cleared = { failures: 0, failing_since: null, probe_at: null };
  const active = { ...webhook, status: 'active', disabled_reason: null, after: sequence.last ?? 0 } as const;
  return {
    webhook: active,
    state: { ...state, ...cleared },
    writes: [countWrite(work, sequence, webhook, active), ...wake(work, state, cleared)],
  };
};

/** Nobody knows yet whether another URL works, so pending deliveries are sent there at once. */
const movedTo = (work: Work, { webhook, state }: WholeWebhook): Effects => {
  const cleared = { failures: 0, failing_since: null, probe_at: null };
  return { webhook, state: { ...state, ...cleared }, writes: wake(work, state, cleared) };
};

/**
 * The customer's own headers are secrets of one receiver, so another one does not get them unasked.
 * @throws ApiError 422 for a URL of another origin
 */
const expectSameReceiver = ({ url, headers = [] }: StoredWebhook, next: string): void => {
  if (headers.length === 0 || new URL(url).origin === new URL(next).origin) return;
  const msg =
    'Value error, the headers were given for another host: give them again with this url, or null to remove them';
  throw errors.validationFailed([{ loc: ['body', 'headers'], type: 'value_error', msg }]);
};

/**
 * Changes the settings of an endpoint, disables or enables it.
 * @throws ApiError 404; 403 for a key that may not read the events which the endpoint gets then; 400 for a filter that
 *   names what does not exist; 409 for another version
 */
export const update = (
  caller: Caller,
  id: string,
  {
    status,
    headers,
    ...settings
  }: Omit<WebhookChanges, 'headers'> & { headers?: SealedHeader[] | undefined },
  expectedVersion?: number,
): Promise<Webhook> =>
  change(caller, async (work) => {
    const { sequence, ...current } = await getWithSequence(caller, id);
    const merged = merge(current.webhook, settings);
    const filter = wholeFilter(merged.filter);
    await checkFilter(work, filter, current.webhook.filter);
    expectVersion(webhookRecords.noun, current.webhook, expectedVersion);
    if (headers === undefined) expectSameReceiver(current.webhook, merged.url);
    const whole = { ...current, webhook: { ...merged, filter, headers: headers ?? merged.headers ?? [] } };
    if (status !== 'disabled') expectSeesEvents(caller, [...current.webhook.types, ...whole.webhook.types]);
    const effects = (): Effects => {
      if (status !== undefined && status !== current.webhook.status) {
        return status === 'active'
          ? enabled(work, whole, sequence)
          : disablingWrites(work, whole, sequence, 'manual');
      }
      const isMoved = whole.webhook.url !== current.webhook.url && whole.webhook.status === 'active';
      return isMoved ? movedTo(work, whole) : { ...whole, writes: [] };
    };
    const { webhook, state, writes } = effects();
    const [before, after] = [shownSettings(current.webhook), shownSettings(webhook)];
    const { header_names: from } = before;
    const { header_names: to } = after;
    // Whether a header has another value cannot be seen.
    const isReplaced = headers !== undefined && from.length + to.length > 0;
    const changes = {
      ...settingChanges(before, after),
      ...(isReplaced && { header_names: { from, to } }),
    };
    if (Object.keys(changes).length === 0) return { writes: [], reply: toWebhook(webhook, state) };
    const next = nextVersion(work, current.webhook, webhook);
    return {
      writes: [
        write.replace({ ...next, ...webhookRecords.key(caller, id) }, current.webhook.version),
        ...writes,
        audit(work, 'webhook.updated', id, changes),
      ],
      reply: toWebhook(next, state),
    };
  });

/**
 * Gives an endpoint another secret. The former one also signs, for the overlap.
 * @param rotation with the secret as only the reply has it
 * @throws ApiError 404; 409 for another version
 */
export const rotate = (
  caller: Caller,
  id: string,
  sealed: SealedSecret,
  { secret, overlap_hours }: SecretRotation & { secret: string },
  expectedVersion?: number,
): Promise<RotatedSecret> =>
  change(caller, async (work) => {
    const row = await webhookRecords.get(caller, id);
    expectVersion(webhookRecords.noun, row, expectedVersion);
    const current: StoredWebhook = withoutKeys(row);
    const until = timeAfter(work.now, overlap_hours * HOUR_MS);
    const next = nextVersion(work, current, {
      ...sealed,
      previous_secret: { secret: current.secret, until },
    });
    return {
      writes: [
        write.replace({ ...next, ...webhookRecords.key(caller, id) }, current.version),
        audit(work, 'webhook.rotated', id),
      ],
      reply: { secret, previous_secret_until: until },
    };
  });

/** All endpoints, in creation order. */
export const all = (caller: Caller) => queryRows(caller, { partition: keys.all(caller, 'WEBHOOK') });

/** Gives an endpoint its only secret, after an import that has brought none. */
export const begin = async (caller: Caller, id: string, sealed: SealedSecret): Promise<void> => {
  const set = { ...sealed, previous_secret: null };
  await writeRow(caller, write.update(webhookRecords.key(caller, id), { set }, exists));
};

/**
 * Deletes an endpoint. Nothing more is sent to it; a worker deletes its deliveries.
 * @throws ApiError 404; 409 for another version
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<void> =>
  change(caller, async (work) => {
    const { webhook, state, sequence } = await getWithSequence(caller, id);
    expectVersion(webhookRecords.noun, webhook, expectedVersion);
    return {
      writes: [
        write.remove(webhookRecords.key(caller, id), webhook.version),
        write.remove(keys.webhookState(caller, id), state.version),
        countWrite(work, sequence, webhook, undefined),
        enqueue(work, 'cleanup', { webhook_id: id }),
        audit(work, 'webhook.deleted', id),
      ],
      reply: undefined,
    };
  });

/** Rows that one transaction deletes. */
const MAX_DELETED = 100;

/** Deletes some deliveries and replays of a deleted endpoint. @returns whether there may be more */
export const deleteSomeOfWebhook = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const writes: Write[] = [];
    const partition = keys.below(caller, 'WEBHOOK', id);
    for await (const row of queryRows(caller, { partition, pageSize: MAX_DELETED, only: [] })) {
      writes.push(write.drop(write.keyOf(row)));
      if (writes.length === MAX_DELETED) break;
    }
    return { writes, reply: writes.length === MAX_DELETED };
  });
