import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { takeOut } from '../../shared/schedules/places.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteLocation',
  method: 'DELETE',
  path: '/locations/{location_id}',
  summary: 'Delete a location',
  description:
    'Refused with `409` while inspections, schedules or assets use the location or other locations are below it, and for a location that is synced from another system. With `from_schedules=remove` it is also taken out of the schedules that name it, soon after where there are many; one that has no other location is paused.',
  access: 'write',
  params: z.strictObject({ location_id: Uuid }),
  query: z.strictObject({
    from_schedules: z.enum(['remove']).optional().meta({
      description:
        '`remove` takes the location out of the schedules that name it, which are `409` otherwise.',
    }),
  }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, query, caller, expectedVersion }) => {
  await locations.remove(caller, params.location_id, expectedVersion, query.from_schedules);
  // The rest of many schedules is left to a worker, which also goes on where this ends too early.
  if (query.from_schedules) await takeOut(caller, params.location_id);
});
