import type { Caller } from '../base/caller.ts';
import { keptFrom } from '../base/time.ts';
import type { Work } from './change.ts';
import type { MonthCount } from './entities/machinery.ts';
import { keys, shardOf } from './keys.ts';
import { KEPT_MONTHS, monthOf } from './months.ts';
import { queryRows } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** How long the counts of a month are kept, in seconds. */
const KEPT_SECONDS = (KEPT_MONTHS + 1) * 31 * 86_400;

/**
 * Counts what an organization is billed for, in the transaction in which it happens.
 * @param id of what is counted, which decides the shard
 */
export const countInMonth = (work: Work, id: string, counts: Readonly<Partial<MonthCount>>): Write =>
  write.update(keys.monthCount(work, monthOf(work.now), shardOf(id)), {
    set: { ttl: keptFrom(work.now, KEPT_SECONDS) },
    add: counts,
  });

/** What was counted in a month. One call. @param month such as `2026-03` */
export const countsOfMonth = async (caller: Caller, month: string): Promise<Required<MonthCount>> => {
  const total = { reports: 0, mails: 0 };
  for await (const { reports = 0, mails = 0 } of queryRows(caller, keys.monthCount.range(caller, month))) {
    total.reports += reports;
    total.mails += mails;
  }
  return total;
};
