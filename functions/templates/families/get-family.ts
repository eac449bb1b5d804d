import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Family } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'getFamily',
  method: 'GET',
  path: '/templates/families/{family_id}',
  summary: 'Get a template family',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ family_id: Uuid }),
  success: 200,
  response: Family,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  families.get(caller, params.family_id),
);
