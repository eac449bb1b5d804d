import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { environment } from '../../base/environment.ts';
import { systemClient } from '../table/client.ts';
import type { KeyRow } from '../table/entities.ts';
import { keys } from '../table/keys.ts';

/** Long replies of one key at once. */
export const MAX_LONG_REPLIES = 20;

/** How long a reply can last, in milliseconds. A lease that nobody has ended, after a crash, counts no longer. */
const MAX_REPLY_MS = 300_000;

/** Epoch milliseconds and an id, so that the time stands in the lease itself. */
const newLease = (now: number): string => `${now + MAX_REPLY_MS}#${uuidv7()}`;

const isOver = (lease: string, now: number): boolean => Number(lease.split('#')[0]) <= now;

/** The number of a key's replies that are long and go on. */
export const longReplies = (
  { long_replies = new Set() }: Pick<KeyRow, 'long_replies'>,
  now: number,
): number => [...long_replies].filter((lease) => !isOver(lease, now)).length;

const update = (hash: string, expression: string, leases: string[], limit?: number) =>
  systemClient().send(
    new UpdateCommand({
      TableName: environment('TABLE_NAME'),
      Key: keys.apiKey(hash),
      UpdateExpression: expression,
      ConditionExpression: `attribute_exists(pk)${
        limit === undefined ? '' : ' AND (attribute_not_exists(long_replies) OR size(long_replies) < :limit)'
      }`,
      ExpressionAttributeValues: {
        ':leases': new Set(leases),
        ...(limit !== undefined && { ':limit': limit }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );

/**
 * Counts a reply as one of the long replies of its key.
 * @param hash of the key
 * @param now epoch milliseconds
 * @returns the lease to end it with; undefined when the key has `MAX_LONG_REPLIES` already
 */
export const beginLongReply = async (hash: string, now: number): Promise<string | undefined> => {
  const lease = newLease(now);
  for (;;) {
    try {
      await update(hash, 'ADD long_replies :leases', [lease], MAX_LONG_REPLIES);
      return lease;
    } catch (error) {
      const { name, Item } = error as { name: string; Item?: Record<string, AttributeValue> };
      if (name !== 'ConditionalCheckFailedException') throw error;
      const { long_replies = [] } = (Item ? unmarshall(Item) : {}) as Partial<KeyRow>;
      const over = [...long_replies].filter((other) => isOver(other, now));
      if (over.length === 0) return undefined;
      await update(hash, 'DELETE long_replies :leases', over);
    }
  }
};

/** Ends a long reply. */
export const endLongReply = async (hash: string, lease: string): Promise<void> => {
  await update(hash, 'DELETE long_replies :leases', [lease]);
};
