import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Finding } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'getFinding',
  method: 'GET',
  path: '/findings/{finding_id}',
  summary: 'Get a finding',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ finding_id: Uuid }),
  success: 200,
  response: Finding,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  findings.get(caller, params.finding_id),
);
