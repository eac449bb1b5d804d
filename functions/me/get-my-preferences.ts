import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as preferences from '../../shared/organizations/me/preferences.ts';
import { Preferences } from '../../shared/schemas/preferences.ts';

export const operation = defineOperation({
  id: 'getMyPreferences',
  method: 'GET',
  path: '/me/preferences',
  summary: "Get the caller's preferences",
  access: 'read',
  actsFor: ['admin', 'approver', 'inspector'],
  app: { path: '/preferences', roles: ['admin', 'approver', 'inspector'] },
  success: 200,
  response: Preferences,
});

export const handler = createHandler(operation, ({ caller }) => preferences.get(caller));
