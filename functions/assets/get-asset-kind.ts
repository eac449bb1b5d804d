import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/places/assets/kinds.ts';
import { AssetKind } from '../../shared/schemas/assets/asset-kind.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'getAssetKind',
  method: 'GET',
  path: '/asset-kinds/{asset_kind_id}',
  summary: 'Get an asset kind',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ asset_kind_id: Uuid }),
  success: 200,
  response: AssetKind,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  kinds.get(caller, params.asset_kind_id),
);
