import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/lists.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import {
  Inspection,
  inspectionListFilters,
  InspectionSort,
} from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'listInspections',
  method: 'GET',
  path: '/inspections',
  summary: 'List inspections',
  description:
    'The newest first, unless `sort` says otherwise. An inspection is listed when it matches all filters. With a filter by `status`, `approver_id`, `client_account_id`, `location_id`, `within`, `region_id` or `template_family_id`, the list can be a moment behind: an inspection that has just changed to the value may be missing, but one that has another value is never listed. Without these filters, the list always includes the latest changes. Signed-in approvers get those that await their decision.',
  access: 'read',
  people: ['admin', 'approver'],
  actsFor: ['admin', 'approver', 'inspector'],
  query: listQuery({ ...inspectionListFilters, sort: InspectionSort }),
  success: 200,
  response: z.array(Inspection),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => inspections.list(caller, query));
