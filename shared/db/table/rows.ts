import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../../base/caller.ts';
import { environment } from '../../base/environment.ts';
import { forbiddenByRowLevelSecurity } from '../../base/errors.ts';
import { clientOf, systemClient } from './client.ts';
import { INTERNAL_ATTRIBUTES, isOwnPartition, type Key } from './keys.ts';
import { retrying } from './retry.ts';
import { type IndexName, TABLE } from './table.ts';

/** A row as stored: the resource's fields beside the table's own attributes. */
export type Row<Resource = Record<string, unknown>> = Resource & Key;

const DATABASE = 'the database';

/**
 * The wall between organizations, at the last place every read and write passes: a key outside the caller's
 * organization is refused whatever repository built it.
 * @throws ApiError 403 `forbidden by row-level security`
 */
export const guard = (caller: Caller, pk: string): void => {
  if (!isOwnPartition(caller, pk)) throw forbiddenByRowLevelSecurity();
};

/** A row past its time to live is gone, though the table's own sweep may take days to remove it. */
const isLive = (row: Record<string, unknown>): boolean => {
  const ttl = row[TABLE.timeToLive];
  return typeof ttl !== 'number' || ttl > Date.now() / 1_000;
};

const INTERNAL = new Set<string>(INTERNAL_ATTRIBUTES);

/** The resource without the table's own attributes: what the wire carries. */
export const withoutKeys = <Resource>(row: Row<Resource>): Resource => {
  const stored = row as Record<string, unknown>;
  const resource: Record<string, unknown> = {};
  // Built rather than deleted from: an object that has lost fields is slow to read ever after.
  for (const attribute of Object.keys(stored)) {
    if (!INTERNAL.has(attribute)) resource[attribute] = stored[attribute];
  }
  return resource as Resource;
};

/** One row, strongly consistent, or undefined. */
export const getRow = async <Resource>(caller: Caller, key: Key): Promise<Row<Resource> | undefined> => {
  guard(caller, key.pk);
  const { Item } = await retrying(DATABASE, () =>
    clientOf(caller).send(
      new GetCommand({ TableName: environment('TABLE_NAME'), Key: key, ConsistentRead: true }),
    ),
  );
  return Item && isLive(Item) ? (Item as Row<Resource>) : undefined;
};

/** BatchGetItem's limit (Amazon DynamoDB API Reference). */
const MOST_KEYS = 100;

/** The rows of these keys in their order, strongly consistent; an absent one is undefined. One call per 100. */
export const getRows = <Resource>(
  caller: Caller,
  keys: readonly Key[],
): Promise<(Row<Resource> | undefined)[]> => {
  for (const { pk } of keys) guard(caller, pk);
  return batchGet(clientOf(caller), keys);
};

/** The same for rows that stand outside any organization. */
export const getSystemRows = <Resource>(keys: readonly Key[]): Promise<(Row<Resource> | undefined)[]> =>
  batchGet(systemClient(), keys);

const batchGet = async <Resource>(
  client: DynamoDBDocumentClient,
  keys: readonly Key[],
): Promise<(Row<Resource> | undefined)[]> => {
  const found = new Map<string, Row<Resource>>();
  const wanted = new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key]));
  const tableName = environment('TABLE_NAME');
  let pending = [...wanted.values()];
  while (pending.length > 0) {
    const batch = pending.splice(0, MOST_KEYS);
    const { Responses, UnprocessedKeys } = await retrying(DATABASE, () =>
      client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: batch, ConsistentRead: true } } }),
      ),
    );
    for (const item of Responses?.[tableName] ?? []) {
      if (isLive(item)) found.set(`${item['pk']} ${item['sk']}`, item as Row<Resource>);
    }
    pending = [...((UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[]), ...pending];
  }
  return keys.map((key) => found.get(`${key.pk} ${key.sk}`));
};

/**
 * Each item with the rows of its keys, strongly consistent; items are taken together as far as one call reaches.
 * @param count how many items there will be at the most, where that is known
 */
export const withRows = async function* <Item>(
  caller: Caller,
  items: AsyncIterable<Item>,
  keysOf: (item: Item) => readonly Key[],
  count = Infinity,
): AsyncGenerator<[item: Item, rows: (Row<object> | undefined)[]]> {
  let batch: { item: Item; keys: readonly Key[] }[] = [];
  const read = async function* (): AsyncGenerator<[Item, (Row<object> | undefined)[]]> {
    const rows = await getRows<object>(
      caller,
      batch.flatMap(({ keys }) => keys),
    );
    for (const { item, keys } of batch) yield [item, rows.splice(0, keys.length)];
    batch = [];
  };
  for await (const item of items) {
    const keys = keysOf(item);
    batch.push({ item, keys });
    if (batch.length >= Math.min(count, Math.floor(MOST_KEYS / keys.length))) yield* read();
  }
  if (batch.length > 0) yield* read();
};

export interface RowQuery {
  partition: string;
  /** An index of keys only, eventually consistent; else the table itself, strongly consistent. */
  index?: IndexName | undefined;
  /** Only sort keys that begin so. */
  prefix?: string | undefined;
  /** Only sort keys strictly after (or, newest first, before) this one. */
  after?: string | undefined;
  /** Only sort keys up to this one. */
  upTo?: string | undefined;
  newestFirst?: boolean | undefined;
  /** Only rows whose attributes equal one of the given values. */
  where?: Readonly<Record<string, readonly unknown[] | undefined>> | undefined;
  /** Only rows whose `updated_at` is this or later. */
  updatedSince?: string | undefined;
  /** The most rows the first page evaluates, where they may be all that is needed. */
  pageSize?: number | undefined;
  /** Only these attributes of the rows, beside their keys. */
  only?: readonly string[] | undefined;
}

