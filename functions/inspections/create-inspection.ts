import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/create.ts';
import { Inspection, NewInspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'createInspection',
  method: 'POST',
  path: '/inspections',
  summary: 'Create an inspection',
  description:
    'The inspection starts as scheduled. It keeps the current published version of the template and the current requirements of the family (approval, sign-off, correction mode); later changes do not affect it. Refused with `409` when the family has no published version or is archived. An inspection at a location of a client belongs to that client; another `client_account_id` is `400`. At an inactive location it is `409`, unless `allow_inactive` is true.\n\nWith `prefill_from_inspection_id`, the answers of an earlier inspection of the same family are taken over as suggestions, for example those of a move-in for the move-out; an inspection of another family is `400`. `PUT …/responses` and `PUT …/responses/confirm` confirm them. The inspection cannot be submitted while a required field has only a suggestion. A report shows both side by side when the `sections` block of its layout has the option `before`.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  body: NewInspection,
  success: 201,
  location: '/inspections/{inspection_id}',
  response: Inspection,
});

export const handler = createHandler(operation, ({ body, caller }) => inspections.create(caller, body));
