import * as z from 'zod';
import { createBrowserHandler, attemptCookie, returnPath } from '../../shared/http/browser-handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { redirect } from '../../shared/http/operation/responses.ts';
import { newAttempt, signInUrl } from '../../shared/outside/identity-provider.ts';

export const operation = defineOperation({
  id: 'startSignIn',
  method: 'GET',
  surface: 'browser',
  path: '/sign-in',
  summary: 'Begin to sign in, at the identity provider',
  query: z.object({
    return_to: z.string().optional(),
    invitation: z.string().optional(),
    anew: z.string().optional(),
  }),
  success: 302,
  response: redirect('The identity provider. `return_to` is a path of the service.'),
  callsProvider: true,
});

export const handler = createBrowserHandler(operation, async ({ query }) => {
  const attempt = newAttempt();
  const { return_to, invitation, anew } = query;
  return {
    location: await signInUrl(attempt, anew !== undefined),
    cookies: [attemptCookie({ ...attempt, returnTo: returnPath(return_to), invitation })],
  };
});
