import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { signOutUrl } from '../../shared/outside/identity-provider.ts';

export const operation = defineOperation({
  id: 'signOut',
  method: 'POST',
  surface: 'app',
  path: '/sign-out',
  summary: 'Sign out',
  description:
    'Ends the session with immediate effect. To sign out at the identity provider as well, send the browser to `redirect_url`.',
  access: 'write',
  roles: 'any',
  success: 200,
  response: z.strictObject({
    redirect_url: z
      .url()
      .nullable()
      .meta({ description: 'The page of the provider for signing out; null where it has none.' }),
  }),
  callsProvider: true,
});

export const handler = createHandler(operation, async ({ session }) => {
  await sessions.end(session.hash);
  // The session has ended, whether the provider can be reached or not.
  return { redirect_url: await signOutUrl().catch(() => null) };
});
