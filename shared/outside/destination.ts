import { isIP } from 'node:net';
import { optionalEnvironment } from '../base/environment.ts';
import { networkList } from '../base/networks.ts';
import { OutgoingError } from './outgoing-error.ts';
import { resolveHost } from './resolve.ts';

/** IANA IPv4 Special-Purpose Address Registry; multicast and reserved addresses (RFC 1112, RFC 5771). */
const SPECIAL_IPV4 = networkList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * Global unicast addresses (RFC 4291, section 2.4). Everything outside is refused, so addresses that carry one of IPv4
 * (`::ffff:0:0/96`, `64:ff9b::/96`) cannot lead to a private one.
 */
const GLOBAL_IPV6 = networkList(['2000::/3']);

/** IANA IPv6 Special-Purpose Address Registry, within the global unicast addresses. 6to4 and Teredo carry IPv4. */
const SPECIAL_IPV6 = networkList([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

const LOOPBACK_IPV4 = networkList(['127.0.0.0/8']);
const LOOPBACK_IPV6 = networkList(['::1/128']);

/** Whether an IP address is on the internet, and not this machine's, a private network's, or reserved. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 4) return !SPECIAL_IPV4.check(address, 'ipv4');
  return isIP(address) === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
};

/** Whether an IP address is this machine's own. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) === 4
    ? LOOPBACK_IPV4.check(address, 'ipv4')
    : isIP(address) === 6 && LOOPBACK_IPV6.check(address, 'ipv6');

/** Ports below are other protocols' (RFC 6335, section 6), so only the port of https is open there. */
const FIRST_USER_PORT = 1024;
const HTTPS_PORT = 443;

/** Top-level names that no public name server knows (RFC 6761, 6762, 7686, 8375, 9476; ICANN on `.internal`). */
const LOCAL_NAME =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|alt|test|invalid|example)$/;

/** `localhost` and the names below it are this machine, whatever a name server says (RFC 6761, section 6.3). */
const LOOPBACK_NAME = /(^|\.)localhost$/;

/** Only a developer's own machine sets this, so that webhooks can be sent to it. No deployment does. */
const allowsLoopback = (): boolean => optionalEnvironment('ALLOW_LOOPBACK_WEBHOOKS') === '1';

const refused = (why: string): OutgoingError => new OutgoingError('refused', why);

/** The host as a name or an address: without the brackets of IPv6 and without the dot at the end of a full name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const isLoopback = (host: string): boolean =>
  isIP(host) ? isLoopbackAddress(host) : LOOPBACK_NAME.test(host);

/** @throws OutgoingError `refused`, with the reason, for an address that is not on the internet */
const checkAddress = (address: string): void => {
  if (isPublicAddress(address) || (allowsLoopback() && isLoopbackAddress(address))) return;
  throw refused('The address is not on the internet.');
};

/**
 * Reads a URL that a customer has given. The parser (WHATWG URL Standard) has only one spelling for each host: numbers
 * in any base and short forms are dotted addresses after it, and wide or encoded letters are plain ones.
 * @throws OutgoingError `refused`, with the reason, when the service will never call it, whatever its host resolves to
 */
export const parseCustomerUrl = (text: string): URL => {
  const url = URL.parse(text);
  if (!url) throw refused('This is not a URL.');
  const host = hostOf(url);
  const isLocal = allowsLoopback() && isLoopback(host);
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) {
    throw refused('The URL must begin with https://.');
  }
  if (url.username || url.password) throw refused('The URL must have no user name and no password.');
  const port = Number(url.port || HTTPS_PORT);
  if (port !== HTTPS_PORT && port < FIRST_USER_PORT) {
    throw refused(`The port must be ${HTTPS_PORT}, or ${FIRST_USER_PORT} or higher.`);
  }
  if (isIP(host)) checkAddress(host);
  else if (!isLocal && (!host.includes('.') || LOCAL_NAME.test(host))) {
    throw refused('The host is not on the internet.');
  }
  return url;
};

/**
 * The addresses to which a call of a customer's URL may connect. All of them are checked: a name that has a private
 * address beside a public one is refused.
 * @throws OutgoingError `refused`, or `failed` when the host has no address
 */
export const customerAddresses = async (url: URL, signal: AbortSignal): Promise<string[]> => {
  const host = hostOf(url);
  if (isIP(host)) return [host];
  if (LOOPBACK_NAME.test(host)) return ['127.0.0.1', '::1'];
  const addresses = await resolveHost(host, signal).catch((cause: unknown) => {
    throw new OutgoingError('failed', `${host} has no address.`, { cause });
  });
  for (const address of addresses) checkAddress(address);
  return addresses;
};
