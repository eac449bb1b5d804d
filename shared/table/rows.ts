import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../base/caller.ts';
import { environment } from '../base/environment.ts';
import * as errors from '../base/errors.ts';
import { clientOf, systemClient, type TableClient } from './client.ts';
import { FORM, isOutdated, type Stored, upgraded } from './forms.ts';
import {
  type AnyPart,
  INTERNAL_ATTRIBUTES,
  isOwnPartition,
  type Key,
  nameOfKey,
  type Partition,
} from './keys.ts';
import { retrying } from './retry.ts';
import { type IndexName, TABLE } from './table.ts';

/** A row as stored: the resource's fields and the key. */
export type Row<Resource extends object = Record<string, unknown>> = Resource & Key<Resource>;

/** The rows at these keys, in their order. An absent row is undefined, and so is the row of an undefined key. */
export type RowsAt<Keys extends readonly (Key | undefined)[]> = {
  -readonly [Position in keyof Keys]: RowAt<Keys[Position]> | undefined;
};

type RowAt<K> = K extends Key<infer Resource> ? Row<Resource> : never;

/** Keys of one BatchGetItem (Amazon DynamoDB API Reference). */
export const MAX_BATCH_KEYS = 100;

const DATABASE = 'the database';

/**
 * Keeps organizations apart. Every read and write passes here last: a key outside the caller's organization is
 * refused, whichever repository built it.
 * @throws ApiError 403 `forbidden by row-level security`
 */
export const guard = (caller: Caller, pk: string): void => {
  if (!isOwnPartition(caller, pk)) throw errors.rowLevelSecurity();
};

/** A row past its time to live counts as deleted, although DynamoDB may take days to delete it. */
const isLive = (row: Record<string, unknown>): boolean => {
  const ttl = row[TABLE.timeToLive];
  return typeof ttl !== 'number' || ttl > Date.now() / 1_000;
};

/**
 * Every row that is read passes here last, wherever it comes from: the table, the answer to a write, the stream or a
 * queue. It gets the form of this release, and the type that its key or partition carries.
 */
export const readRow = <Resource extends object>(item: Record<string, unknown>): Row<Resource> =>
  // Every row has a key.
  upgraded(item as Stored) as unknown as Row<Resource>;

/** Whether a row is a part of this name. Its sort key says so, because `keys` gives every part one of its own. */
export const isPart = <Part extends keyof AnyPart>(row: Key, part: Part): row is Row<AnyPart[Part]> =>
  row.sk === part || row.sk.startsWith(`${part}#`);

/** Whether a row stands in a partition, and so is of its type. */
export const isIn = <Resource extends object>(
  row: Key,
  partition: Partition<Resource>,
): row is Row<Resource> => row.pk === partition;

const INTERNAL = new Set<string>(INTERNAL_ATTRIBUTES);

/** The resource without the table's own attributes, as it is sent to clients. */
export const withoutKeys = <Resource extends object>(row: Key<Resource> & NoInfer<Resource>): Resource => {
  const stored = row as Record<string, unknown>;
  const resource: Record<string, unknown> = {};
  // Copying attributes is better than deleting some: an object that has lost properties stays slow to read.
  for (const attribute of Object.keys(stored)) {
    if (!INTERNAL.has(attribute)) resource[attribute] = stored[attribute];
  }
  return resource as Resource;
};

/** One row, or undefined. Strongly consistent. */
export const getRow = async <Resource extends object>(
  caller: Caller,
  key: Key<Resource>,
): Promise<Row<Resource> | undefined> => {
  guard(caller, key.pk);
  const { Item } = await retrying(DATABASE, () =>
    clientOf(caller).send(
      new GetCommand({ TableName: environment('TABLE_NAME'), Key: key, ConsistentRead: true }),
    ),
  );
  return Item && isLive(Item) ? readRow<Resource>(Item) : undefined;
};

/** The rows of these keys in their order. Strongly consistent. One call per 100 keys. */
export const getRows = async <const Keys extends readonly (Key | undefined)[]>(
  caller: Caller,
  keys: Keys,
): Promise<RowsAt<Keys>> => (await readRows(caller, keys))(keys);

/** The rows of these keys, where they belong to no organization. */
export const getSystemRows = async <const Keys extends readonly Key[]>(keys: Keys): Promise<RowsAt<Keys>> =>
  (await batchGet(systemClient(), keys))(keys);

/** Gives the rows of some of the keys that were read. */
export type RowReader = <const Keys extends readonly (Key | undefined)[]>(keys: Keys) => RowsAt<Keys>;

