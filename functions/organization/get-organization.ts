import * as organizations from '../../shared/db/organization/organizations.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Organization } from '../../shared/schemas/organization.ts';
import { withLogoUrl } from '../../shared/storage/logo.ts';

export const operation = defineOperation({
  id: 'getOrganization',
  method: 'GET',
  path: '/org',
  summary: 'Get the organization',
  access: 'read',
  success: 200,
  response: Organization,
  grants: ['table:GetItem', 'bucket:GetObject'],
  calls: 2,
});

export const handler = createHandler(operation, async ({ caller }) =>
  withLogoUrl(caller)(await organizations.get(caller)),
);
