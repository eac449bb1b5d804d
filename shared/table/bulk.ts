import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../base/environment.ts';
import { systemClient } from './client.ts';
import { type Stored, withForm } from './forms.ts';
import type { Key } from './keys.ts';
import { retrying } from './retry.ts';

/*
 * Many rows at once, without a condition and without what follows from them: for the platform team's tools, which move
 * and delete whole organizations.
 */

/** Rows of one BatchWriteItem (Amazon DynamoDB API Reference). */
const MAX_BATCH = 25;

type BatchRequest = NonNullable<
  NonNullable<ConstructorParameters<typeof BatchWriteCommand>[0]['RequestItems']>[string]
>[number];

const send = async (requests: readonly BatchRequest[]): Promise<void> => {
  const tableName = environment('TABLE_NAME');
  let pending = [...requests];
  while (pending.length > 0) {
    const batch = pending.splice(0, MAX_BATCH);
    const { UnprocessedItems } = await retrying('The database', () =>
      systemClient().send(new BatchWriteCommand({ RequestItems: { [tableName]: batch } })),
    );
    pending = [...(UnprocessedItems?.[tableName] ?? []), ...pending];
  }
};

/** Writes rows, no two of them at one key, in the form of this release. Rows that are there are replaced. */
export const putRows = (rows: readonly Stored[]): Promise<void> =>
  send(rows.map((row) => ({ PutRequest: { Item: withForm(row) } })));

/** Deletes the rows at these keys. */
export const deleteRows = (keys: readonly Key[]): Promise<void> =>
  send(keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
