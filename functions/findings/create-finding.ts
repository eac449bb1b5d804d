import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Finding, NewFinding } from '../../shared/schemas/finding.ts';

export const operation = defineOperation({
  id: 'createFinding',
  method: 'POST',
  path: '/inspections/{inspection_id}/findings',
  summary: 'Create a finding',
  description:
    'Also possible while the inspection is pending_approval or pending_sign_off. In a completed inspection, it is possible only while a correction is open, and is a revision of it; otherwise `409`, as for an archived inspection and for an `external_ref` that another finding has. For a field in a repeat section with a `location_field_id`, `location_id` is the answer to that field.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewFinding,
  success: 201,
  location: '/findings/{finding_id}',
  response: Finding,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  findings.create(caller, params.inspection_id, body),
);
