import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { shownDocuments } from '../domain/content/shown-documents.ts';
import { exists, hasValues } from './conditions.ts';
import type { Kind } from './entities/kinds.ts';
import type { Usage, Used } from './entities/machinery.ts';
import { keys, shardOf, SHARDS, shards } from './keys.ts';
import { queryRows, type Row, withRows } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/*
 * The uses of a resource are counted in shards, not in the resource's own row: users of one client account do not
 * wait for each other, and its deletion can still exclude every use, because a use conflicts with closing its shard.
 */

const isOpen = hasValues({ closed: undefined });

/** A use of a resource by another one. */
interface Use {
  kind: Kind;
  /** The id of the resource that is used. */
  id: string;
  /** The id of the one that uses it. */
  userId: string;
}

/**
 * Counts a use in the transaction of the resource that uses it. A negative number ends a use. A deleted resource takes
 * no new use, but its remaining uses may end.
 * @param field the request's field that names the resource, for the 400 when the resource has been deleted
 */
export const use = (caller: Caller, { kind, id, userId }: Use, add: Used, field: string): Write => {
  const isEnd = Object.values(add).every((delta) => delta <= 0);
  return write.update(
    keys.usage(caller, kind, id, shardOf(userId)),
    { add },
    isEnd ? undefined : isOpen,
    () => errors.referenceNotFound(field),
  );
};

/**
 * Changes what a use counts as, or ends it, unless the resource that is used has been deleted. Whatever belonged to that
 * one is being deleted then, so what uses it must not go on as if it stayed.
 */
export const changeUse = (caller: Caller, { kind, id, userId }: Use, add: Used): Write =>
  write.update(keys.usage(caller, kind, id, shardOf(userId)), { add }, isOpen, () => errors.ownerDeleted());

/**
 * Closes a resource for further uses, as a part of its deletion.
 * @param by the uses that prevent the deletion
 * @throws ApiError 409 while there are any
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
      () => errors.stillUsed(message),
    ),
  );
};

const sum = (rows: Used[]): Required<Used> => ({
  inspections: rows.reduce((total, { inspections = 0 }) => total + inspections, 0),
  locations: rows.reduce((total, { locations = 0 }) => total + locations, 0),
  regions: rows.reduce((total, { regions = 0 }) => total + regions, 0),
  assets: rows.reduce((total, { assets = 0 }) => total + assets, 0),
  issues: rows.reduce((total, { issues = 0 }) => total + issues, 0),
  schedules: rows.reduce((total, { schedules = 0 }) => total + schedules, 0),
  certificates: rows.reduce((total, { certificates = 0 }) => total + certificates, 0),
  kept: rows.reduce((total, { kept = 0 }) => total + kept, 0),
});

/** A sort key after all shards of a resource and before those of the next one. */
const behind = (id: string): string => `${id}~`;

/** The uses of one resource. One call. */
export const usageOf = async (caller: Caller, kind: Kind, id: string): Promise<Required<Used>> =>
  sum(await Array.fromAsync(queryRows(caller, keys.usage.range(caller, kind, id))));

/**
 * Each resource with its uses. The resources come in ascending order of their ids, and the shards are stored in the
 * same order, so both are read once, side by side.
 */
export const withUsage = async function* <Resource extends { id: string }>(
  caller: Caller,
  kind: Kind,
  resources: AsyncIterable<Resource>,
  { after, limit }: { after?: string | undefined; limit?: number | undefined } = {},
): AsyncGenerator<{ resource: Resource; used: Required<Used> }> {
  const usages = queryRows(caller, {
    partition: keys.usage.partition(caller, kind),
    after: after && behind(after),
    pageSize: limit && (limit + 1) * SHARDS,
  });
  let usage: IteratorResult<Row<Usage>> = await usages.next();
  for await (const resource of resources) {
    const rows: Row<Usage>[] = [];
    while (!usage.done && usage.value.sk < behind(resource.id)) {
      if (usage.value.sk.startsWith(`${resource.id}#`)) rows.push(usage.value);
      usage = await usages.next();
    }
    yield { resource, used: sum(rows) };
  }
};

/** Each resource with its uses, in any order. A call for every six of them. */
export const withUsageOfEach = async function* <Item>(
  caller: Caller,
  kind: Kind,
  items: AsyncIterable<Item>,
  idOf: (item: Item) => string,
  count?: number,
): AsyncGenerator<[item: Item, used: Required<Used>]> {
  const keysOf = (item: Item) => shards().map((shard) => keys.usage(caller, kind, idOf(item), shard));
  for await (const [item, rows] of withRows(caller, items, keysOf, count))
    yield [item, sum(rows.filter((row) => row !== undefined))];
};

/**
 * Changes the number of a document's uses, in the transaction of the resource that uses it. A transaction can write a
 * row only once, so several uses of one document are one write.
 * @param field the request's field that names the document, for the 400 when it does not exist
 */
export const useDocument = (caller: Caller, documentId: string, delta: number, field: string): Write =>
  write.update(keys.one(caller, 'DOCUMENT', documentId), { add: { used_by_count: delta } }, exists, () =>
    errors.referenceNotFound(field),
  );

/** Counts the uses of documents when a resource changes. A resource uses a document once, however often it shows it. */
export const documentUses = (caller: Caller, before: unknown, after: unknown, field: string): Write[] => {
  const [oldIds, newIds] = [shownDocuments(before), shownDocuments(after)];
  return [
    ...[...oldIds.difference(newIds)].map((id) => useDocument(caller, id, -1, field)),
    ...[...newIds.difference(oldIds)].map((id) => useDocument(caller, id, 1, field)),
  ];
};

/**
 * Counts uses of these documents, or their ends, with one write per document.
 * @param ids one for each useDocument
 */
export const useDocuments = (
  caller: Caller,
  ids: Iterable<string>,
  delta: 1 | -1,
  field: string,
): Write[] => {
  const uses = new Map<string, number>();
  for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + delta);
  return [...uses].map(([id, count]) => useDocument(caller, id, count, field));
};
