import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import * as auditLog from '../../shared/organizations/audit-log.ts';
import { auditFile } from '../../shared/reports/formats/audit-csv.ts';
import { AuditEntry, AuditQuery } from '../../shared/schemas/audit.ts';

export const operation = defineOperation({
  id: 'listAuditRecords',
  method: 'GET',
  surface: 'app',
  path: '/audit',
  summary: 'List who changed access and settings',
  description: 'Newest first. Records are kept for 400 days.',
  access: 'read',
  roles: ['admin'],
  query: AuditQuery,
  success: 200,
  response: z.array(AuditEntry),
  alsoAs: file('A row for each change, for `format=csv`.', 'text/csv; charset=utf-8'),
  list: true,
});

export const handler = createHandler(operation, async ({ query, caller }) => {
  const listing = await auditLog.list(caller, query);
  return query.format === 'csv' ? auditFile(listing) : listing;
});
