import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Work } from './change.ts';
import { keys, shardOf } from './keys.ts';
import { inMonth, monthBefore, monthCounter } from './months.ts';
import { queryRows } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/*
 * The bytes of an organization's files are counted in shards: two unrelated changes rarely meet on one row. The total
 * is read only where a file arrives. Files that arrive at the same moment are each checked against the same total, so
 * together they may exceed the maximum by what is under way at that moment. Each shard knows as well by how much it has
 * changed in a month, so the total at the end of an earlier month is the present one without what came later.
 */

/** Bytes of a gigabyte, as storage is sold. */
export const GIGABYTE = 1_000_000_000;

/** Bytes that an organization may store that has no maximum of its own. */
export const DEFAULT_MAX_STORED_BYTES = 100 * GIGABYTE;

/** A stored file, or several that belong to one resource. */
export interface StoredFile {
  /** The id of the resource, which decides the shard: always the same one for the same file. */
  id: string;
  /** Bytes that were added; negative for bytes that were removed. */
  bytes: number;
}

/**
 * Counts files that were stored, or deleted, in the transaction of the change that makes them part of a resource, or
 * deletes the resource. Whoever stores files of an organization calls this for every one of them, and makes
 * `shared/upkeep/consistency/following.ts` derive the same from the resource's row, so that `org check` can verify
 * the total. Files under `pending/` are not counted, because they are deleted by themselves.
 * @returns one write for each shard whose bytes change; a transaction can hold them only once, so it needs one call
 */
export const countBytes = (work: Work, files: Iterable<StoredFile>): Write[] => {
  const changes = new Map<number, number>();
  for (const { id, bytes } of files) {
    const shard = shardOf(id);
    changes.set(shard, (changes.get(shard) ?? 0) + bytes);
  }
  return [...changes]
    .filter(([, bytes]) => bytes !== 0)
    .map(([shard, bytes]) => {
      const { add, drop } = inMonth('change', work.now, bytes);
      return write.update(keys.storedBytes(work, shard), { add: { bytes, ...add }, drop });
    });
};

/** Bytes that an organization stores, and may store. */
export interface StorageUse {
  used_bytes: number;
  max_bytes: number;
}

/** The bytes that the organization stores. One call, however many files there are. */
export const storageUse = async (caller: Caller): Promise<StorageUse> => {
  let used = 0;
  let most = DEFAULT_MAX_STORED_BYTES;
  for await (const { bytes = 0, max_bytes = most } of queryRows(caller, {
    partition: keys.storedBytes.partition(caller),
  })) {
    used += bytes;
    most = max_bytes;
  }
  return { used_bytes: Math.max(0, used), max_bytes: most };
};

/**
 * The bytes that the organization stored at the end of a month, or at present. One call.
 * @param month such as `2026-03`: the present one, or one of the `KEPT_MONTHS` before it
 */
export const storedAtEndOf = async (caller: Caller, month: string, present: string): Promise<number> => {
  let total = 0;
  for await (const row of queryRows(caller, { partition: keys.storedBytes.partition(caller) })) {
    total += row.bytes ?? 0;
    for (let later = present; later > month; later = monthBefore(later, 1))
      total -= row[monthCounter('change', later)] ?? 0;
  }
  return Math.max(0, total);
};

/** @param more bytes that are to be stored. @throws ApiError 409 when they exceed the maximum */
export const expectRoom = ({ used_bytes, max_bytes }: StorageUse, more: number): void => {
  if (used_bytes + more > max_bytes) throw errors.storageFull(used_bytes, max_bytes, more);
};

/** Checks, before a file is stored, that the organization may store it. One call. @throws ApiError 409 */
export const checkRoom = async (caller: Caller, more: number): Promise<void> =>
  expectRoom(await storageUse(caller), more);
