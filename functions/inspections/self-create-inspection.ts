import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Inspection, NewOwnInspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'selfCreateInspection',
  method: 'POST',
  path: '/inspections/self-create',
  summary: 'Create an inspection for yourself',
  description:
    'The inspection is in progress at once, with the caller as its only participant. All else is as for an inspection created for others: the published version of the template and the demands of its family are pinned, and a family without a published version, or archived, is `409`.',
  access: 'write',
  body: NewOwnInspection,
  success: 201,
  response: Inspection,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:UpdateItem', 'table:PutItem'],
  calls: 7,
});

export const handler = createHandler(operation, ({ body, caller }) => inspections.createOwn(caller, body));
