import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { BulkChange } from '../../shared/schemas/bulk-change.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import * as bulkChanges from '../../shared/upkeep/bulk-changes/bulk-changes.ts';

export const operation = defineOperation({
  id: 'getBulkChange',
  method: 'GET',
  path: '/bulk-changes/{bulk_change_id}',
  summary: 'Get a bulk change',
  description: 'While it is planned or carried out, its counts grow.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ bulk_change_id: Uuid }),
  success: 200,
  response: BulkChange,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  bulkChanges.get(caller, params.bulk_change_id),
);
