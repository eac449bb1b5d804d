import type { Caller } from '../base/caller.ts';
import { keys } from '../table/keys.ts';
import { countsOfMonth } from '../table/month-counts.ts';
import { monthCounter, monthOf } from '../table/months.ts';
import { getSystemRows, queryRows } from '../table/rows.ts';
import { storedAtEndOf } from '../table/stored-bytes.ts';

/** What an organization has used in a month. */
export interface MonthUsage {
  /** Requests of keys that were let through. */
  requests: number;
  /** Bytes of files at the end of the month, or at present. */
  storage_bytes: number;
  /** Reports that were rendered. */
  reports: number;
  /** Recipients of mails. */
  mails: number;
}

/** Requests of all keys in a month. One call for each hundred keys. A key's own row has those of its former secrets. */
const requestsIn = async (caller: Caller, month: string): Promise<number> => {
  const entries = await Array.fromAsync(queryRows(caller, { partition: keys.all(caller, 'KEY') }));
  const rows = await getSystemRows(entries.map(({ hash }) => keys.apiKey(hash)));
  const counter = monthCounter('requests', month);
  return rows.reduce((sum, row) => sum + (row?.[counter] ?? 0), 0);
};

/**
 * What an organization has used in a month, from counters: the number of calls does not depend on how much that is.
 * @param month of UTC, such as `2026-03`: the present one, or one of the `KEPT_MONTHS` before it
 */
export const usageOf = async (caller: Caller, month: string, now: Date): Promise<MonthUsage> => {
  const [requests, storage_bytes, counts] = await Promise.all([
    requestsIn(caller, month),
    storedAtEndOf(caller, month, monthOf(now.toISOString())),
    countsOfMonth(caller, month),
  ]);
  return { requests, storage_bytes, ...counts };
};
