import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { Asset, AssetChanges } from '../../shared/schemas/assets/asset.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'updateAsset',
  method: 'PATCH',
  path: '/assets/{asset_id}',
  summary: 'Update an asset',
  description: `${PATCH_DESCRIPTION} Another \`location_id\` moves the asset; its history says from where and when.`,
  access: 'write',
  params: z.strictObject({ asset_id: Uuid }),
  body: AssetChanges,
  success: 200,
  response: Asset,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  assets.update(caller, params.asset_id, body, expectedVersion),
);
