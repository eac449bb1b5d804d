import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { BulkChange, BulkChangeStep } from '../../shared/schemas/bulk-change.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';
import * as bulkChanges from '../../shared/upkeep/bulk-changes/bulk-changes.ts';

export const operation = defineOperation({
  id: 'updateBulkChange',
  method: 'PATCH',
  path: '/bulk-changes/{bulk_change_id}',
  summary: 'Carry out, stop or cancel a bulk change',
  description:
    'Carries out what the dry run has listed, stops it before the next row, lets it go on, or ends it. Rows that were changed stay changed. Only whoever has requested it can carry it out, because it has their rights: `403` for anybody else. `409` for a status that the present one does not lead to. ' +
    refusedBeyond('BULK_CHANGE'),
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  app: { path: '/bulk-changes/{bulk_change_id}', roles: ['admin'] },
  params: z.strictObject({ bulk_change_id: Uuid }),
  body: BulkChangeStep,
  success: 200,
  response: BulkChange,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  bulkChanges.step(caller, params.bulk_change_id, body),
);
