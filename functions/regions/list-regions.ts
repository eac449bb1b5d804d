import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as regions from '../../shared/places/regions/regions.ts';
import { Region, regionQuery } from '../../shared/schemas/region.ts';

export const operation = defineOperation({
  id: 'listRegions',
  method: 'GET',
  path: '/regions',
  summary: 'List regions',
  access: 'read',
  people: ['admin'],
  query: regionQuery,
  success: 200,
  response: z.array(Region),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => regions.list(caller, query));