/** Of a page, which a megabyte ends as well: about what that holds of the larger resources, so memory is bounded by both. */
const MOST_ROWS = 1_000;

/** Without these no row is known for what it is. */
const ALWAYS = [TABLE.partitionKey, TABLE.sortKey, TABLE.timeToLive];

/** What a query's conditions say, as DynamoDB's expressions. */
const expressionsOf = (query: RowQuery) => {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string): string => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  };
  const value = (bound: unknown): string => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = bound;
    return placeholder;
  };
  const conditions = [`${name(query.index ?? TABLE.partitionKey)} = ${value(query.partition)}`];
  if (query.prefix !== undefined && query.after !== undefined) {
    // Only one condition may stand on the sort key: everything after a key that itself has the prefix.
    const end = query.newestFirst ? query.prefix : `${query.prefix}\u{10FFFF}`;
    const [low, high] = query.newestFirst ? [end, query.after] : [query.after, end];
    conditions.push(`${name(TABLE.sortKey)} BETWEEN ${value(low)} AND ${value(high)}`);
  } else if (query.prefix !== undefined) {
    conditions.push(`begins_with(${name(TABLE.sortKey)}, ${value(query.prefix)})`);
  } else if (query.after !== undefined && query.upTo !== undefined) {
    conditions.push(`${name(TABLE.sortKey)} BETWEEN ${value(query.after)} AND ${value(query.upTo)}`);
  } else if (query.after !== undefined) {
    conditions.push(`${name(TABLE.sortKey)} ${query.newestFirst ? '<' : '>'} ${value(query.after)}`);
  } else if (query.upTo !== undefined) {
    conditions.push(`${name(TABLE.sortKey)} <= ${value(query.upTo)}`);
  }
  const filters = Object.entries(query.where ?? {}).flatMap(([attribute, wanted]) =>
    wanted ? [`${name(attribute)} IN (${wanted.map(value).join(', ')})`] : [],
  );
  if (query.updatedSince) filters.push(`${name('updated_at')} >= ${value(query.updatedSince)}`);
  return {
    KeyConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ...(filters.length > 0 && { FilterExpression: filters.join(' AND ') }),
    ...(query.only && { ProjectionExpression: [...ALWAYS, ...query.only].map(name).join(', ') }),
  };
};

/**
 * The rows of a partition in order, page by page as they are needed: memory holds one page, and one call is
 * made per megabyte or thousand rows read.
 */
export const queryRows = async function* <Resource>(
  caller: Caller,
  query: RowQuery,
): AsyncGenerator<Row<Resource>> {
  guard(caller, query.partition);
  const expressions = expressionsOf(query);
  let start: Record<string, unknown> | undefined;
  do {
    const { Items, LastEvaluatedKey } = await retrying(DATABASE, () =>
      clientOf(caller).send(
        new QueryCommand({
          TableName: environment('TABLE_NAME'),
          ...expressions,
          ...(query.index ? { IndexName: query.index } : { ConsistentRead: true }),
          ScanIndexForward: !query.newestFirst,
          ExclusiveStartKey: start,
          Limit: (start ? undefined : query.pageSize) ?? MOST_ROWS,
        }),
      ),
    );
    for (const item of Items ?? []) {
      // Both ends of BETWEEN are included; the row a page ended with has been seen.
      if (isLive(item) && item['sk'] !== query.after) yield item as Row<Resource>;
    }
    start = LastEvaluatedKey;
  } while (start);
};

/** The keys in a partition of an index that spans organizations, up to a sort key; for workers only. */
export const querySystemKeys = async function* (
  index: IndexName,
  partition: string,
  upTo: { attribute: string; value: string },
): AsyncGenerator<Key> {
  let start: Record<string, unknown> | undefined;
  do {
    const { Items, LastEvaluatedKey } = await retrying(DATABASE, () =>
      systemClient().send(
        new QueryCommand({
          TableName: environment('TABLE_NAME'),
          IndexName: index,
          KeyConditionExpression: '#partition = :partition AND #sort <= :upTo',
          ExpressionAttributeNames: { '#partition': index, '#sort': upTo.attribute },
          ExpressionAttributeValues: { ':partition': partition, ':upTo': upTo.value },
          ExclusiveStartKey: start,
        }),
      ),
    );
    for (const { pk, sk } of (Items ?? []) as Key[]) yield { pk, sk };
    start = LastEvaluatedKey;
  } while (start);
};

/** How many live rows a query has, without reading them over the wire. */
export const countRows = async (caller: Caller, query: RowQuery): Promise<number> => {
  guard(caller, query.partition);
  const expressions = expressionsOf(query);
  let count = 0;
  let start: Record<string, unknown> | undefined;
  do {
    const page = await retrying(DATABASE, () =>
      clientOf(caller).send(
        new QueryCommand({
          TableName: environment('TABLE_NAME'),
          ...expressions,
          ConsistentRead: true,
          Select: 'COUNT',
          ExclusiveStartKey: start,
        }),
      ),
    );
    count += page.Count ?? 0;
    start = page.LastEvaluatedKey;
  } while (start);
  return count;
};

/**
 * The next number of a per-organization sequence, from 1. Outside any transaction, so that two changes never
 * wait for each other: a number may be lost with a failed change, but is never given twice.
 */
export const nextNumber = async (caller: Caller, key: Key): Promise<number> => {
  guard(caller, key.pk);
  const { Attributes } = await retrying(DATABASE, () =>
    clientOf(caller).send(
      new UpdateCommand({
        TableName: environment('TABLE_NAME'),
        Key: key,
        UpdateExpression: 'ADD #last :one',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':one': 1 },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
  );
  return Attributes?.['last'] as number;
};
