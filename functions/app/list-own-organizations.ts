import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { organizationsOf } from '../../shared/organizations/people/memberships.ts';
import { OwnOrganization } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'listOwnOrganizations',
  method: 'GET',
  surface: 'app',
  path: '/organizations',
  summary: 'List the organizations of the person',
  description:
    'The organizations in which the person is an active member, ordered by name. `PUT /app/session` chooses one of them. `GET /app/me/invitations` lists those that invite the person.',
  access: 'read',
  roles: 'any',
  success: 200,
  response: z.array(OwnOrganization),
});

export const handler = createHandler(operation, ({ session }) => organizationsOf(session));
