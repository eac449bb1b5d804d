import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { Asset } from '../../shared/schemas/assets/asset.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'getAsset',
  method: 'GET',
  path: '/assets/{asset_id}',
  summary: 'Get an asset',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ asset_id: Uuid }),
  success: 200,
  response: Asset,
});

export const handler = createHandler(operation, ({ params, caller }) => assets.get(caller, params.asset_id));
