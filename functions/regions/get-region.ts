import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as regions from '../../shared/places/regions/regions.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Region } from '../../shared/schemas/region.ts';

export const operation = defineOperation({
  id: 'getRegion',
  method: 'GET',
  path: '/regions/{region_id}',
  summary: 'Get a region',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ region_id: Uuid }),
  success: 200,
  response: Region,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  regions.get(caller, params.region_id),
);
