import { forbidden, personNeeded, unauthorized } from '../base/errors.ts';
import { authenticateKey } from '../db/organization/authentication.ts';
import type { Middleware } from './chain.ts';
import type { Operation } from './operation.ts';
import { header } from './parse.ts';

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Who is calling, within the rate, and whether that key may: 401, then 429, then 403, in the contract's order.
 * The scope of a key's access is enforced on every write.
 */
export const authenticate = ({ access }: Operation): Middleware => ({
  before: async ({ event, internal }) => {
    const key = BEARER.exec(header(event, 'authorization') ?? '')?.[1];
    if (key === undefined) throw unauthorized('missing, malformed or unknown API key');
    const caller = await authenticateKey(key, Date.now());
    internal.caller = caller;
    if (access === 'person') throw personNeeded();
    if (access === 'write' && caller.access === 'read_only') throw forbidden('this API key is read only');
  },
});
