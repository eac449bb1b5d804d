import type { Caller } from '../domain/caller.ts';
import { badRequest, conflict } from '../http/errors.ts';
import { type Kind, keys, SHARDS, shardOf, shards } from './keys.ts';
import { queryRows, type Row } from './rows.ts';
import { update, type Write } from './writes.ts';

/**
 * Who uses a resource, counted in shards apart from it: users of one client account never wait for each
 * other, and its deletion can still exclude every use, for closing the shards and using one contend.
 */
export type Used = { inspections?: number; locations?: number };

type UsageRow = Row<Used & { closed?: boolean }>;

/**
 * Counts a use (or, negative, its end) in the transaction of the user.
 * @param field the request's field that names the resource, for the 400 when it was deleted meanwhile
 */
export const use = (
  caller: Caller,
  kind: Kind,
  id: string,
  userId: string,
  add: Used,
  field: string,
): Write =>
  update(
    keys.usage(caller, kind, id, shardOf(userId)),
    { add },
    { ConditionExpression: 'attribute_not_exists(closed)' },
    () => badRequest(`${field} does not exist`),
  );

/** Ends all future use of an unused resource; part of its deletion. @throws ApiError 409 while it is used */
export const close = (caller: Caller, kind: Kind, id: string, by: keyof Used, message: string): Write[] =>
  shards().map((shard) =>
    update(
      keys.usage(caller, kind, id, shard),
      { set: { closed: true } },
      {
        ConditionExpression: 'attribute_not_exists(#by) OR #by = :zero',
        ExpressionAttributeNames: { '#by': by },
        ExpressionAttributeValues: { ':zero': 0 },
      },
      () => conflict(message),
    ),
  );

const sum = (rows: Used[]): Required<Used> => ({
  inspections: rows.reduce((total, { inspections = 0 }) => total + inspections, 0),
  locations: rows.reduce((total, { locations = 0 }) => total + locations, 0),
});

/** A sort key behind all shards of a resource and before the next one's. */
const behind = (id: string): string => `${id}~`;

/** How much one resource is used. One call. */
export const usageOf = async (caller: Caller, kind: Kind, id: string): Promise<Required<Used>> =>
  sum(
    await Array.fromAsync(
      queryRows<Used>(caller, { partition: keys.usages(caller, kind), prefix: `${id}#` }),
    ),
  );

/**
 * How much each of these resources is used, for rows that come in ascending order of their ids: the shards
 * stand in the same order, so both are read once, side by side.
 */
export const withUsage = async function* <Resource extends { id: string }>(
  caller: Caller,
  kind: Kind,
  resources: AsyncIterable<Resource>,
  { after, limit }: { after?: string | undefined; limit?: number | undefined } = {},
): AsyncGenerator<{ resource: Resource; used: Required<Used> }> {
  const usages = queryRows<Used>(caller, {
    partition: keys.usages(caller, kind),
    after: after && behind(after),
    pageSize: limit && (limit + 1) * SHARDS,
  });
  let usage: IteratorResult<UsageRow> = await usages.next();
  for await (const resource of resources) {
    const rows: UsageRow[] = [];
    while (!usage.done && usage.value.sk < behind(resource.id)) {
      if (usage.value.sk.startsWith(`${resource.id}#`)) rows.push(usage.value);
      usage = await usages.next();
    }
    yield { resource, used: sum(rows) };
  }
};
