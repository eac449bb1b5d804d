import { Resolver } from 'node:dns/promises';

/** How long one attempt to resolve a name may take, in milliseconds, and how many attempts there are. */
const ATTEMPT = { timeout: 1_000, tries: 2 };

/**
 * All addresses of a host, IPv4 first. It asks the name servers directly: the system's own resolver cannot be stopped,
 * and a few slow names would hold up all others.
 * @param signal ends the search
 * @throws Error when no name server knows an address
 */
export const resolveHost = async (host: string, signal: AbortSignal): Promise<string[]> => {
  const resolver = new Resolver(ATTEMPT);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
