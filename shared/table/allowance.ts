import type { VisitCount } from './entities/organization.ts';
import { type Key, nameOfKey } from './keys.ts';
import { writeRow } from './single-write.ts';
import * as write from './writes.ts';

/** How long a count is kept after its period, in milliseconds: clocks differ. */
const KEPT_MS = 3_600_000;

/**
 * Keys of counts that this process knows to be used up, the oldest first. A count stays used up until its period ends,
 * and the next period has another key.
 */
const usedUp = new Set<string>();
const MAX_USED_UP = 10_000;

const rememberUsedUp = (key: Key): void => {
  for (const oldest of usedUp) {
    if (usedUp.size < MAX_USED_UP) break;
    usedUp.delete(oldest);
  }
  usedUp.add(nameOfKey(key));
};

/** Something that may happen a number of times in a period. */
export interface Allowance {
  key: Key<VisitCount>;
  most: number;
  /** The end of the period in epoch milliseconds. */
  until: number;
}

/** Whether this process knows that an allowance is used up. It makes no call. */
export const isUsedUp = ({ key }: Pick<Allowance, 'key'>): boolean => usedUp.has(nameOfKey(key));

/** Counts one more, and says whether it may happen. One call. */
export const isAllowed = async ({ key, most, until }: Allowance): Promise<boolean> => {
  const ttl = Math.ceil((until + KEPT_MS) / 1_000);
  const row = await writeRow('system', write.update(key, { set: { ttl }, add: { count: 1 } }));
  const { count } = row!;
  if (count > most) rememberUsedUp(key);
  return count <= most;
};

/** The period of a length in which a time lies, as a part of a key, and its end. All in milliseconds. */
export const periodOf = (now: number, length: number): { period: string; until: number } => {
  const period = Math.floor(now / length);
  return { period: String(period), until: (period + 1) * length };
};
