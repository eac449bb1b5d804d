import * as errors from '../../shared/base/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { chosenOrganization } from '../../shared/organizations/people/memberships.ts';
import { Session, toSession } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'getSession',
  method: 'GET',
  surface: 'app',
  path: '/session',
  summary: 'Get the session',
  description:
    'Who has signed in, and in which organization they act. `organization` is null before one is chosen.',
  access: 'read',
  roles: 'any',
  success: 200,
  response: Session,
});

export const handler = createHandler(operation, async ({ session }) => {
  const organization = await chosenOrganization(session);
  if (organization === undefined) throw errors.sessionRequired();
  return toSession(session, organization);
});
