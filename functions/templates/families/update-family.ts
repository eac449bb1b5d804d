import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../../shared/schemas/common.ts';
import { Family, FamilyChanges } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'updateFamily',
  method: 'PATCH',
  path: '/templates/families/{family_id}',
  summary: 'Update a template family',
  description: `${PATCH_DESCRIPTION} A null, empty or blank description is stored as null.`,
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  body: FamilyChanges,
  success: 200,
  response: Family,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  families.update(caller, params.family_id, body, expectedVersion),
);
