import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/lists.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'getInspection',
  method: 'GET',
  path: '/inspections/{inspection_id}',
  summary: 'Get an inspection',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  inspections.show(caller, params.inspection_id),
);