/** Reads the rows of several groups of keys together. The result gives the rows of each group, with their types. */
export const readRows = (caller: Caller, keys: readonly (Key | undefined)[]): Promise<RowReader> => {
  const wanted = keys.filter((key) => key !== undefined);
  for (const { pk } of wanted) guard(caller, pk);
  return batchGet(clientOf(caller), wanted);
};

const batchGet = async (client: TableClient, keys: readonly Key[]): Promise<RowReader> => {
  const found = new Map<string, Row<object>>();
  const tableName = environment('TABLE_NAME');
  let pending = [...new Map(keys.map((key) => [nameOfKey(key), key])).values()];
  while (pending.length > 0) {
    const batch = pending.splice(0, MAX_BATCH_KEYS);
    const { Responses, UnprocessedKeys } = await retrying(DATABASE, () =>
      client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: batch, ConsistentRead: true } } }),
      ),
    );
    for (const item of Responses?.[tableName] ?? []) {
      const row = readRow<object>(item);
      if (isLive(item)) found.set(nameOfKey(row), row);
    }
    // The SDK types keys as it types rows; these are some of those in the batch.
    pending = [...((UnprocessedKeys?.[tableName]?.Keys ?? []) as Key[]), ...pending];
  }
  // TypeScript does not know that a mapped tuple stays one. The type of each row is the one that its key carries.
  return <const Keys extends readonly (Key | undefined)[]>(wanted: Keys) =>
    wanted.map((key) => key && found.get(nameOfKey(key))) as RowsAt<Keys>;
};

/**
 * Each item with the rows of its keys. Strongly consistent. Items are read together, as many as one call can read.
 * @param count the number of items at most, where it is known
 */
export const withRows = async function* <Item, const Keys extends readonly Key[]>(
  caller: Caller,
  items: AsyncIterable<Item>,
  keysOf: (item: Item) => Keys,
  count = Infinity,
): AsyncGenerator<[item: Item, rows: RowsAt<Keys>]> {
  let batch: { item: Item; keys: Keys }[] = [];
  const read = async function* (): AsyncGenerator<[Item, RowsAt<Keys>]> {
    const rowsOf = await readRows(
      caller,
      batch.flatMap(({ keys }) => keys),
    );
    for (const { item, keys } of batch) yield [item, rowsOf(keys)];
    batch = [];
  };
  for await (const item of items) {
    const keys = keysOf(item);
    batch.push({ item, keys });
    if (batch.length >= Math.min(count, Math.floor(MAX_BATCH_KEYS / keys.length))) yield* read();
  }
  if (batch.length > 0) yield* read();
};

/** Attributes of a row with the values to find. An attribute that is undefined selects all rows. */
export type Where<Resource extends object> = {
  readonly [Name in keyof Resource]?: readonly Exclude<Resource[Name], undefined>[] | undefined;
};

export interface RowQuery<Resource extends object = object> {
  partition: Partition<Resource>;
  /** An index, which holds keys only and is eventually consistent. The table itself is strongly consistent. */
  index?: IndexName | undefined;
  /** Only sort keys that begin with this. */
  prefix?: string | undefined;
  /** Only sort keys strictly after (or, newest first, before) this one. */
  after?: string | undefined;
  /** Only sort keys up to this one. */
  upTo?: string | undefined;
  newestFirst?: boolean | undefined;
  /** Only rows whose attributes equal one of the given values. */
  where?: Where<NoInfer<Resource>> | undefined;
  /** Only rows whose `updated_at` is this or later. */
  updatedSince?: string | undefined;
  /** The maximum number of rows that the first page evaluates, for a reader who may need no more. */
  pageSize?: number | undefined;
  /** Only these attributes of the rows, and their keys. */
  only?: readonly NoInfer<keyof Resource & string>[] | undefined;
}

/** Rows of a page. A page also ends at one megabyte, so memory is bounded for small and for large rows. */
const MAX_PAGE_ROWS = 1_000;

/** Attributes that every query reads, because this file needs them. */
const ALWAYS = [TABLE.partitionKey, TABLE.sortKey, TABLE.timeToLive, FORM];

