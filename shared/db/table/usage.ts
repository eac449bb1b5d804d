import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict } from '../../base/errors.ts';
import { hasValues } from './conditions.ts';
import { type Kind, keys, SHARDS, shardOf, shards } from './keys.ts';
import { queryRows, type Row } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/**
 * Who uses a resource, counted in shards apart from it: users of one client account never wait for each
 * other, and its deletion can still exclude every use, for closing the shards and using one contend.
 */
export type Used = { inspections?: number; locations?: number };

type UsageRow = Row<Used & { closed?: boolean }>;

const isOpen = hasValues({ closed: undefined });

/**
 * Counts a use (or, negative, its end) in the transaction of the user. A deleted resource takes no new use, but
 * those it still had may end.
 * @param field the request's field that names the resource, for the 400 when it was deleted meanwhile
 */
export const use = (
  caller: Caller,
  kind: Kind,
  id: string,
  userId: string,
  add: Used,
  field: string,
): Write => {
  const isEnd = Object.values(add).every((delta) => delta <= 0);
  return write.update(
    keys.usage(caller, kind, id, shardOf(userId)),
    { add },
    isEnd ? undefined : isOpen,
    () => badRequest(`${field} does not exist`),
  );
};

/**
 * Ends all future use of a resource; part of its deletion.
 * @param by whose uses stand in the way
 * @throws ApiError 409 while there are such
 */
export const close = (
  caller: Caller,
  kind: Kind,
  id: string,
  by: keyof Used | readonly (keyof Used)[],
  message: string,
): Write[] => {
  const users = [by].flat();
  const isUnused = {
    ConditionExpression: users
      .map((user) => `(attribute_not_exists(#${user}) OR #${user} = :zero)`)
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(users.map((user) => [`#${user}`, user])),
    ExpressionAttributeValues: { ':zero': 0 },
  };
  return shards().map((shard) =>
    write.update(
      keys.usage(caller, kind, id, shard),
      { set: { closed: true } },
      users.length > 0 ? isUnused : undefined,
      () => conflict(message),
    ),
  );
};

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
