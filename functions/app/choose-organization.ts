import * as z from 'zod';
import * as errors from '../../shared/base/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { membershipIn, noteSignIn } from '../../shared/organizations/people/memberships.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Session, toSession } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'chooseOrganization',
  method: 'PUT',
  surface: 'app',
  path: '/session',
  summary: 'Choose the organization of the session',
  description: 'One of the organizations that `GET /app/organizations` lists; another one is a `400`.',
  access: 'write',
  roles: 'any',
  body: z.strictObject({ organization_id: Uuid }),
  success: 200,
  response: Session,
});

export const handler = createHandler(operation, async ({ session, body }) => {
  const chosen = await membershipIn(session, body.organization_id);
  if (!chosen) throw errors.referenceNotFound('organization_id');
  const { membership, organization } = chosen;
  await sessions.choose(session, membership);
  await noteSignIn(membership);
  return toSession({ ...session, ...membership }, organization);
});
