import * as errors from '../../base/errors.ts';
import { authenticateKey } from '../../db/organization/authentication.ts';
import type { Operation } from '../operation/operation.ts';
import { header } from '../request/headers.ts';
import type { Middleware } from './chain.ts';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Identifies the caller, counts the request against the key's rate limit, and checks the key's access: 401, then 429,
 * then 403, in the contract's order. A read-only key is refused on every write.
 */
export const authenticate = ({ access }: Operation): Middleware => ({
  before: async ({ event, internal }) => {
    const key = BEARER.exec(header(event, 'authorization') ?? '')?.[1];
    if (key === undefined) throw errors.apiKeyUnknown();
    const caller = await authenticateKey(key, Date.now());
    internal.caller = caller;
    if (access === 'person') throw errors.personRequired();
    if (access === 'write' && caller.access === 'read_only') throw errors.apiKeyReadOnly();
  },
});
