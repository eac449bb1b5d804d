import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { LocationTransfer } from '../../shared/schemas/location-transfer.ts';
import * as transfers from '../../shared/upkeep/transfers/transfers.ts';

export const operation = defineOperation({
  id: 'cancelLocationTransfer',
  method: 'POST',
  path: '/location-transfers/{transfer_id}/cancel',
  summary: 'Cancel a transfer of a location',
  description:
    'A transfer that has not begun does not take place. One that has begun is `409`: transfer the location back once it has ended. Cancelling it again changes nothing.',
  access: 'write',
  params: z.strictObject({ transfer_id: Uuid }),
  guarded: true,
  success: 200,
  response: LocationTransfer,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  transfers.cancel(caller, params.transfer_id, expectedVersion),
);
