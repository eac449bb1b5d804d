import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import type { KeyCaller, PersonCaller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { expectScope, scopeFor } from '../../domain/key-scopes.ts';
import { authenticateKey } from '../../organizations/authentication.ts';
import { MAX_LONG_REPLIES } from '../../organizations/long-replies.ts';
import { countRequest } from '../../organizations/people/requests.ts';
import * as sessions from '../../organizations/people/sessions.ts';
import { Uuid } from '../../schemas/common.ts';
import { keys } from '../../table/keys.ts';
import { getRow } from '../../table/rows.ts';
import type { AppOperation, AppRoles, Operation } from '../operation/operation.ts';
import { isAppOnly, isAppRoute } from '../operation/surface.ts';
import { sessionToken, bearer, checkOrigin, isSafe, wholeHeader } from '../request/event.ts';
import { validated } from '../request/validation.ts';
import type { HttpRequest, Middleware } from './chain.ts';

/**
 * Identifies the caller, counts the request against the key's rate limit, and checks the key's access: 401, then 429,
 * then 403, in the contract's order. A read-only key is refused on every write, and a key with scopes outside them. A
 * streamed reply is refused while the key already gets the maximum of long replies.
 */
const authenticateByKey =
  (operation: Operation, isStreamed: boolean) =>
  async ({ event, internal }: HttpRequest): Promise<void> => {
    const { access } = operation;
    const key = bearer(event);
    if (key === undefined) throw errors.apiKeyUnknown();
    const caller = await authenticateKey(key, Date.now(), event.requestContext.identity.sourceIp);
    internal.key = caller;
    internal.caller = caller;
    if (isStreamed && (caller.long_replies ?? 0) >= MAX_LONG_REPLIES) throw errors.rateLimitExceeded();
    if (access === 'person') throw errors.personRequired();
    if (access === 'write' && caller.access === 'read_only') throw errors.apiKeyReadOnly();
    expectScope(caller, scopeFor(operation));
  };

/**
 * Identifies the person by the cookie of the session and counts the request, then checks that a change comes from a page
 * of ours, and the role in the chosen organization: 401, then 429, then 403. An API key has no effect here, just as a
 * session has none on `/v1`.
 */
const authenticateBySession =
  (roles: AppRoles) =>
  async ({ event, internal }: HttpRequest): Promise<void> => {
    const token = sessionToken(event);
    if (token === undefined) throw errors.sessionRequired();
    const session = await sessions.authenticate(token, Date.now());
    internal.session = session;
    const isChange = !isSafe(event);
    if (!(await countRequest(session.person, isChange, Date.now()))) throw errors.rateLimitExceeded();
    if (roles === 'any') {
      checkOrigin(event);
      return;
    }
    // A session ends with its member. That 401 comes before any 403.
    const caller = await sessions.callerOf(session);
    internal.caller = caller;
    checkOrigin(event);
    if (!roles.includes(caller.role)) throw errors.roleNotAllowed(caller.role);
  };

const rolesOf = (operation: Operation): AppRoles =>
  isAppOnly(operation) ? (operation as AppOperation).roles : (operation.app?.roles ?? operation.people ?? []);

const isByApp = ({ resource }: Pick<APIGatewayProxyEvent, 'resource'>): boolean => isAppRoute(resource);

/** Identifies who calls, by the route of the request, and checks whether they may. */
export const authenticate = (operation: Operation, isStreamed: boolean): Middleware => {
  const byKey = authenticateByKey(operation, isStreamed);
  const bySession = authenticateBySession(rolesOf(operation));
  return { before: (request) => (isByApp(request.event) ? bySession(request) : byKey(request)) };
};

/** In lower case. */
const ON_BEHALF_OF = 'on-behalf-of';
const Header = z.object({ [ON_BEHALF_OF]: Uuid });

/** The user id that the header names. @throws ApiError 422 */
const userIn = (text: string): string => {
  const read = validated('header', Header, { [ON_BEHALF_OF]: text.trim() });
  if ('problems' in read) throw errors.validationFailed(read.problems);
  return read.data[ON_BEHALF_OF];
};

/**
 * The person for whom a key acts. A member who is unknown, of another organization, not active or a key looks the same,
 * so that a key learns nothing. The consent is read with each request, so that its withdrawal counts from the next one
 * on. One read.
 * @throws ApiError 403
 */
const personFor = async (key: KeyCaller, userId: string): Promise<PersonCaller> => {
  const member = await getRow(key, keys.one(key, 'MEMBER', userId));
  if (member?.status !== 'active' || member.role === 'api') throw errors.notOnBehalf();
  if (member.acting_consented_at === null) throw errors.actingNotAllowed();
  const { org_id, key_id, key_maker, cursor_secret } = key;
  return {
    org_id,
    user_id: userId,
    name: member.name,
    role: member.role,
    acted_via_key_id: key_id,
    ...(key_maker !== undefined && { key_maker }),
    ...(cursor_secret !== undefined && { cursor_secret }),
  };
};

/**
 * A key that may act for members names one of them in `On-Behalf-Of`, who then becomes the caller. The request then
 * has the rights that both the key and the member have. An operation that does not take the header refuses it, because
 * it would record the key instead of the person; so does the app, where people act for themselves.
 */
export const actForMember = ({ actsFor }: Operation): Middleware => ({
  before: async ({ event, internal }: HttpRequest) => {
    const text = wholeHeader(event, ON_BEHALF_OF);
    if (text === undefined) return;
    const { key } = internal;
    if (!actsFor || !key) throw errors.onBehalfNotTaken();
    if (!key.act_for_members) throw errors.keyActsForNobody();
    const person = await personFor(key, userIn(text));
    internal.caller = person;
    if (!actsFor.includes(person.role)) throw errors.roleNotAllowed(person.role);
  },
});
