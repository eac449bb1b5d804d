import { BlockList, isIPv6 } from 'node:net';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** A list of networks. @param networks in CIDR notation (RFC 4632, RFC 4291), or single addresses */
export const networkList = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [start = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(start, familyOf(start));
    else list.addSubnet(start, Number(bits), familyOf(start));
  }
  return list;
};

/** Whether an IP address is in a network of the list. One of IPv4 is the same as the one of IPv6 that carries it. */
export const isWithin = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));
