import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/places/assets/kinds.ts';
import { AssetKind, NewAssetKind } from '../../shared/schemas/assets/asset-kind.ts';

export const operation = defineOperation({
  id: 'createAssetKind',
  method: 'POST',
  path: '/asset-kinds',
  summary: 'Create an asset kind',
  access: 'write',
  body: NewAssetKind,
  success: 201,
  location: '/asset-kinds/{asset_kind_id}',
  response: AssetKind,
});

export const handler = createHandler(operation, ({ body, caller }) => kinds.create(caller, body));
