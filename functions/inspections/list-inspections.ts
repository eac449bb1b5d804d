import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { Inspection, inspectionFilters } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'listInspections',
  method: 'GET',
  path: '/inspections',
  summary: 'List inspections',
  description:
    'Newest first. Filters are combined: an inspection is listed when it passes all of them. Lists filtered by `status`, `client_account_id`, `location_id` or `template_family_id` may lag behind a change by a moment: what has just got the value may be missing yet; what has lost it is never listed. All others show every confirmed change at once.',
  access: 'read',
  query: listQuery(inspectionFilters),
  success: 200,
  response: z.array(Inspection),
  list: true,
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query'],
  calls: 8,
});

export const handler = createHandler(operation, ({ query, caller }) => inspections.list(caller, query));
