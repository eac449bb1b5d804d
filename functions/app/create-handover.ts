import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as handovers from '../../shared/organizations/handovers.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Handover } from '../../shared/schemas/organization.ts';

export const operation = defineOperation({
  id: 'createHandover',
  method: 'POST',
  surface: 'app',
  path: '/organization/handover',
  summary: 'Name the next owner of the organization',
  description:
    'Only the owner may: `403`. The admin who is named can accept for 7 days, and is the owner then; the former owner stays an admin. Both get a mail of each step.',
  access: 'write',
  roles: ['admin'],
  body: z
    .strictObject({ user_id: Uuid.meta({ description: 'An active admin; anybody else is a `400`.' }) })
    .meta({ id: 'NewHandover' }),
  success: 201,
  response: Handover,
  errors: [409],
});

export const handler = createHandler(operation, ({ body, caller }) => handovers.name(caller, body.user_id));
