import * as z from 'zod';
import { publicUrl } from '../../shared/base/environment.ts';
import * as errors from '../../shared/base/errors.ts';
import { createBrowserHandler, endOfAttempt, readAttempt } from '../../shared/http/browser-handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { redirect } from '../../shared/http/operation/responses.ts';
import { SESSION_COOKIE, sessionToken, setCookie, wholeHeader } from '../../shared/http/request/event.ts';
import { admit, noteSignIn } from '../../shared/organizations/people/memberships.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import { followInvitation, inviteeOf } from '../../shared/organizations/people/own-invitations.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { finishSignIn } from '../../shared/outside/identity-provider.ts';
import type { OwnInvitation } from '../../shared/schemas/session.ts';
import type { FollowedInvitation, Membership } from '../../shared/table/entities/organization.ts';

export const operation = defineOperation({
  id: 'finishSignIn',
  method: 'GET',
  surface: 'browser',
  path: '/sign-in/callback',
  summary: 'Begin a session, when the identity provider has sent the browser back',
  query: z.object({}),
  success: 302,
  response: redirect('Where the sign-in was begun for.'),
  callsProvider: true,
});

/** Whether a link leads to an invitation of the person, or to one that they have joined. */
const leadsSomewhere = (
  { org_id }: FollowedInvitation,
  memberships: readonly Membership[],
  invited: readonly OwnInvitation[],
): boolean =>
  memberships.some((membership) => membership.org_id === org_id) ||
  invited.some(({ organization_id }) => organization_id === org_id);

/**
 * Where the session begins: in the only organization, or in the one where the person's former session was. Somebody in
 * several organizations chooses one otherwise. An invitation changes nothing about it.
 */
const chosenOf = (
  memberships: readonly Membership[],
  former: Pick<sessions.Session, 'org_id' | 'user_id'> | undefined,
): Membership | null =>
  memberships.length === 1
    ? memberships[0]!
    : (memberships.find(({ org_id, user_id }) => org_id === former?.org_id && user_id === former.user_id) ??
      null);

export const handler = createBrowserHandler(operation, async ({ event, parameters }) => {
  const attempt = readAttempt(event);
  if (!attempt) throw errors.signInFailed();
  const identity = await finishSignIn(parameters, attempt);
  const followed = attempt.invitation ? await followInvitation(attempt.invitation) : undefined;
  const now = Date.now();
  const memberships = await admit(identity, now);
  const invited = await ownInvitations.list(inviteeOf(identity, followed), now);
  if (followed && !leadsSomewhere(followed, memberships, invited)) throw errors.invitationNotYours();
  if (memberships.length === 0 && invited.length === 0) throw errors.noMembership();
  // A session that the browser brings is never taken over: whoever planted it would share the new one.
  const token = sessionToken(event);
  const former = token === undefined ? undefined : await sessions.find(token, now);
  if (token !== undefined) await sessions.endByToken(token);
  const membership = chosenOf(memberships, former);
  const begun = await sessions.begin(identity, membership, now, followed, wholeHeader(event, 'user-agent'));
  if (membership) await noteSignIn(membership);
  return {
    location: publicUrl(attempt.returnTo.slice(1)),
    cookies: [setCookie(SESSION_COOKIE, begun.token, sessions.MAX_SESSION_MS / 1_000), endOfAttempt()],
  };
});
