import * as z from 'zod';
import * as locations from '../../shared/db/locations/locations.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteLocation',
  method: 'DELETE',
  path: '/locations/{location_id}',
  summary: 'Delete a location',
  description:
    'Refused with `409` while inspections use the location or other locations are below it, and for a location that is synced from another system.',
  access: 'write',
  params: z.strictObject({ location_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await locations.remove(caller, params.location_id, expectedVersion);
});
