import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as profiles from '../../shared/organizations/me/profiles.ts';
import { PersonProfile } from '../../shared/schemas/profile.ts';

export const operation = defineOperation({
  id: 'getOwnProfile',
  method: 'GET',
  surface: 'app',
  path: '/profile',
  summary: "Get the person's profile",
  access: 'read',
  roles: ['admin', 'approver', 'inspector'],
  success: 200,
  response: PersonProfile,
});

export const handler = createHandler(operation, ({ caller }) => profiles.get(caller));
