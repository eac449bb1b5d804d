import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction, correctionQuery } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'listCorrections',
  method: 'GET',
  path: '/inspections/{inspection_id}/corrections',
  summary: 'List the corrections of an inspection',
  description: 'The corrections are in the order in which they were opened.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: correctionQuery,
  success: 200,
  response: z.array(Correction),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  corrections.list(caller, params.inspection_id, query),
);
