import * as z from 'zod';
import * as answers from '../../shared/db/answers/answers.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { InstancePath } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'deleteInstance',
  method: 'DELETE',
  path: '/inspections/{inspection_id}/responses',
  summary: 'Delete an instance of a repeat section',
  description:
    'With all answers in it, those in repeat sections within it too. The instances after it keep their indexes, and its own index is free again. `409` where the inspection is locked, and where the section has no more instances than its `min`. An instance of many answers goes in several steps; what is interrupted is completed by calling it again.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    instance_path: InstancePath.min(1)
      .toLowerCase()
      .meta({ description: 'Of the instance: `section_id[i]`, after the instances it stands in and `/`.' }),
  }),
  success: 204,
  response: z.null(),
  errors: [409],
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:Query',
    'table:PutItem',
    'table:UpdateItem',
    'table:DeleteItem',
  ],
  calls: 7,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  answers.removeInstance(caller, params.inspection_id, query.instance_path),
);
