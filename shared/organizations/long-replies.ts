import { v7 as uuidv7 } from 'uuid';
import { type Condition, exists } from '../table/conditions.ts';
import type { KeyRow } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { sendOnce, tryWrite } from '../table/single-write.ts';
import * as write from '../table/writes.ts';

/** Long replies of one key at once. */
export const MAX_LONG_REPLIES = 20;

/**
 * How long a reply can last, in milliseconds. After a crash nobody ends its lease; it stops counting after this time.
 */
const MAX_REPLY_MS = 300_000;

/** A lease: the end of its time in epoch milliseconds, and an id. */
const newLease = (now: number): string => `${now + MAX_REPLY_MS}#${uuidv7()}`;

const isOver = (lease: string, now: number): boolean => Number(lease.split('#')[0]) <= now;

/** How many long replies of a key are going on. */
export const longReplies = (
  { long_replies = new Set() }: Pick<KeyRow, 'long_replies'>,
  now: number,
): number => [...long_replies].filter((lease) => !isOver(lease, now)).length;

/** The key exists, and has room for one more. */
const hasRoom: Condition = {
  ConditionExpression:
    'attribute_exists(pk) AND (attribute_not_exists(#long_replies) OR size(#long_replies) < :most)',
  ExpressionAttributeNames: { '#long_replies': 'long_replies' },
  ExpressionAttributeValues: { ':most': MAX_LONG_REPLIES },
};

/** Changes the leases of a key, without retries: a reply does not wait for its count. */
const update = (hash: string, leases: write.Changes, condition = exists) =>
  tryWrite('system', write.update(keys.apiKey(hash), leases, condition), sendOnce);

/**
 * Counts a reply as one of the long replies of its key.
 * @param hash of the key
 * @param now epoch milliseconds
 * @returns the lease to end it with; undefined when the key has `MAX_LONG_REPLIES` already
 */
export const beginLongReply = async (hash: string, now: number): Promise<string | undefined> => {
  const lease = newLease(now);
  for (;;) {
    const { isWritten, row } = await update(hash, { insert: { long_replies: new Set([lease]) } }, hasRoom);
    if (isWritten) return lease;
    const over = [...(row?.long_replies ?? [])].filter((other) => isOver(other, now));
    if (over.length === 0) return undefined;
    await update(hash, { discard: { long_replies: new Set(over) } });
  }
};

/** Ends a long reply. */
export const endLongReply = async (hash: string, lease: string): Promise<void> => {
  await update(hash, { discard: { long_replies: new Set([lease]) } });
};
