import * as locations from '../../shared/db/locations/locations.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Location, NewLocation } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'createLocation',
  method: 'POST',
  path: '/locations',
  summary: 'Create a location',
  description: 'A location belongs to its client account for good, and stands below one of the same account.',
  access: 'write',
  body: NewLocation,
  success: 201,
  response: Location,
  errors: [409],
  grants: ['table:BatchGetItem', 'table:PutItem', 'table:UpdateItem'],
  calls: 3,
});

export const handler = createHandler(operation, ({ body, caller }) => locations.create(caller, body));
