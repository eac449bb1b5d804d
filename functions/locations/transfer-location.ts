import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Existing } from '../../shared/http/reply/reply.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { RequestedTransfer, TransferRequest } from '../../shared/schemas/location-transfer.ts';
import * as transfers from '../../shared/upkeep/transfers/transfers.ts';

export const operation = defineOperation({
  id: 'transferLocation',
  method: 'POST',
  path: '/locations/{location_id}/transfer',
  summary: 'Transfer a location to another client account',
  description:
    'The location moves with everything below it. Afterwards it has no parent location. Inspections that are not finished, open issues, schedules and public links there go along, or stay as the request asks. What was completed keeps its client account, and so do its corrective actions. Assets go with their location. The transfer runs in the background. `GET /location-transfers/{transfer_id}` shows its progress. One transfer of an organization runs at a time, so another one is `409`; one for later waits for its turn. A location whose client account comes from another system is `409`.',
  access: 'write',
  params: z.strictObject({ location_id: Uuid }),
  body: TransferRequest,
  success: 202,
  existing: 200,
  existingMeans: 'A dry run: nothing was changed.',
  location: '/location-transfers/{transfer_id}',
  response: RequestedTransfer,
});

export const handler = createHandler(operation, async ({ params, body, caller }) => {
  const reply = await transfers.request(caller, params.location_id, body);
  return body.dry_run ? new Existing(reply) : reply;
});
