import * as z from 'zod';
import * as locations from '../../shared/db/locations/locations.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Location, LocationQuery } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'listLocations',
  method: 'GET',
  path: '/locations',
  summary: 'List locations',
  description:
    'In the order of their names (without regard to case), then of their ids. Request a fixed `limit` and raise `offset` by it with each call; stop when a page holds fewer rows. Without `limit` the result is complete. Every page is current: it is what stands at this offset now.',
  access: 'read',
  query: LocationQuery,
  success: 200,
  response: z.array(Location),
  list: true,
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query', 'table:PutItem'],
  calls: 5,
});

export const handler = createHandler(operation, ({ query, caller }) => locations.list(caller, query));
