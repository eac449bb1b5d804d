import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { Asset, NewAsset } from '../../shared/schemas/assets/asset.ts';

export const operation = defineOperation({
  id: 'createAsset',
  method: 'POST',
  path: '/assets',
  summary: 'Create an asset',
  description:
    'An asset can be inside another one, and assets can be nested 10 levels deep. Deeper is a `409`.',
  access: 'write',
  body: NewAsset,
  success: 201,
  location: '/assets/{asset_id}',
  response: Asset,
});

export const handler = createHandler(operation, ({ body, caller }) => assets.create(caller, body));
