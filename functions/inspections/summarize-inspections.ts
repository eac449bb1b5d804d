import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { inspectionFilters, InspectionSummary } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'summarizeInspections',
  method: 'GET',
  path: '/inspections/summary',
  summary: 'Count inspections by status',
  description:
    'Takes the filters of the list, and counts what that would show. Without any, the reply comes from counters and does not take longer however many inspections there are.',
  access: 'read',
  query: z.strictObject(inspectionFilters),
  success: 200,
  response: InspectionSummary,
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query'],
  calls: 8,
});

export const handler = createHandler(operation, ({ query, caller }) => inspections.summary(caller, query));
