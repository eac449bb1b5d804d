import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as regions from '../../shared/places/regions/regions.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteRegion',
  method: 'DELETE',
  path: '/regions/{region_id}',
  summary: 'Delete a region',
  description: 'Refused with `409` while locations or other regions are in it, or schedules name it.',
  access: 'write',
  params: z.strictObject({ region_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await regions.remove(caller, params.region_id, expectedVersion);
});
