import { sha256 } from '../../base/encoding.ts';
import type { VisitCount } from '../table/entities/organization.ts';
import { type Key, keys, nameOfKey } from '../table/keys.ts';
import { writeRow } from '../table/single-write.ts';
import * as write from '../table/writes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How long a count is kept after its period, in milliseconds: clocks differ. */
const KEPT_MS = HOUR_MS;

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
interface Allowance {
  key: Key<VisitCount>;
  most: number;
  /** The end of the period in epoch milliseconds. */
  until: number;
}

/** Counts one more, and says whether it may happen. One call. */
const isAllowed = async ({ key, most, until }: Allowance): Promise<boolean> => {
  const ttl = Math.ceil((until + KEPT_MS) / 1_000);
  const row = await writeRow('system', write.update(key, { set: { ttl }, add: { count: 1 } }));
  const { count } = row!;
  if (count > most) rememberUsedUp(key);
  return count <= most;
};

/**
 * The network of an address: the whole address in IPv4, the first 64 bits in IPv6, because one visitor has all
 * addresses that begin with them (RFC 6177).
 */
const networkOf = (address: string): string => {
  // An IPv4 address may also be written as one of IPv6: `::ffff:192.0.2.1` (RFC 4291, section 2.5.5.2).
  if (!address.includes(':') || address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [start = '', end] = address.toLowerCase().split('::');
  const before = start === '' ? [] : start.split(':');
  const after = end ? end.split(':') : [];
  const zeros = end === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
};

/** How often something may happen: with one link in an hour, and from one network address on a day. */
export interface VisitLimits {
  perLink: number;
  perAddress: number;
}

/** @param what is counted. @param now epoch milliseconds */
const allowancesOf = (
  what: string,
  { token, address }: { token: string; address: string },
  { perLink, perAddress }: VisitLimits,
  now: number,
): { ofLink: Allowance; ofAddress: Allowance } => {
  const [hour, day] = [HOUR_MS, DAY_MS].map((period) => Math.floor(now / period)) as [number, number];
  return {
    ofLink: {
      key: keys.visits(what, 'link', sha256(token), String(hour)),
      most: perLink,
      until: (hour + 1) * HOUR_MS,
    },
    ofAddress: {
      key: keys.visits(what, 'address', networkOf(address), String(day)),
      most: perAddress,
      until: (day + 1) * DAY_MS,
    },
  };
};

/**
 * Whether this process knows that a visit is beyond the limits. It makes no call, so a flood of visits costs little and
 * slows nobody down.
 */
export const isBeyondLimits = (
  operation: string,
  visit: { token: string; address: string },
  limits: VisitLimits,
  now: number,
): boolean =>
  Object.values(allowancesOf(operation, visit, limits, now)).some(({ key }) => usedUp.has(nameOfKey(key)));

/**
 * Counts a visit of a link in this hour, and one from a network address on this day. Both are counted even if the link
 * does not exist, so that the limits do not reveal which links exist. Addresses are not stored: the key of a count is a
 * hash of address and day, and the count is deleted soon after that day.
 * @param operation the id of the requested operation; each has its own counts
 * @param visit the link's token and the client's IP address
 * @returns whether it is within the limits
 */
export const countVisit = async (
  operation: string,
  visit: { token: string; address: string },
  limits: VisitLimits,
  now: number,
): Promise<boolean> => {
  const { ofLink, ofAddress } = allowancesOf(operation, visit, limits, now);
  const [isLinkFree, isAddressFree] = await Promise.all([isAllowed(ofLink), isAllowed(ofAddress)]);
  return isLinkFree && isAddressFree;
};

/** The limits of issue reports. They are counted apart from visits of their page. */
export const MAX_REPORTS: VisitLimits = { perLink: 20, perAddress: 5 };

/**
 * Counts a report before it is made. The address is counted first: a visitor who has used up the address's reports does
 * not use up the link's.
 * @returns whether it may be made
 */
export const countReport = async (
  visit: { token: string; address: string },
  now: number,
): Promise<boolean> => {
  const { ofLink, ofAddress } = allowancesOf('issueReport', visit, MAX_REPORTS, now);
  return (await isAllowed(ofAddress)) && (await isAllowed(ofLink));
};
