import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as profiles from '../../shared/organizations/me/profiles.ts';
import { PATCH_DESCRIPTION } from '../../shared/schemas/common.ts';
import { PersonProfile, ProfileChanges } from '../../shared/schemas/profile.ts';

export const operation = defineOperation({
  id: 'updateOwnProfile',
  method: 'PATCH',
  surface: 'app',
  path: '/profile',
  summary: "Update the person's profile",
  description: `${PATCH_DESCRIPTION} The list of members shows this name.`,
  access: 'write',
  roles: ['admin', 'approver', 'inspector'],
  body: ProfileChanges,
  success: 200,
  response: PersonProfile,
});

export const handler = createHandler(operation, ({ body, caller }) => profiles.update(caller, body));
