import { toOrganization } from '../../shared/files/logo.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { PATCH_DESCRIPTION } from '../../shared/schemas/common.ts';
import { Organization, OrganizationChanges } from '../../shared/schemas/organization.ts';

export const operation = defineOperation({
  id: 'updateOrganization',
  method: 'PATCH',
  path: '/org',
  summary: 'Update the organization',
  description: `${PATCH_DESCRIPTION} Separate operations change the logo. \`four_eyes_verification\` grants rights: a request of an API key that changes it is a \`403\`. Nobody can change \`owner_user_id\` here (\`403\`): the owner hands the organization over in the app, to an admin who accepts. Sending the current value changes nothing. If a new \`reply_to_email\` does not belong to an active member, its owner is asked by a mail, and it is used once they have agreed: see \`reply_to_confirmed\`.`,
  access: 'write',
  app: { path: '/organization', roles: ['admin'] },
  body: OrganizationChanges,
  success: 200,
  response: Organization,
});

export const handler = createHandler(operation, ({ body, caller, expectedVersion }) =>
  organizations.update(caller, body, expectedVersion, toOrganization(caller)),
);
