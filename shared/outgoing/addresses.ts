import { BlockList, isIP } from 'node:net';

const listOf = (type: 'ipv4' | 'ipv6', blocks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const block of blocks) {
    const [network, prefix] = block.split('/');
    list.addSubnet(network!, Number(prefix), type);
  }
  return list;
};

/** IANA IPv4 Special-Purpose Address Registry; multicast and reserved addresses (RFC 1112, RFC 5771). */
const SPECIAL_IPV4 = listOf('ipv4', [
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
const GLOBAL_IPV6 = listOf('ipv6', ['2000::/3']);

/** IANA IPv6 Special-Purpose Address Registry, within the global unicast addresses. 6to4 and Teredo carry IPv4. */
const SPECIAL_IPV6 = listOf('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

const LOOPBACK_IPV4 = listOf('ipv4', ['127.0.0.0/8']);
const LOOPBACK_IPV6 = listOf('ipv6', ['::1/128']);

/** Whether an IP address is one of the internet, and not of this machine, of a private network or of no machine. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 4) return !SPECIAL_IPV4.check(address, 'ipv4');
  return isIP(address) === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
};

/** Whether an IP address is one by which this machine calls itself. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) === 4
    ? LOOPBACK_IPV4.check(address, 'ipv4')
    : isIP(address) === 6 && LOOPBACK_IPV6.check(address, 'ipv6');
