import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/places/assets/kinds.ts';
import { AssetKind, AssetKindChanges } from '../../shared/schemas/assets/asset-kind.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'updateAssetKind',
  method: 'PATCH',
  path: '/asset-kinds/{asset_kind_id}',
  summary: 'Update an asset kind',
  description: `${PATCH_DESCRIPTION} What was recorded of assets stays as it is.`,
  access: 'write',
  params: z.strictObject({ asset_kind_id: Uuid }),
  body: AssetKindChanges,
  success: 200,
  response: AssetKind,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  kinds.update(caller, params.asset_kind_id, body, expectedVersion),
);
