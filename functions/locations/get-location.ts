import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Location } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'getLocation',
  method: 'GET',
  path: '/locations/{location_id}',
  summary: 'Get a location',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ location_id: Uuid }),
  success: 200,
  response: Location,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  locations.get(caller, params.location_id),
);
