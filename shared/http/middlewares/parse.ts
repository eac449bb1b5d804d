import type { Operation } from '../operation/operation.ts';
import { parseRequest } from '../request/parse.ts';
import type { Middleware } from './chain.ts';

/** Checks the request against the operation's declaration. @throws ApiError 400 or 422 */
export const parse = (operation: Operation): Middleware => ({
  before: ({ event, internal }) => {
    internal.parsed = parseRequest(operation, event);
  },
});
