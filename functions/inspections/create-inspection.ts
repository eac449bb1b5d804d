import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Inspection, NewInspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'createInspection',
  method: 'POST',
  path: '/inspections',
  summary: 'Create an inspection',
  description:
    'The inspection is scheduled, and pins what it was agreed on: the version of the template that is published now, and the demands that its family makes now (approval, sign-off, correction mode). Later changes of either do not reach it. A family without a published version, or archived, is `409`. An inspection at a location of a client is that client’s; naming another client is `400`.',
  access: 'write',
  body: NewInspection,
  success: 201,
  response: Inspection,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:UpdateItem', 'table:PutItem'],
  calls: 6,
});

export const handler = createHandler(operation, ({ body, caller }) => inspections.create(caller, body));
