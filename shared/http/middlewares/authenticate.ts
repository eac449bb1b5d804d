import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as errors from '../../base/errors.ts';
import { authenticateKey } from '../../db/organization/authentication.ts';
import { MAX_LONG_REPLIES } from '../../db/organization/long-replies.ts';
import * as sessions from '../../db/people/sessions.ts';
import type { AppOperation, AppRoles, Operation } from '../operation/operation.ts';
import { isAppOnly, isAppRoute } from '../operation/surface.ts';
import { sessionToken } from '../request/cookies.ts';
import { bearer } from '../request/headers.ts';
import { checkOrigin } from '../request/origin.ts';
import type { HttpRequest, Middleware } from './chain.ts';

/**
 * Identifies the caller, counts the request against the key's rate limit, and checks the key's access: 401, then 429,
 * then 403, in the contract's order. A read-only key is refused on every write.
 * A streamed reply is refused while the key has as many long ones as it may.
 */
const authenticateByKey =
  ({ access }: Operation, isStreamed: boolean) =>
  async ({ event, internal }: HttpRequest): Promise<void> => {
    const key = bearer(event);
    if (key === undefined) throw errors.apiKeyUnknown();
    const caller = await authenticateKey(key, Date.now());
    internal.key = caller;
    internal.caller = caller;
    if (isStreamed && (caller.long_replies ?? 0) >= MAX_LONG_REPLIES) throw errors.rateLimitExceeded();
    if (access === 'person') throw errors.personRequired();
    if (access === 'write' && caller.access === 'read_only') throw errors.apiKeyReadOnly();
  };

/**
 * Identifies the person by the cookie of the session, then checks that a change comes from a page of ours, and the role in
 * the chosen organization: 401, then 403. An API key means nothing here, as a session means nothing on `/v1`.
 */
const authenticateBySession =
  (roles: AppRoles) =>
  async ({ event, internal }: HttpRequest): Promise<void> => {
    const token = sessionToken(event);
    if (token === undefined) throw errors.sessionRequired();
    const session = await sessions.authenticate(token, Date.now());
    internal.session = session;
    if (roles === 'any') {
      checkOrigin(event);
      return;
    }
    // Whether the session has ended with its member comes before whether the request may be made.
    const caller = await sessions.callerOf(session);
    internal.caller = caller;
    checkOrigin(event);
    if (!roles.includes(caller.role)) throw errors.roleNotAllowed(caller.role);
  };

const rolesOf = (operation: Operation): AppRoles =>
  isAppOnly(operation) ? (operation as AppOperation).roles : (operation.app?.roles ?? []);

const isByApp = ({ resource }: Pick<APIGatewayProxyEvent, 'resource'>): boolean => isAppRoute(resource);

/** Identifies who calls, by the route of the request, and checks whether they may. */
export const authenticate = (operation: Operation, isStreamed: boolean): Middleware => {
  const byKey = authenticateByKey(operation, isStreamed);
  const bySession = authenticateBySession(rolesOf(operation));
  return { before: (request) => (isByApp(request.event) ? bySession(request) : byKey(request)) };
};
