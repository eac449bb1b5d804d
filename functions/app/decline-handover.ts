import { toOrganization } from '../../shared/files/logo.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as handovers from '../../shared/organizations/handovers.ts';
import { Organization } from '../../shared/schemas/organization.ts';

export const operation = defineOperation({
  id: 'declineHandover',
  method: 'POST',
  surface: 'app',
  path: '/organization/handover/decline',
  summary: 'Decline to become the owner',
  description: 'Only the admin whom the owner has named may do this. Anybody else gets a `403`.',
  access: 'write',
  roles: ['admin'],
  success: 200,
  response: Organization,
  errors: [404],
});

export const handler = createHandler(operation, ({ caller }) =>
  handovers.decline(caller, toOrganization(caller)),
);
