import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as profiles from '../../shared/organizations/me/profiles.ts';
import { OwnProfile } from '../../shared/schemas/profile.ts';

export const operation = defineOperation({
  id: 'getMyProfile',
  method: 'GET',
  path: '/me/profile',
  summary: "Get the caller's profile",
  access: 'read',
  people: ['admin', 'approver', 'inspector'],
  actsFor: ['admin', 'approver', 'inspector'],
  success: 200,
  response: OwnProfile,
});

export const handler = createHandler(operation, ({ caller }) => profiles.get(caller));
