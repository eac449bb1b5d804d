import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as preferences from '../../shared/organizations/me/preferences.ts';
import { PATCH_DESCRIPTION } from '../../shared/schemas/common.ts';
import { Preferences, PreferencesChanges } from '../../shared/schemas/preferences.ts';

export const operation = defineOperation({
  id: 'updateMyPreferences',
  method: 'PATCH',
  path: '/me/preferences',
  summary: "Update the caller's preferences",
  description: `${PATCH_DESCRIPTION} \`ui\` is replaced as a whole. Each notification preference is changed by itself.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  app: { path: '/preferences', roles: ['admin', 'approver', 'inspector'] },
  body: PreferencesChanges,
  success: 200,
  response: Preferences,
});

export const handler = createHandler(operation, ({ body, caller }) => preferences.update(caller, body));
