import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Inspection, NewInspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'createInspection',
  method: 'POST',
  path: '/inspections',
  summary: 'Create an inspection',
  description:
    'The inspection starts as scheduled. It keeps the current published version of the template and the current requirements of the family (approval, sign-off, correction mode); later changes do not affect it. Refused with `409` when the family has no published version or is archived. An inspection at a location of a client belongs to that client; another `client_account_id` is `400`.',
  access: 'write',
  body: NewInspection,
  success: 201,
  response: Inspection,
  emits: ['inspection.created'],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:UpdateItem', 'table:PutItem'],
  calls: 6,
});

export const handler = createHandler(operation, ({ body, caller }) => inspections.create(caller, body));
