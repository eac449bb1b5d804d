import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/lists.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { Inspection, inspectionListFilters } from '../../shared/schemas/inspections/inspection.ts';

const { assignee_id: _assignee, ...filters } = inspectionListFilters;

export const operation = defineOperation({
  id: 'listAssignedInspections',
  method: 'GET',
  path: '/inspections/assigned',
  summary: 'List the inspections assigned to you',
  description:
    'Inspections in which the caller is a participant, in any role and status, the newest first. The list always includes the latest changes. Its duration depends on the number of these inspections, not on the size of the organization.',
  access: 'read',
  people: ['admin', 'approver', 'inspector'],
  actsFor: ['admin', 'approver', 'inspector'],
  query: listQuery(filters),
  success: 200,
  response: z.array(Inspection),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) =>
  inspections.listAssigned(caller, query),
);
