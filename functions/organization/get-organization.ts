import { toOrganization } from '../../shared/files/logo.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { countWaiting, limitsOf } from '../../shared/notices/waiting-mails.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { OrganizationWithStorage } from '../../shared/schemas/organization.ts';
import { storageUse } from '../../shared/table/stored-bytes.ts';

export const operation = defineOperation({
  id: 'getOrganization',
  method: 'GET',
  path: '/org',
  summary: 'Get the organization',
  access: 'read',
  app: { path: '/organization', roles: ['admin'] },
  success: 200,
  response: OrganizationWithStorage,
});

export const handler = createHandler(operation, async ({ caller }) => {
  const [organization, storage, waiting] = await Promise.all([
    organizations.get(caller),
    storageUse(caller),
    countWaiting(caller),
  ]);
  const mails = { waiting, paused: organization.mails_paused ?? null, max_per_day: limitsOf(organization) };
  return { ...(await toOrganization(caller)(organization)), storage, mails };
});
