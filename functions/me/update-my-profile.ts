import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as profiles from '../../shared/organizations/me/profiles.ts';
import { PATCH_DESCRIPTION } from '../../shared/schemas/common.ts';
import { OwnProfile, ProfileChanges } from '../../shared/schemas/profile.ts';

export const operation = defineOperation({
  id: 'updateMyProfile',
  method: 'PATCH',
  path: '/me/profile',
  summary: "Update the caller's profile",
  description: `${PATCH_DESCRIPTION} The list of members shows this name. The API key keeps the label that it was created with.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  body: ProfileChanges,
  success: 200,
  response: OwnProfile,
});

export const handler = createHandler(operation, ({ body, caller }) => profiles.update(caller, body));
