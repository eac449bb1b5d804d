import { TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { systemClient } from '../../shared/table/client.ts';

type Item = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Update = NonNullable<Item['Update']>;

/** The maximum of items in one TransactWriteItems request. */
const MAX_ITEMS = 100;

/** Collects the writes of changes instead of sending their transactions. */
export const written = async (changes: () => Promise<void>): Promise<Item[]> => {
  const items: Item[] = [];
  const { middlewareStack } = systemClient();
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'TransactWriteItemsCommand') return next(args);
        items.push(...((args.input as TransactWriteCommandInput).TransactItems ?? []));
        return { output: { $metadata: {} }, response: {} };
      },
    { step: 'initialize', name: 'written' },
  );
  await changes();
  middlewareStack.remove('written');
  return items;
};

/** Merges the updates that increase the same counter into one. @throws Error for an update that does anything else */
const summed = (updates: readonly Update[]): Update[] => {
  const counts = new Map<string, Update>();
  for (const update of updates) {
    const { Key, UpdateExpression, ExpressionAttributeNames } = update;
    if (!UpdateExpression?.startsWith('ADD ')) throw new Error(`cannot sum up ${UpdateExpression}`);
    const count = JSON.stringify([Key, UpdateExpression, ExpressionAttributeNames]);
    const before = counts.get(count)?.ExpressionAttributeValues ?? {};
    const values = Object.entries(update.ExpressionAttributeValues ?? {}).map(([name, value]) => [
      name,
      ((before[name] as number | undefined) ?? 0) + (value as number),
    ]);
    counts.set(count, { ...update, ExpressionAttributeValues: Object.fromEntries(values) });
  }
  return [...counts.values()];
};

/**
 * Stores the result of the transactions of many new resources: their rows in as few transactions as possible, and the
 * sum of each counter in one update.
 */
export const seed = async (items: readonly Item[]): Promise<void> => {
  const rows = items.filter(({ Update }) => !Update);
  for (let start = 0; start < rows.length; start += MAX_ITEMS) {
    await systemClient().send(
      new TransactWriteCommand({ TransactItems: rows.slice(start, start + MAX_ITEMS) }),
    );
  }
  for (const update of summed(items.flatMap(({ Update }) => Update ?? []))) {
    await systemClient().send(new UpdateCommand(update));
  }
};
