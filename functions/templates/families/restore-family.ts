import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Family } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'restoreFamily',
  method: 'POST',
  path: '/templates/families/{family_id}/restore',
  summary: 'Restore a template family',
  description:
    'The family is in use again, as before it was archived. Refused with `409` unless it is archived.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  guarded: true,
  success: 200,
  response: Family,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  families.restore(caller, params.family_id, expectedVersion),
);
