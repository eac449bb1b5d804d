import type { Readable } from 'node:stream';
import * as errors from '../../base/errors.ts';
import { beginLongReply, endLongReply } from '../../db/organization/long-replies.ts';
import { logLine } from '../log.ts';

/** After how many milliseconds a streamed reply counts as long. */
export const LONG_REPLY = { after: 5_000 };

const logFailure = (error: unknown): void => {
  const { name, message } = error as Error;
  logLine('error', { message: 'a long reply was not counted', error: { name, message } });
};

/**
 * Bounds the replies that a key has in flight. A client that reads slowly keeps a function busy for minutes, and a few
 * hundred of them are all that an account has. Short replies are bounded by the rate limit and cost nothing here; a reply
 * that lasts longer takes one of its key's leases, and is cut off when there is none.
 * @param hash of the key
 * @returns what ends the count of the reply
 */
export const boundReply = (reply: Readable, hash: string): (() => Promise<void>) => {
  let taken: Promise<string | undefined> | undefined;
  const take = async (): Promise<string | undefined> => {
    try {
      const lease = await beginLongReply(hash, Date.now());
      if (lease === undefined) reply.destroy(errors.rateLimitExceeded());
      return lease;
    } catch (error) {
      logFailure(error);
      return undefined;
    }
  };
  const timer = setTimeout(() => {
    taken = take();
  }, LONG_REPLY.after);
  return async () => {
    clearTimeout(timer);
    const lease = await taken;
    if (lease !== undefined) await endLongReply(hash, lease).catch(logFailure);
  };
};
