import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Family } from '../../../shared/schemas/templates/family.ts';
import { duplicate } from '../../../shared/templates/duplicate-family.ts';

export const operation = defineOperation({
  id: 'duplicateFamily',
  method: 'POST',
  path: '/templates/families/{family_id}/duplicate',
  summary: 'Duplicate a template family',
  description:
    'Creates a family with one draft, whose content is that of the current version or, if nothing is published, of the draft. The copy has the same description, tags, approval and sign-off requirements, settings and report layouts. Its name ends in ` (copy)`. A family that lets API keys approve cannot be duplicated by one: `403`.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  success: 201,
  location: '/templates/families/{family_id}',
  response: Family,
});

export const handler = createHandler(operation, ({ params, caller }) => duplicate(caller, params.family_id));
