import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Caller, KeyCaller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import * as errors from '../base/errors.ts';
import { currentRequest, type IdempotencyClaim } from '../base/request.ts';
import { clientOf } from './client.ts';
import { type Condition, hasValues } from './conditions.ts';
import type { IdempotencyRow } from './entities/machinery.ts';
import { keys } from './keys.ts';
import { retrying } from './retry.ts';
import { queryRows } from './rows.ts';
import { sendOnce, tryWrite } from './single-write.ts';
import { TABLE } from './table.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** How long a reply is kept, in seconds. */
const MAX_KEPT_SECONDS = 86_400;

/** How long a running request may hold its key, in milliseconds. */
const MAX_LEASE_MS = 60_000;

/**
 * Bytes of a reply in one row, which holds at most 400 KB (Amazon DynamoDB quotas). A longer reply continues in more
 * rows, in the same transaction.
 */
const MAX_PART_BYTES = 380_000;

/** The outcome of claiming a key. */
export type Claim =
  | { outcome: 'claimed'; claim: IdempotencyClaim }
  | { outcome: 'completed'; status: number; body: string }
  | { outcome: 'running' }
  | { outcome: 'other_body' };

const epochSeconds = (now: number) => Math.floor(now / 1_000);

/** Nobody holds the key, its lease has expired, or this request has it already: the answer to its write was lost. */
const isFree = (now: number, lease: string, bodyHash: string): Condition => ({
  ConditionExpression:
    'attribute_not_exists(pk) OR #ttl <= :seconds OR #lease = :lease OR ' +
    '(#state = :running AND #leased_until < :now AND #body_hash = :body_hash)',
  ExpressionAttributeNames: {
    '#ttl': TABLE.timeToLive,
    '#state': 'state',
    '#lease': 'lease',
    '#leased_until': 'leased_until',
    '#body_hash': 'body_hash',
  },
  ExpressionAttributeValues: {
    ':seconds': epochSeconds(now),
    ':running': 'running',
    ':lease': lease,
    ':now': now,
    ':body_hash': bodyHash,
  },
});

/**
 * Takes the lease on an idempotency key for this caller and operation, unless the key is completed, held by another
 * request, or was used with another body. A lease that expired without completion belonged to a request that ended
 * before its change, so the next request takes it over.
 */
export const claimKey = async (
  caller: KeyCaller,
  operationId: string,
  idempotencyKey: string,
  bodyHash: string,
): Promise<Claim> => {
  const hash = sha256([caller.key_id, operationId, idempotencyKey].join('\n'));
  const key = keys.claim(caller, hash);
  const lease = randomUUID();
  const now = Date.now();
  const claim = {
    ...key,
    state: 'running' as const,
    lease,
    leased_until: now + MAX_LEASE_MS,
    body_hash: bodyHash,
    ttl: epochSeconds(now) + MAX_KEPT_SECONDS,
  };
  const { isWritten, row } = await tryWrite(caller, write.replace(claim, isFree(now, lease, bodyHash)));
  if (isWritten) return { outcome: 'claimed', claim: { org_id: caller.org_id, hash, lease } };
  // The condition holds where there is no row.
  const standing = row!;
  if (standing.body_hash !== bodyHash) return { outcome: 'other_body' };
  if (standing.state === 'running') return { outcome: 'running' };
  return { outcome: 'completed', status: standing.status!, body: await storedBody(caller, hash, standing) };
};

const storedBody = async (
  caller: KeyCaller,
  hash: string,
  { body, parts }: IdempotencyRow,
): Promise<string> => {
  const chunks = [body!];
  if (parts! > 1) {
    for await (const row of queryRows(caller, keys.replyPart.range(caller, hash))) {
      chunks.push(row.body);
    }
  }
  return gunzipSync(Buffer.concat(chunks)).toString();
};

/**
 * The rows that store the running request's reply together with its change; none without an idempotency key. The
 * lease must still belong to this request, so that no two requests apply the same change.
 */
export const completion = (reply: unknown): Write[] => {
  const { idempotency } = currentRequest() ?? {};
  if (!idempotency) return [];
  const { claim, status, textOf } = idempotency;
  const body = gzipSync(textOf(reply));
  const parts = Array.from({ length: Math.ceil(body.length / MAX_PART_BYTES) }, (_, part) =>
    body.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES),
  );
  return [
    write.update(
      keys.claim(claim, claim.hash),
      { set: { state: 'completed', status, body: parts[0], parts: parts.length } },
      hasValues({ lease: claim.lease }),
      () => errors.idempotencyKeyTaken(),
    ),
    ...parts.slice(1).map((part, position) =>
      write.put({
        ...keys.replyPart(claim, claim.hash, position),
        body: part,
        ttl: epochSeconds(Date.now()) + MAX_KEPT_SECONDS,
      }),
    ),
  ];
};

/** Stores the reply of a request that changed nothing, so that a repeated request gets the same reply. */
export const completeKey = async (caller: Caller, reply: unknown): Promise<void> => {
  await retrying('The database', () =>
    clientOf(caller).send(
      new TransactWriteCommand({ TransactItems: completion(reply).map(({ item }) => item) }),
    ),
  );
};

/** Releases the key after a failed request, which changed nothing, so that the request can be sent again. */
export const releaseKey = async (caller: Caller, claim: IdempotencyClaim): Promise<void> => {
  const running = hasValues({ lease: claim.lease, state: 'running' });
  try {
    await tryWrite(caller, write.remove(keys.claim(claim, claim.hash), running), sendOnce);
  } catch {
    // The lease expires by itself. The failure that is being reported is more important than this one.
  }
};
