import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/places/assets/kinds.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteAssetKind',
  method: 'DELETE',
  path: '/asset-kinds/{asset_kind_id}',
  summary: 'Delete an asset kind',
  description: 'Refused with `409` while assets are of this kind.',
  access: 'write',
  params: z.strictObject({ asset_kind_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await kinds.remove(caller, params.asset_kind_id, expectedVersion);
});
