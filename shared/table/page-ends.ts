import type { Caller } from '../base/caller.ts';
import { keptFrom } from '../base/time.ts';
import { change } from './change.ts';
import type { PageEnd } from './entities/machinery.ts';
import { keys, shards } from './keys.ts';
import { getRows, queryRows } from './rows.ts';
import * as write from './writes.ts';

/** Where a page of a list starts: after a sort key, and then after a number of matching rows. */
export interface PageStart {
  after?: string | undefined;
  skip: number;
  /** The state of the list before any of its rows was read. Without it the page's end is not remembered. */
  epoch?: string;
}

/** How long the end of a page is remembered, in seconds. */
const KEPT = 3_600;

/** Where the page at this offset starts. One call, and a second one when no page has ended there. */
export const find = async (
  caller: Caller,
  counter: 'LOCATION',
  list: string,
  offset: number,
): Promise<PageStart> => {
  const counters = shards().map((shard) => keys.counter(caller, counter, shard));
  const endKey = keys.pageEnd(caller, list, offset);
  const [end, ...counts] = await getRows(caller, [endKey, ...counters]);
  const epoch = counts.map((row) => row?.changes ?? 0).join('.');
  if (offset === 0) return { skip: 0, epoch };
  if (end?.epoch === epoch) return { after: end.after, skip: 0, epoch };
  const earlier = queryRows<PageEnd>(caller, {
    partition: endKey.pk,
    upTo: endKey.sk,
    newestFirst: true,
    where: { epoch: [epoch] },
  });
  for await (const { sk: position, after } of earlier) {
    return { after, skip: offset - Number(position), epoch };
  }
  return { skip: offset, epoch };
};

/** Remembers where the page before this offset ended. A failure only makes the next page slower. */
export const remember = async (caller: Caller, list: string, offset: number, end: PageEnd): Promise<void> => {
  const key = keys.pageEnd(caller, list, offset);
  await change(caller, ({ now }) => ({
    writes: [write.put({ ...key, ...end, ttl: keptFrom(now, KEPT) })],
    reply: undefined,
  })).catch(() => undefined);
};
