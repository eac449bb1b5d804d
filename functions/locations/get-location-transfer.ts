import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { LocationTransfer } from '../../shared/schemas/location-transfer.ts';
import * as transfers from '../../shared/upkeep/transfers/transfers.ts';

export const operation = defineOperation({
  id: 'getLocationTransfer',
  method: 'GET',
  path: '/location-transfers/{transfer_id}',
  summary: 'Get a transfer of a location',
  description: 'While it runs, `counts` grow.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ transfer_id: Uuid }),
  success: 200,
  response: LocationTransfer,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  transfers.get(caller, params.transfer_id),
);
