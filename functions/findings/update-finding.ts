import * as z from 'zod';
import * as findings from '../../shared/db/findings/findings.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Finding, FindingChanges } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'updateFinding',
  method: 'PATCH',
  path: '/findings/{finding_id}',
  summary: 'Update a finding',
  description: `${PATCH_DESCRIPTION} Its label, severity and status; what is said of it has an operation of its own. It cannot be resolved while one of its corrective actions is open, nor changed once the inspection is archived: \`409\`.`,
  access: 'write',
  params: z.strictObject({ finding_id: Uuid }),
  body: FindingChanges,
  success: 200,
  response: Finding,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem'],
  // Four; one more to resolve it.
  calls: 5,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  findings.update(caller, params.finding_id, body, expectedVersion),
);
