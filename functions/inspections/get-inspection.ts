import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { showWithParts } from '../../shared/inspections/parts.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { InspectionPart, InspectionWithParts } from '../../shared/schemas/inspections/parts.ts';

export const operation = defineOperation({
  id: 'getInspection',
  method: 'GET',
  path: '/inspections/{inspection_id}',
  summary: 'Get an inspection',
  description:
    'Everything about the inspection except its score by section, which `include=sections` and `GET …/score` have. With `include`, the reply holds these parts as well, as their lists show them; `sections` is an outline: what is asked, answered and hidden in each section, with its score. `GET …/responses` with a `section_id` then has the answers of one. A reply of more than 6 MB is `409` for clients that do not accept gzip: read the lists of a large inspection page by page. Signed-in people who are not admins see the inspections in which they take part, and those that await or have awaited their decision; they cannot use `include`.',
  access: 'read',
  people: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    include: z
      .array(InspectionPart)
      .max(5)
      .optional()
      .meta({ description: 'The parts to include, such as `findings,documents`.' }),
  }),
  success: 200,
  response: InspectionWithParts,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  showWithParts(caller, params.inspection_id, query.include),
);
