import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/base/environment.ts';
import { systemClient } from '../../shared/table/client.ts';
import { isRowOf, type Key } from '../../shared/table/keys.ts';
import type { Write } from '../../shared/table/writes.ts';

/** Rows of one BatchWriteItem. */
const MAX_ITEMS = 25;

/** Requests that are under way together. */
const TOGETHER = 8;

/** Rows that no list reads. */
const UNREAD = ['outbox', 'activity', 'inspectionActivity'] as const;

/** Stores the new rows of changes that lists read, without transactions, counters, history and events. */
export const putRows = async (writes: readonly Write[]): Promise<void> => {
  const table = environment('TABLE_NAME');
  const rows = writes
    .flatMap(({ item }) => item.Put?.Item ?? [])
    .filter((row) => !UNREAD.some((kind) => isRowOf(kind, row as Key)));
  const batches = Array.from({ length: Math.ceil(rows.length / MAX_ITEMS) }, (_, batch) =>
    rows.slice(batch * MAX_ITEMS, (batch + 1) * MAX_ITEMS),
  );
  const put = async (batch: typeof rows): Promise<void> => {
    let pending: BatchWriteCommandInput['RequestItems'] = {
      [table]: batch.map((Item) => ({ PutRequest: { Item } })),
    };
    while (Object.keys(pending ?? {}).length > 0) {
      const sent: BatchWriteCommandOutput = await systemClient().send(
        new BatchWriteCommand({ RequestItems: pending }),
      );
      pending = sent.UnprocessedItems;
    }
  };
  for (let first = 0; first < batches.length; first += TOGETHER)
    await Promise.all(batches.slice(first, first + TOGETHER).map(put));
};
