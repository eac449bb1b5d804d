import type { Caller } from '../../base/caller.ts';
import { change } from './change.ts';
import { type Key, keys, shards } from './keys.ts';
import { getRows, queryRows } from './rows.ts';
import * as write from './writes.ts';

/** Where a page of a list starts: behind a sort key, and a number of matching rows further. */
export interface PageStart {
  after?: string | undefined;
  skip: number;
  /** The state of the list, as it was before any of its rows was read; without it no end is remembered. */
  epoch?: string;
}

interface PageEnd {
  after: string;
  epoch: string;
}

/** Seconds. */
const KEPT = 3_600;

const endKey = (caller: Caller, list: string, offset: number): Key => ({
  pk: keys.pageEnds(caller, list),
  sk: String(offset).padStart(16, '0'),
});

/** Where the page at this offset starts. One call, and another where no page has ended just there. */
export const find = async (
  caller: Caller,
  counter: 'LOCATION',
  list: string,
  offset: number,
): Promise<PageStart> => {
  const counters = shards().map((shard) => keys.counter(caller, counter, shard));
  const [end, ...counts] = await getRows<Partial<PageEnd> & { changes?: number }>(caller, [
    endKey(caller, list, offset),
    ...counters,
  ]);
  const epoch = counts.map((row) => row?.changes ?? 0).join('.');
  if (offset === 0) return { skip: 0, epoch };
  if (end?.epoch === epoch) return { after: end.after, skip: 0, epoch };
  const { pk, sk } = endKey(caller, list, offset);
  const earlier = queryRows<PageEnd>(caller, {
    partition: pk,
    upTo: sk,
    newestFirst: true,
    where: { epoch: [epoch] },
  });
  for await (const { sk: position, after } of earlier) {
    return { after, skip: offset - Number(position), epoch };
  }
  return { skip: offset, epoch };
};

/** Remembers where the page before this offset ended. What cannot be remembered costs a skip, nothing else. */
export const remember = async (
  caller: Caller,
  list: string,
  offset: number,
  end: { after: string; epoch: string },
): Promise<void> => {
  const ttl = Math.floor(Date.now() / 1_000) + KEPT;
  const row = { ...endKey(caller, list, offset), ...end, ttl };
  await change(caller, () => ({ writes: [write.put(row)], reply: undefined })).catch(() => undefined);
};
