import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/create.ts';
import { Inspection, NewOwnInspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'selfCreateInspection',
  method: 'POST',
  path: '/inspections/self-create',
  summary: 'Create an inspection for yourself',
  description:
    'The inspection starts as in_progress, with the caller as its only participant. Everything else is as in `POST /inspections`: it keeps the published version of the template and the requirements of the family, and is refused with `409` when the family has no published version or is archived.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  body: NewOwnInspection,
  success: 201,
  location: '/inspections/{inspection_id}',
  response: Inspection,
});

export const handler = createHandler(operation, ({ body, caller }) => inspections.createOwn(caller, body));
