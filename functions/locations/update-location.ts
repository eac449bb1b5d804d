import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Location, LocationChanges } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'updateLocation',
  method: 'PATCH',
  path: '/locations/{location_id}',
  summary: 'Update a location',
  description: `${PATCH_DESCRIPTION} A location that is synced from another system can be changed only there: \`409\`.`,
  access: 'write',
  params: z.strictObject({ location_id: Uuid }),
  body: LocationChanges,
  success: 200,
  response: Location,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  locations.update(caller, params.location_id, body, expectedVersion),
);
