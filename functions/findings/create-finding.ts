import * as z from 'zod';
import * as findings from '../../shared/db/findings/findings.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Finding, NewFinding } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'createFinding',
  method: 'POST',
  path: '/inspections/{inspection_id}/findings',
  summary: 'Add a finding to an inspection',
  description: 'Until the inspection is completed or archived, also while it awaits approval or sign-off.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewFinding,
  success: 201,
  response: Finding,
  errors: [400, 409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem'],
  // Five; one more for a template not yet in memory.
  calls: 6,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  findings.create(caller, params.inspection_id, body),
);
