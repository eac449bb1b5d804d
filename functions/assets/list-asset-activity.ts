import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { AssetActivity } from '../../shared/schemas/assets/asset.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'listAssetActivity',
  method: 'GET',
  path: '/assets/{asset_id}/activity',
  summary: 'List the activity of an asset',
  description: 'The oldest entry first: where the asset was and since when, and every other change.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ asset_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(AssetActivity),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  assets.listActivity(caller, params.asset_id, query),
);
