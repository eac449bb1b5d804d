import { sha256 } from '../../base/encoding.ts';
import { type Allowance, isAllowed, isUsedUp, periodOf } from '../../table/allowance.ts';
import { keys } from '../../table/keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

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

/** How often something may happen. */
export interface VisitLimits {
  /** With one link in an hour. */
  perLink: number;
  /** From one network on a day. */
  perAddress: number;
  /** Many follow such a link. One network gets a share of it, so that nobody uses up the others' visits. */
  isShared?: true;
}

/** Who follows which link. */
interface Follower {
  token: string;
  /** The client's IP address. */
  address: string;
}

/** What a link allows in an hour to all. @param what is counted. @param now epoch milliseconds */
const ofLink = (what: string, { token }: Follower, most: number, now: number): Allowance => {
  const { period, until } = periodOf(now, HOUR_MS);
  return { key: keys.visits(what, 'link', sha256(token), period), most, until };
};

/** The part of what a link allows in an hour that one network gets. */
const SHARE = 1 / 5;

/** What a link allows in an hour to one network. @param perLink to all */
const ofShare = (what: string, { token, address }: Follower, perLink: number, now: number): Allowance => {
  const { period, until } = periodOf(now, HOUR_MS);
  const key = keys.visits(what, 'share', `${sha256(token)} ${networkOf(address)}`, period);
  return { key, most: Math.ceil(perLink * SHARE), until };
};

/** What one network may do on a day with all links, and in an hour with this one. */
const ofNetwork = (
  what: string,
  follower: Follower,
  { perLink, perAddress, isShared }: VisitLimits,
  now: number,
): Allowance[] => {
  const { period, until } = periodOf(now, DAY_MS);
  const key = keys.visits(what, 'address', networkOf(follower.address), period);
  return [{ key, most: perAddress, until }, ...(isShared ? [ofShare(what, follower, perLink, now)] : [])];
};

/**
 * Whether this process knows that a visit is beyond the limits. It makes no call, so a flood of visits costs little and
 * slows nobody down.
 */
export const isBeyondLimits = (
  operation: string,
  visit: Follower,
  limits: VisitLimits,
  now: number,
): boolean =>
  [...ofNetwork(operation, visit, limits, now), ofLink(operation, visit, limits.perLink, now)].some(isUsedUp);

/**
 * Counts a visit from a network on this day and, of a link that many follow, in this hour; then one of the link. A visit
 * that is refused for its network uses up none of such a link's. All are counted even if the link does not exist, so that
 * the limits do not reveal which links exist. Addresses are not stored: the key of a count is a hash of address and
 * period, and the count is deleted soon after that period.
 * @param operation the id of the requested operation; each has its own counts
 * @param visit the link's token and the client's IP address
 * @returns whether it is within the limits
 */
export const countVisit = async (
  operation: string,
  visit: Follower,
  limits: VisitLimits,
  now: number,
): Promise<boolean> => {
  const countOfLink = () => isAllowed(ofLink(operation, visit, limits.perLink, now));
  const network = ofNetwork(operation, visit, limits, now);
  // Nobody else is kept from a link that one person follows, so its counts need not wait for one another.
  if (!limits.isShared) return (await Promise.all([countOfLink(), ...network.map(isAllowed)])).every(Boolean);
  return (await Promise.all(network.map(isAllowed))).every(Boolean) && countOfLink();
};

/** How often a network may report that has used up its share of a link, in milliseconds. */
const TURN_MS = 300_000;

/**
 * Counts a report before it is made. A network with many people behind one address can go on beyond its share of the
 * link, one report at a time.
 * @param perHour what the link allows in an hour
 * @returns `wait` for a network that has to wait for its turn, and `full` for a link whose reports are used up
 */
export const countReport = async (
  visit: Follower,
  perHour: number,
  now: number,
): Promise<'counted' | 'wait' | 'full'> => {
  const what = 'issueReport';
  const share = ofShare(what, visit, perHour, now);
  const { period, until } = periodOf(now, TURN_MS);
  const key = keys.visits(what, 'turn', `${sha256(visit.token)} ${networkOf(visit.address)}`, period);
  const hasTurn = (await isAllowed(share)) || (await isAllowed({ key, most: 1, until }));
  if (!hasTurn) return 'wait';
  return (await isAllowed(ofLink(what, visit, perHour, now))) ? 'counted' : 'full';
};
