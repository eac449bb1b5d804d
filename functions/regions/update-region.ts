import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as regions from '../../shared/places/regions/regions.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Region, RegionChanges } from '../../shared/schemas/region.ts';

export const operation = defineOperation({
  id: 'updateRegion',
  method: 'PATCH',
  path: '/regions/{region_id}',
  summary: 'Update a region',
  description: `${PATCH_DESCRIPTION} Another \`parent_id\` moves the region with all that is in it.`,
  access: 'write',
  params: z.strictObject({ region_id: Uuid }),
  body: RegionChanges,
  success: 200,
  response: Region,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  regions.update(caller, params.region_id, body, expectedVersion),
);
