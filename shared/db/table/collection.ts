import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { change } from './change.ts';
import { type Key, type Kind, keys } from './keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from './listing.ts';
import { getRow, queryRows, type Row, type RowQuery, withoutKeys } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** What every changeable resource has: the version that a writer read guards what it writes. */
export interface Versioned {
  id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

/** The first state of a resource: its id, which is also its place in creation order, and its times. */
export const newResource = <Fields extends object>(fields: Fields): Fields & Versioned => {
  const now = new Date().toISOString();
  return { id: uuidv7(), ...fields, version: 1, created_at: now, updated_at: now };
};

/** The same resource with these fields, one version on. */
export const nextVersion = <Resource extends Versioned>(
  current: Resource,
  fields: Partial<Resource>,
): Resource => ({
  ...current,
  ...fields,
  version: current.version + 1,
  updated_at: new Date().toISOString(),
});

/** @throws ApiError 409 when the client read another version. */
export const expectVersion = (
  noun: string,
  { version }: { version: number },
  expected: number | undefined,
): void => {
  if (expected !== undefined && expected !== version) {
    throw conflict(`${noun} has version ${version}, not ${expected}`);
  }
};

/** What an edit makes of a resource, with the other rows that change with it. */
export interface Edit<Resource> {
  next: Resource;
  writes?: Write[];
}

/**
 * Reads, decides and writes one resource, again if another writer was faster. What comes out equal is not
 * written: version and `updated_at` stay.
 * @throws ApiError 404; 409 when `expectedVersion` is not the resource's
 */
export const editRow = <Resource extends Versioned, Reply = Resource>({
  caller,
  noun,
  key,
  expectedVersion,
  decide,
  index = () => ({}),
  present = (resource) => resource as unknown as Reply,
}: {
  caller: Caller;
  noun: string;
  key: Key;
  expectedVersion?: number | undefined;
  decide: (current: Resource) => Promise<Edit<Resource>> | Edit<Resource>;
  /** Attributes of the row beside the resource. */
  index?: ((resource: Resource) => object) | undefined;
  /** What the client is told of it, where that is more or less than the resource. */
  present?: (resource: Resource) => Promise<Reply> | Reply;
}): Promise<Reply> =>
  change(caller, async () => {
    const row = await getRow<Resource>(caller, key);
    if (!row) throw notFound(noun);
    expectVersion(noun, row, expectedVersion);
    const current = withoutKeys<Resource>(row);
    const { next, writes = [] } = await decide(current);
    if (writes.length === 0 && isDeepStrictEqual(next, current))
      return { writes: [], reply: await present(current) };
    const updated = nextVersion(current, next);
    return {
      writes: [
        write.replace({ ...(updated as object), ...index(updated), ...key }, current.version),
        ...writes,
      ],
      reply: await present(updated),
    };
  });

/** The access patterns that all resources of a kind share: one by id, all in order, one edited. */
export const collection = <Resource extends Versioned>(kind: Kind, noun: string) => {
  const key = (caller: Caller, id: string): Key => keys.one(caller, kind, id);

  const find = async (caller: Caller, id: string): Promise<Row<Resource> | undefined> =>
    getRow<Resource>(caller, key(caller, id));

  /** @throws ApiError 404 */
  const get = async (caller: Caller, id: string): Promise<Row<Resource>> => {
    const row = await find(caller, id);
    if (!row) throw notFound(noun);
    return row;
  };

  return {
    noun,
    key,
    find,
    get,

    /** Every resource in creation order, or a page of them. */
    list: async <Shown = Resource>(
      caller: Caller,
      query: ListQuery,
      filters: Pick<RowQuery, 'where'> & { keep?: (resource: Resource) => boolean } = {},
      toResource: (row: Row<Resource>) => Shown = (row) => withoutKeys(row) as unknown as Shown,
    ): Promise<Listing<Shown>> => {
      const rows = queryRows<Resource>(caller, {
        partition: keys.all(caller, kind),
        after: readCursor(caller, kind, query),
        updatedSince: query.updated_since,
        where: filters.where,
      });
      return listing(caller, kind, query, kept(rows, filters.keep), (row) => row.sk, toResource);
    },

    /** `editRow` of one resource of the kind. */
    edit: (
      caller: Caller,
      id: string,
      expectedVersion: number | undefined,
      decide: (current: Resource) => Promise<Edit<Resource>> | Edit<Resource>,
      index?: (resource: Resource) => object,
    ): Promise<Resource> => editRow({ caller, noun, key: key(caller, id), expectedVersion, decide, index }),
  };
};

const kept = async function* <Stored>(
  rows: AsyncIterable<Stored>,
  keep?: (row: Stored) => boolean,
): AsyncGenerator<Stored> {
  for await (const row of rows) if (!keep || keep(row)) yield row;
};
