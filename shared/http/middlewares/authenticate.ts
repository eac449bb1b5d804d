import * as errors from '../../base/errors.ts';
import { authenticateKey } from '../../db/organization/authentication.ts';
import { MAX_LONG_REPLIES } from '../../db/organization/long-replies.ts';
import type { Operation } from '../operation/operation.ts';
import { bearer } from '../request/headers.ts';
import type { Middleware } from './chain.ts';

/**
 * Identifies the caller, counts the request against the key's rate limit, and checks the key's access: 401, then 429,
 * then 403, in the contract's order. A read-only key is refused on every write.
 * A streamed reply is refused while the key has as many long ones as it may.
 */
export const authenticate = ({ access }: Operation, isStreamed: boolean): Middleware => ({
  before: async ({ event, internal }) => {
    const key = bearer(event);
    if (key === undefined) throw errors.apiKeyUnknown();
    const caller = await authenticateKey(key, Date.now());
    internal.caller = caller;
    if (isStreamed && (caller.long_replies ?? 0) >= MAX_LONG_REPLIES) throw errors.rateLimitExceeded();
    if (access === 'person') throw errors.personRequired();
    if (access === 'write' && caller.access === 'read_only') throw errors.apiKeyReadOnly();
  },
});
