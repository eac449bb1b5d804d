import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { BULK_CHANGE_DAYS, BulkChange, bulkChangeQuery } from '../../shared/schemas/bulk-change.ts';
import * as bulkChanges from '../../shared/upkeep/bulk-changes/bulk-changes.ts';

export const operation = defineOperation({
  id: 'listBulkChanges',
  method: 'GET',
  path: '/bulk-changes',
  summary: 'List bulk changes',
  description: `Newest first. A bulk change is listed for ${BULK_CHANGE_DAYS} days.`,
  access: 'read',
  people: ['admin'],
  query: bulkChangeQuery,
  success: 200,
  response: z.array(BulkChange),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => bulkChanges.list(caller, query));
