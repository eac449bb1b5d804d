import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DeleteCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { KeyCaller } from '../../base/caller.ts';
import { environment } from '../../base/environment.ts';
import { conflict } from '../../base/errors.ts';
import { currentRequest, type IdempotencyClaim } from '../../base/request.ts';
import { clientOf } from './client.ts';
import { hasValues } from './conditions.ts';
import { keys } from './keys.ts';
import { retrying } from './retry.ts';
import { queryRows, type Row } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** Seconds that a reply is kept, and milliseconds that a running request may hold its key. */
const KEPT = 86_400;
const LEASE_MS = 60_000;

/** A row holds 400 KB (DynamoDB quotas); a longer reply continues in rows beside it, in the same transaction. */
const PART_BYTES = 380_000;

interface ClaimRow {
  state: 'running' | 'completed';
  lease: string;
  leased_until: number;
  body_hash: string;
  status?: number;
  body?: Uint8Array;
  parts?: number;
}

/** What became of claiming a key. */
export type Claim =
  | { outcome: 'claimed'; claim: IdempotencyClaim }
  | { outcome: 'completed'; status: number; body: string }
  | { outcome: 'running' }
  | { outcome: 'other_body' };

const epochSeconds = () => Math.floor(Date.now() / 1_000);

/**
 * Takes the lease on an idempotency key for this caller and operation, unless it is completed, held, or was
 * used with another body. A lease that ran out without completion belonged to a request that died before its
 * change: the next one takes it over.
 */
export const claimKey = async (
  caller: KeyCaller,
  operationId: string,
  idempotencyKey: string,
  bodyHash: string,
): Promise<Claim> => {
  const key = keys.idempotency(caller, caller.key_id, operationId, idempotencyKey);
  const lease = randomUUID();
  try {
    await retrying('the database', () =>
      clientOf(caller).send(
        new PutCommand({
          TableName: environment('TABLE_NAME'),
          Item: {
            ...key,
            state: 'running',
            lease,
            leased_until: Date.now() + LEASE_MS,
            body_hash: bodyHash,
            ttl: epochSeconds() + KEPT,
          },
          // The caller's own lease is its own earlier attempt whose reply was lost.
          ConditionExpression:
            'attribute_not_exists(pk) OR #ttl <= :seconds OR #lease = :lease OR ' +
            '(#state = :running AND #leased_until < :now AND #body_hash = :body_hash)',
          ExpressionAttributeNames: {
            '#ttl': 'ttl',
            '#state': 'state',
            '#lease': 'lease',
            '#leased_until': 'leased_until',
            '#body_hash': 'body_hash',
          },
          ExpressionAttributeValues: {
            ':seconds': epochSeconds(),
            ':running': 'running',
            ':lease': lease,
            ':now': Date.now(),
            ':body_hash': bodyHash,
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    );
    return { outcome: 'claimed', claim: { pk: key.pk, lease } };
  } catch (error) {
    const { name, Item } = error as { name: string; Item?: Parameters<typeof unmarshall>[0] };
    if (name !== 'ConditionalCheckFailedException' || !Item) throw error;
    const standing = unmarshall(Item) as Row<ClaimRow>;
    if (standing.body_hash !== bodyHash) return { outcome: 'other_body' };
    if (standing.state === 'running') return { outcome: 'running' };
    return { outcome: 'completed', status: standing.status!, body: await storedBody(caller, standing) };
  }
};

const storedBody = async (caller: KeyCaller, { pk, body, parts }: Row<ClaimRow>): Promise<string> => {
  const chunks = [body!];
  if (parts! > 1) {
    for await (const row of queryRows<{ body: Uint8Array }>(caller, { partition: pk, prefix: 'PART#' })) {
      chunks.push(row.body);
    }
  }
  return gunzipSync(Buffer.concat(chunks)).toString();
};

/**
 * The rows that store the running request's reply with its change; none where it has no idempotency key. The
 * lease must still be this request's, so that a change is never applied by two holders.
 */
export const completion = (reply: unknown): Write[] => {
  const { idempotency } = currentRequest() ?? {};
  if (!idempotency) return [];
  const { claim, status, textOf } = idempotency;
  const body = gzipSync(textOf(reply));
  const parts = Array.from({ length: Math.ceil(body.length / PART_BYTES) }, (_, part) =>
    body.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
  );
  return [
    write.update(
      { pk: claim.pk, sk: 'CLAIM' },
      { set: { state: 'completed', status, body: parts[0], parts: parts.length } },
      hasValues({ lease: claim.lease }),
      () => conflict('another request with this idempotency key has taken over'),
    ),
    ...parts
      .slice(1)
      .map((part, position) =>
        write.put({ pk: claim.pk, sk: `PART#${position}`, body: part, ttl: epochSeconds() + KEPT }),
      ),
  ];
};

/** Stores the reply of a request that changed nothing, so that its repetition gets the same one. */
export const completeKey = async (caller: KeyCaller, reply: unknown): Promise<void> => {
  await retrying('the database', () =>
    clientOf(caller).send(
      new TransactWriteCommand({ TransactItems: completion(reply).map(({ item }) => item) }),
    ),
  );
};

/** Gives the key back after a failure, which changed nothing, so that a corrected or repeated try may run. */
export const releaseKey = async (caller: KeyCaller, claim: IdempotencyClaim): Promise<void> => {
  try {
    await clientOf(caller).send(
      new DeleteCommand({
        TableName: environment('TABLE_NAME'),
        Key: { pk: claim.pk, sk: 'CLAIM' },
        ...hasValues({ lease: claim.lease, state: 'running' }),
      }),
    );
  } catch {
    // The lease runs out by itself; the failure that is being reported matters more than this one.
  }
};
