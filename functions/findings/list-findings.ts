import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Finding, findingQuery } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'listFindings',
  method: 'GET',
  path: '/inspections/{inspection_id}/findings',
  summary: 'List the findings of an inspection',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: findingQuery,
  success: 200,
  response: z.array(Finding),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  findings.list(caller, params.inspection_id, query),
);
