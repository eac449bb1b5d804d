import * as profiles from '../../shared/db/me/profiles.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Profile } from '../../shared/schemas/profile.ts';

export const operation = defineOperation({
  id: 'getMyProfile',
  method: 'GET',
  path: '/me/profile',
  summary: "Get the caller's profile",
  access: 'read',
  success: 200,
  response: Profile,
});

export const handler = createHandler(operation, ({ caller }) => profiles.get(caller));
