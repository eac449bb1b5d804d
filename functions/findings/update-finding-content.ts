import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Finding, FindingContentChanges } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'updateFindingContent',
  method: 'PATCH',
  path: '/findings/{finding_id}/content',
  summary: 'Update the content of a finding',
  description: `${PATCH_DESCRIPTION} \`media\` replaces the whole list. Refused with \`409\` when the inspection is archived.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ finding_id: Uuid }),
  body: FindingContentChanges,
  success: 200,
  response: Finding,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  findings.updateContent(caller, params.finding_id, body, expectedVersion),
);
