import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as regions from '../../shared/places/regions/regions.ts';
import { NewRegion, Region } from '../../shared/schemas/region.ts';

export const operation = defineOperation({
  id: 'createRegion',
  method: 'POST',
  path: '/regions',
  summary: 'Create a region',
  description:
    'Locations of any client account can be in it. Regions can be nested 10 levels deep. Deeper is a `409`.',
  access: 'write',
  body: NewRegion,
  success: 201,
  location: '/regions/{region_id}',
  response: Region,
});

export const handler = createHandler(operation, ({ body, caller }) => regions.create(caller, body));
