import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/places/assets/kinds.ts';
import { AssetKind, assetKindQuery } from '../../shared/schemas/assets/asset-kind.ts';

export const operation = defineOperation({
  id: 'listAssetKinds',
  method: 'GET',
  path: '/asset-kinds',
  summary: 'List asset kinds',
  access: 'read',
  people: ['admin'],
  query: assetKindQuery,
  success: 200,
  response: z.array(AssetKind),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => kinds.list(caller, query));
