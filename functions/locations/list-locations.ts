import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { list } from '../../shared/places/locations/lists.ts';
import { Location, LocationQuery } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'listLocations',
  method: 'GET',
  path: '/locations',
  summary: 'List locations',
  description:
    'Ordered by name (case is ignored), then by id. To read all pages, keep `limit` the same, increase `offset` by it with every call, and stop when a page has fewer rows. Without `limit` the result is complete. Every page shows the current rows at this offset.',
  access: 'read',
  people: ['admin'],
  query: LocationQuery,
  success: 200,
  response: z.array(Location),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => list(caller, query));
