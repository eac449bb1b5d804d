import { countWaiting, limitsOf } from '../../shared/db/notifications/waiting-mails.ts';
import * as organizations from '../../shared/db/organization/organizations.ts';
import { storageUse } from '../../shared/db/table/stored-bytes.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { OrganizationWithStorage } from '../../shared/schemas/organization.ts';
import { toOrganization } from '../../shared/storage/logo.ts';

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
