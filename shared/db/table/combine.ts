import type { Write } from './writes.ts';

/** Two writes that only add to the same counters of one row, under the same condition. */
const isSameCount = (one: Write, other: Write): boolean =>
  one.key.pk === other.key.pk &&
  one.key.sk === other.key.sk &&
  one.item.Update?.UpdateExpression === other.item.Update?.UpdateExpression &&
  one.item.Update?.ConditionExpression === other.item.Update?.ConditionExpression;

/** One write that adds what both add. */
const sumOf = (one: Write, other: Write): Write => {
  const { Update } = one.item;
  const values = { ...Update!.ExpressionAttributeValues };
  const added = other.item.Update!.ExpressionAttributeValues!;
  for (const name of Object.keys(values)) {
    if (name.startsWith(':add')) values[name] = Number(values[name]) + Number(added[name]);
  }
  const names = Object.keys(one.add!);
  return {
    ...one,
    add: Object.fromEntries(names.map((name) => [name, one.add![name]! + other.add![name]!])),
    item: { Update: { ...Update!, ExpressionAttributeValues: values } },
  };
};

/**
 * The same writes, with those of one counter as a single write: a transaction may write a row only once, and the counts
 * of several resources may share a shard.
 */
export const combineCounts = (writes: readonly Write[]): Write[] => {
  const combined: Write[] = [];
  for (const write of writes) {
    const position = write.add ? combined.findIndex((each) => each.add && isSameCount(each, write)) : -1;
    if (position === -1) combined.push(write);
    else combined[position] = sumOf(combined[position]!, write);
  }
  return combined;
};
