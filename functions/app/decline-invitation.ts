import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'declineInvitation',
  method: 'POST',
  surface: 'app',
  path: '/me/invitations/{organization_id}/decline',
  summary: 'Decline an invitation',
  description:
    'The invited member is removed, and the audit log of the organization says so. It can invite the person again.',
  access: 'write',
  roles: 'any',
  params: z.strictObject({ organization_id: Uuid }),
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ session, params }) =>
  ownInvitations.decline(session, params.organization_id),
);
