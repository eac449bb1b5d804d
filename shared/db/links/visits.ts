import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../base/environment.ts';
import { systemClient } from '../table/client.ts';
import type { VisitCount } from '../table/entities.ts';
import { type Key, keys, sha256 } from '../table/keys.ts';
import { retrying } from '../table/retry.ts';
import { TABLE } from '../table/table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How long a count is kept after its period, in milliseconds: clocks differ. */
const KEPT_MS = HOUR_MS;

/** Counts one more visit. @param until epoch milliseconds, the end of the period @returns the number so far */
const countOne = async (key: Key<VisitCount>, until: number): Promise<number> => {
  const { Attributes } = await retrying('The database', () =>
    systemClient().send(
      new UpdateCommand({
        TableName: environment('TABLE_NAME'),
        Key: key,
        UpdateExpression: 'SET #ttl = :ttl ADD #count :one',
        ExpressionAttributeNames: { '#ttl': TABLE.timeToLive, '#count': 'count' },
        ExpressionAttributeValues: { ':ttl': Math.ceil((until + KEPT_MS) / 1_000), ':one': 1 },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
  );
  // The SDK does not know attributes' types; `ADD` leaves a number.
  return Attributes?.['count'] as number;
};

/**
 * The network of an address: the address itself in IPv4, the first 64 bits in IPv6, of which one visitor has all others
 * (RFC 6177).
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

/**
 * Counts a visit of a link in this hour, and one from a network address on this day. Both are counted whether the link
 * exists or not, so that no limit tells a known link from an unknown one. Addresses are not stored: a count stands under a
 * hash of address and day, and is deleted soon after that day.
 * @param operation the id of what is requested; each is counted for itself
 * @param address the client's IP address
 * @returns the number of visits so far, this one included
 */
export const countVisit = async (
  operation: string,
  token: string,
  address: string,
  now: number,
): Promise<{ ofLink: number; fromAddress: number }> => {
  const [hour, day] = [HOUR_MS, DAY_MS].map((period) => Math.floor(now / period)) as [number, number];
  const [ofLink, fromAddress] = await Promise.all([
    countOne(keys.visits(operation, 'link', sha256(token), String(hour)), (hour + 1) * HOUR_MS),
    countOne(keys.visits(operation, 'address', networkOf(address), String(day)), (day + 1) * DAY_MS),
  ]);
  return { ofLink, fromAddress };
};

/** The name under which reports are counted, apart from the visits of their page. */
const REPORTS = 'issueReport';

/** Reports by one link in an hour, and from one network address on a day. */
export const MAX_REPORTS = { perLink: 20, perAddress: 5 };

/**
 * Counts a report that is about to be made. One call, or two. The address comes first: whoever has used up its reports
 * uses up none of the link's.
 * @param address the client's IP address, which is not stored
 * @returns whether it may be made
 */
export const countReport = async (token: string, address: string, now: number): Promise<boolean> => {
  const [hour, day] = [HOUR_MS, DAY_MS].map((period) => Math.floor(now / period)) as [number, number];
  const ofAddress = keys.visits(REPORTS, 'address', networkOf(address), String(day));
  if ((await countOne(ofAddress, (day + 1) * DAY_MS)) > MAX_REPORTS.perAddress) return false;
  const ofLink = keys.visits(REPORTS, 'link', sha256(token), String(hour));
  return (await countOne(ofLink, (hour + 1) * HOUR_MS)) <= MAX_REPORTS.perLink;
};
