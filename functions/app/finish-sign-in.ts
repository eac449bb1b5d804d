import * as z from 'zod';
import { publicUrl } from '../../shared/base/environment.ts';
import * as errors from '../../shared/base/errors.ts';
import { admit, followInvitation, noteSignIn } from '../../shared/db/people/memberships.ts';
import * as sessions from '../../shared/db/people/sessions.ts';
import { createBrowserHandler, endOfAttempt, readAttempt } from '../../shared/http/browser-handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { redirect } from '../../shared/http/operation/responses.ts';
import { SESSION_COOKIE, sessionToken, setCookie } from '../../shared/http/request/event.ts';
import { finishSignIn } from '../../shared/sign-in/provider.ts';

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

export const handler = createBrowserHandler(operation, async ({ event, parameters }) => {
  const attempt = readAttempt(event);
  if (!attempt) throw errors.signInFailed();
  const identity = await finishSignIn(parameters, attempt);
  const followed = attempt.invitation ? await followInvitation(attempt.invitation) : undefined;
  const now = Date.now();
  const { memberships, invited } = await admit(identity, followed, now);
  if (followed && !invited) throw errors.invitationNotYours();
  if (memberships.length === 0) throw errors.noMembership();
  // Somebody in several organizations chooses one, unless an invitation has just led to one of them.
  const membership = invited ?? (memberships.length === 1 ? memberships[0]! : null);
  // A session that the browser brings is never taken over: whoever planted it would share the new one.
  const former = sessionToken(event);
  if (former !== undefined) await sessions.endByToken(former);
  const { token } = await sessions.begin(identity, membership, now);
  if (membership) await noteSignIn(membership);
  return {
    location: publicUrl(attempt.returnTo.slice(1)),
    cookies: [setCookie(SESSION_COOKIE, token, sessions.MAX_SESSION_MS / 1_000), endOfAttempt()],
  };
});
