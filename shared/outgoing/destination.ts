import { isIP } from 'node:net';
import { optionalEnvironment } from '../base/environment.ts';
import { isLoopbackAddress, isPublicAddress } from './addresses.ts';
import { OutgoingError } from './outgoing-error.ts';
import { resolveHost } from './resolve.ts';

/** Ports below are other protocols' (RFC 6335, section 6), so only the port of https is open there. */
const FIRST_USER_PORT = 1024;
const HTTPS_PORT = 443;

/** Top-level names that no public name server knows (RFC 6761, 6762, 7686, 8375, 9476; ICANN on `.internal`). */
const LOCAL_NAME =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|alt|test|invalid|example)$/;

/** `localhost` and the names below it are this machine, whatever a name server says (RFC 6761, section 6.3). */
const LOOPBACK_NAME = /(^|\.)localhost$/;

/** A developer's webhooks end on the developer's own machine. No deployment sets this. */
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
 * The addresses that may be connected to for a customer's URL. All of them are checked, so a name that leads to a private
 * address besides a public one is refused.
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
