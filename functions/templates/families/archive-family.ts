import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Family } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'archiveFamily',
  method: 'POST',
  path: '/templates/families/{family_id}/archive',
  summary: 'Archive a template family',
  description:
    'Until the family is restored, no inspection can be created from it, and its schedules are paused. Existing inspections continue. Refused with `409` when it is already archived.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  guarded: true,
  success: 200,
  response: Family,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  families.archive(caller, params.family_id, expectedVersion),
);
