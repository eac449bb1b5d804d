import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { change, type Work } from './change.ts';
import type { Versioned } from './entities/common.ts';
import type { Resources, VersionedKind } from './entities/kinds.ts';
import type { Synced } from './entities/organization.ts';
import { type Key, keys } from './keys.ts';
import { kept, type Listing, listing, type ListQuery, readCursor } from './listing.ts';
import * as resource from './resource.ts';
import type { Facts, Resource } from './resource.ts';
import { getRow, queryRows, type Row, type RowQuery, withoutKeys } from './rows.ts';
import type { Write } from './writes.ts';

/** A new resource in its first version. Ids ascend in creation order. */
export const newResource = <Fields extends object>({ now }: Work, fields: Fields): Fields & Versioned => ({
  id: uuidv7(),
  ...fields,
  version: 1,
  created_at: now,
  updated_at: now,
});

/** The resource with these fields changed, in its next version. */
export const nextVersion = <Resource extends Versioned>(
  { now }: Work,
  current: Resource,
  fields: Partial<Resource>,
): Resource => ({ ...current, ...fields, version: current.version + 1, updated_at: now });

/** @throws ApiError 409 when the client has read another version */
export const expectVersion = (
  noun: string,
  { version }: { version: number },
  expected: number | undefined,
): void => {
  if (expected !== undefined && expected !== version) {
    throw errors.versionMismatch(noun, version, expected);
  }
};

/** The edited resource, and the other rows that change in the same transaction. */
export interface ResourceEdit<Resource> {
  next: Resource;
  writes?: Write[];
}

/**
 * Reads a resource, decides on an edit and writes it; starts again when another writer was faster. An edit that
 * changes nothing is not written, so version and `updated_at` stay the same.
 * @throws ApiError 404; 409 when `expectedVersion` is not the resource's
 */
export const editRow = <Resource extends Versioned, Reply>({
  caller,
  noun,
  key,
  expectedVersion,
  decide,
  facts = {},
  event,
  present,
}: {
  caller: Caller;
  noun: string;
  key: Key<Resource>;
  expectedVersion?: number | undefined;
  decide: (current: Resource, work: Work) => Promise<ResourceEdit<Resource>> | ResourceEdit<Resource>;
  /** What follows from the resource. */
  facts?: Facts<Resource>;
  /** The event of the change. */
  event?: ((resource: Resource, work: Work) => Write) | undefined;
  /** The reply that the client gets. */
  present: (resource: Resource) => Promise<Reply> | Reply;
}): Promise<Reply> =>
  change(caller, async (work) => {
    const row = await getRow(caller, key);
    if (!row) throw errors.notFound(noun);
    expectVersion(noun, row, expectedVersion);
    const current = withoutKeys(row);
    const { next, writes = [] } = await decide(current, work);
    if (writes.length === 0 && isDeepStrictEqual(next, current))
      return { writes: [], reply: await present(current) };
    const updated = nextVersion(work, current, next);
    return {
      writes: [
        ...resource.replace({ ...facts, noun, keyOf: () => key }, work, current, updated),
        ...writes,
        ...(event ? [event(updated, work)] : []),
      ],
      reply: await present(updated),
    };
  });

/** Edits one resource of a kind, as `editRow` does. The reply is the resource. */
export const edit = <K extends VersionedKind>(
  records: Collection<K>,
  caller: Caller,
  id: string,
  expectedVersion: number | undefined,
  decide: (
    current: Resources[K],
    work: Work,
  ) => Promise<ResourceEdit<Resources[K]>> | ResourceEdit<Resources[K]>,
  event?: (resource: Resources[K], work: Work) => Write,
): Promise<Resources[K]> =>
  editRow<Resources[K], Resources[K]>({
    caller,
    noun: records.noun,
    key: records.key(caller, id),
    expectedVersion,
    decide,
    facts: records,
    event,
    present: (resource) => resource,
  });

/** The resources of one kind: what follows from each, and how they are read. */
export interface Collection<K extends VersionedKind> extends Resource<Resources[K]> {
  kind: K;
  key: (caller: Caller, id: string) => Key<Resources[K]>;
  find: (caller: Caller, id: string) => Promise<Row<Resources[K]> | undefined>;
  /** @throws ApiError 404 */
  get: (caller: Caller, id: string) => Promise<Row<Resources[K]>>;
  /** All resources in creation order, or a page of them. */
  list: <Shown>(
    caller: Caller,
    query: ListQuery,
    filters: Pick<RowQuery<Resources[K]>, 'where'> & { keep?: (resource: Resources[K]) => boolean },
    toResource: (row: Row<Resources[K]>) => Shown,
  ) => Promise<Listing<Shown>>;
}

/** The resources of a kind. @param noun what one is called in errors */
export const collection = <K extends VersionedKind>(
  kind: K,
  noun: string,
  facts: Facts<Resources[K]> = {},
): Collection<K> => {
  const key = (caller: Caller, id: string): Key<Resources[K]> => keys.one(caller, kind, id);
  const find = (caller: Caller, id: string) => getRow(caller, key(caller, id));
  return {
    ...facts,
    kind,
    noun,
    key,
    keyOf: (caller, { id }) => key(caller, id),
    find,
    get: async (caller, id) => {
      const row = await find(caller, id);
      if (!row) throw errors.notFound(noun);
      return row;
    },
    list: async (caller, query, filters, toResource) => {
      const rows = queryRows(caller, {
        partition: keys.all(caller, kind),
        after: readCursor(caller, kind, query),
        updatedSince: query.updated_since,
        where: filters.where,
      });
      return listing(caller, kind, query, kept(rows, filters.keep), (row) => row.sk, toResource);
    },
  };
};

const valueAt = (resource: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], resource);

/**
 * Refuses changes of fields that the source of a synced resource fills: the next sync would overwrite them, or never
 * correct them. All other fields can change.
 * @throws ApiError 409 naming the fields
 */
export const expectSyncedFieldsKept = <Resource extends Partial<Pick<Synced, 'synced_fields'>>>(
  noun: string,
  current: Resource,
  next: Resource,
): void => {
  const changed = (current.synced_fields ?? []).filter(
    (path) => !isDeepStrictEqual(valueAt(current, path), valueAt(next, path)),
  );
  if (changed.length > 0) throw errors.fieldsSynced(noun, changed);
};