/** A query's conditions as DynamoDB expressions. */
const expressionsOf = <Resource extends object>(query: RowQuery<Resource>) => {
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
    // DynamoDB allows one condition on the sort key, so BETWEEN covers both. Its ends stay in the range of the prefix.
    const last = `${query.prefix}\u{10FFFF}`;
    const after = query.after < query.prefix ? query.prefix : query.after > last ? last : query.after;
    const [low, high] = query.newestFirst ? [query.prefix, after] : [after, last];
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
  const wantedValues: Readonly<Record<string, readonly unknown[] | undefined>> = query.where ?? {};
  const filters = Object.entries(wantedValues).flatMap(([attribute, wanted]) =>
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

/** A row that a query has found. Only a whole row can be upgraded: an index holds keys, and `only` a part. */
const rowOfQuery = <Resource extends object>(
  caller: Caller,
  { index, only }: RowQuery<Resource>,
  item: Stored,
): Promise<Row<Resource> | undefined> | Row<Resource> => {
  // The SDK has no types for rows. This one is of the query's partition.
  if (index) return item as unknown as Row<Resource>;
  return only && isOutdated(item) ? getRow<Resource>(caller, { pk: item.pk, sk: item.sk }) : readRow(item);
};

/**
 * The rows of a partition in order, read page by page as they are needed. Memory holds one page. One call per
 * megabyte or thousand rows.
 */
export const queryRows = async function* <Resource extends object>(
  caller: Caller,
  query: RowQuery<Resource>,
): AsyncGenerator<Row<Resource>> {
  for await (const item of queryItems(caller, query)) {
    const row = await rowOfQuery(caller, query, item);
    if (row) yield row;
  }
};

/**
 * The rows of a partition as they are stored, in any form: for those who check, migrate and move rows.
 * @param after only those behind this sort key
 */
export const queryStored = (caller: Caller, partition: Partition, after?: string): AsyncGenerator<Stored> =>
  queryItems(caller, { partition, after });

const queryItems = async function* <Resource extends object>(
  caller: Caller,
  query: RowQuery<Resource>,
): AsyncGenerator<Stored> {
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
          Limit: (start ? undefined : query.pageSize) ?? MAX_PAGE_ROWS,
        }),
      ),
    );
    for (const item of Items ?? []) {
      // BETWEEN includes both ends, but the row at `after` was on the page before.
      if (isLive(item) && item['sk'] !== query.after) yield item as Stored;
    }
    start = LastEvaluatedKey;
  } while (start);
};

/**
 * The keys in a partition of the index of due rows, which spans organizations: those due up to a time (ISO 8601 in
 * UTC), in order, with the time of each. Memory holds one page. For workers only.
 */
export const queryDueKeys = async function* <Resource extends object>(
  partition: Partition<Resource>,
  upTo: string,
  pageSize = MAX_BATCH_KEYS,
): AsyncGenerator<{ key: Key<Resource>; at: string }> {
  let start: Record<string, unknown> | undefined;
  do {
    const { Items, LastEvaluatedKey } = await retrying(DATABASE, () =>
      systemClient().send(
        new QueryCommand({
          TableName: environment('TABLE_NAME'),
          IndexName: 'by_due' satisfies IndexName,
          KeyConditionExpression: '#partition = :partition AND #sort <= :upTo',
          ExpressionAttributeNames: { '#partition': 'by_due', '#sort': 'by_due_at' },
          ExpressionAttributeValues: { ':partition': partition, ':upTo': upTo },
          ExclusiveStartKey: start,
          Limit: pageSize,
        }),
      ),
    );
    // The index projects its keys and the table's; the SDK does not know it.
    for (const { pk, sk, by_due_at } of (Items ?? []) as (Key & { by_due_at: string })[]) {
      yield { key: { pk, sk }, at: by_due_at };
    }
    start = LastEvaluatedKey;
  } while (start);
};

/**
 * The rows of a partition that belongs to no organization. One call: there are few.
 * @param prefix only those whose sort keys begin with it
 */
export const querySystemRows = async <Resource extends object>(
  partition: Partition<Resource>,
  prefix?: string,
): Promise<Row<Resource>[]> => {
  const { Items = [] } = await retrying(DATABASE, () =>
    systemClient().send(
      new QueryCommand({
        TableName: environment('TABLE_NAME'),
        ...expressionsOf({ partition, prefix }),
        ConsistentRead: true,
      }),
    ),
  );
  return Items.filter(isLive).map((item) => readRow<Resource>(item));
};

/**
 * Number of rows that a query finds. They are counted by DynamoDB and not transferred.
 * @param most where counting ends: no more rows are read, and the number is this one at most
 */
export const countRows = async <Resource extends object>(
  caller: Caller,
  query: RowQuery<Resource>,
  most = Infinity,
): Promise<number> => {
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
          ...(most !== Infinity && { Limit: most - count }),
        }),
      ),
    );
    count += page.Count ?? 0;
    start = page.LastEvaluatedKey;
  } while (start && count < most);
  return count;
};
