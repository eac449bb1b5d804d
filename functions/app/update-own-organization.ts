import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { allowActing } from '../../shared/organizations/people/memberships.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { OwnOrganization, OwnOrganizationChanges } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'updateOwnOrganization',
  method: 'PATCH',
  surface: 'app',
  path: '/me/organizations/{organization_id}',
  summary: 'Allow keys of an organization to act for the person, or withdraw it',
  description: 'The change applies from the next request of a key.',
  access: 'write',
  roles: 'any',
  params: z.strictObject({ organization_id: Uuid }),
  body: OwnOrganizationChanges,
  success: 200,
  response: OwnOrganization,
});

export const handler = createHandler(operation, ({ session, params, body }) =>
  allowActing(session, params.organization_id, body.allow_acting),
);
