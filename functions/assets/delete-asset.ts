import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteAsset',
  method: 'DELETE',
  path: '/assets/{asset_id}',
  summary: 'Delete an asset',
  description:
    'Refused with `409` while other assets are in it, or inspections or issues name it: decommission it then.',
  access: 'write',
  params: z.strictObject({ asset_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await assets.remove(caller, params.asset_id, expectedVersion);
});
