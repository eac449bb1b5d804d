import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/lists.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { inspectionListFilters, InspectionSummary } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'summarizeInspections',
  method: 'GET',
  path: '/inspections/summary',
  summary: 'Count inspections by status',
  description:
    'Counts the inspections that the list would show with the same filters. Without filters, the counts come from counters, so the duration does not depend on the number of inspections.',
  access: 'read',
  people: ['admin'],
  actsFor: ['admin', 'approver', 'inspector'],
  query: z.strictObject(inspectionListFilters),
  success: 200,
  response: InspectionSummary,
});

export const handler = createHandler(operation, ({ query, caller }) => inspections.summary(caller, query));
