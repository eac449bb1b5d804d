import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { leave } from '../../shared/organizations/people/memberships.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'leaveOrganization',
  method: 'POST',
  surface: 'app',
  path: '/me/organizations/{organization_id}/leave',
  summary: 'Leave an organization',
  description:
    'Ends the membership, as if an admin had removed the person: all other sessions in the organization end, and what the person did keeps the user id. If this session was there, it has no organization afterwards. The owner first hands the organization over: `409`.',
  access: 'write',
  roles: 'any',
  params: z.strictObject({ organization_id: Uuid }),
  success: 204,
  response: z.null(),
  errors: [409],
});

export const handler = createHandler(operation, ({ session, params }) =>
  leave(session, params.organization_id),
);
