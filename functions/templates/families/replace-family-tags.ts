import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Family, FamilyTags } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'replaceFamilyTags',
  method: 'PUT',
  path: '/templates/families/{family_id}/tags',
  summary: 'Replace the tags of a template family',
  description: 'Replaces all tags; an empty list removes them.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  body: FamilyTags,
  success: 200,
  response: Family,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  families.update(caller, params.family_id, body, expectedVersion),
);
