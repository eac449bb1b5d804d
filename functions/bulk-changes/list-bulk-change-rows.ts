import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { BulkChangeRow, bulkRowQuery } from '../../shared/schemas/bulk-change.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import * as bulkChanges from '../../shared/upkeep/bulk-changes/bulk-changes.ts';

export const operation = defineOperation({
  id: 'listBulkChangeRows',
  method: 'GET',
  path: '/bulk-changes/{bulk_change_id}/rows',
  summary: 'List the rows of a bulk change',
  description:
    'In the order in which they are changed. After a dry run: what would change, and why not. Later: what became of each row. A key with scopes needs the scope that reads these rows themselves.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ bulk_change_id: Uuid }),
  query: bulkRowQuery,
  success: 200,
  response: z.array(BulkChangeRow),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  bulkChanges.listChanged(caller, params.bulk_change_id, query),
);
