import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Joining, OwnOrganization } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'joinOrganization',
  method: 'POST',
  surface: 'app',
  path: '/me/invitations/{organization_id}/join',
  summary: 'Join an organization',
  description:
    'The person becomes an active member of an organization that invites them. A session without an organization acts there from then on; any other session stays where it is.',
  access: 'write',
  roles: 'any',
  params: z.strictObject({ organization_id: Uuid }),
  body: Joining,
  success: 200,
  response: OwnOrganization,
  errors: [409],
});

export const handler = createHandler(operation, ({ session, params, body }) =>
  ownInvitations.join(session, params.organization_id, body.allow_acting),
);
