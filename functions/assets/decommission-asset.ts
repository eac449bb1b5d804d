import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { decommission } from '../../shared/schedules/decommission.ts';
import { DecommissionedAsset, Decommissioning } from '../../shared/schemas/assets/asset.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'decommissionAsset',
  method: 'POST',
  path: '/assets/{asset_id}/decommission',
  summary: 'Decommission an asset',
  description:
    'From then on no inspection of the asset can be created (`409`). Inspections that nobody has started are archived at once, and the asset is taken out of the schedules that name it. Decommissioning it again changes nothing. `PATCH` with `status` puts it into service again.',
  access: 'write',
  params: z.strictObject({ asset_id: Uuid }),
  body: Decommissioning,
  success: 200,
  response: DecommissionedAsset,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  decommission(caller, params.asset_id, body, expectedVersion),
);
