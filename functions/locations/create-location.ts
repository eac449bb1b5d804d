import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { Location, NewLocation } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'createLocation',
  method: 'POST',
  path: '/locations',
  summary: 'Create a location',
  description:
    'The client account of a location is changed later only by `POST /locations/{location_id}/transfer`. Its parent location must have the same client account.',
  access: 'write',
  body: NewLocation,
  success: 201,
  location: '/locations/{location_id}',
  response: Location,
});

export const handler = createHandler(operation, ({ body, caller }) => locations.create(caller, body));
