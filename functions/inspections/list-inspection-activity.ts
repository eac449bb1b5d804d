import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/lists.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { InspectionActivity, inspectionActivityQuery } from '../../shared/schemas/inspections/activity.ts';

export const operation = defineOperation({
  id: 'listInspectionActivity',
  method: 'GET',
  path: '/inspections/{inspection_id}/activity',
  summary: 'List the activity of an inspection',
  description:
    'Every step, decision, signature, assignment, reopening, correction, report and re-inspection, and the documents that were removed, the oldest first. Each entry says who did it, when, and through which key. Entries never change, so each decision and comment stays.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: inspectionActivityQuery,
  success: 200,
  response: z.array(InspectionActivity),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  inspections.listActivity(caller, params.inspection_id, query),
);
