import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Finding, FindingChanges } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'updateFinding',
  method: 'PATCH',
  path: '/findings/{finding_id}',
  summary: 'Update a finding',
  description: `${PATCH_DESCRIPTION} A separate operation updates the content. Refused with \`409\` when a finding that has an open corrective action would be resolved, when the inspection is archived, and for an \`external_ref\` that another finding has.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ finding_id: Uuid }),
  body: FindingChanges,
  success: 200,
  response: Finding,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  findings.update(caller, params.finding_id, body, expectedVersion),
);
