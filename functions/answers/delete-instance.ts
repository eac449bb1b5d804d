import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as answers from '../../shared/inspections/answers/instances.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { InstancePath } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'deleteInstance',
  method: 'DELETE',
  path: '/inspections/{inspection_id}/responses',
  summary: 'Delete an instance of a repeat section',
  description:
    'Deletes the instance with all answers in it, including those in repeat sections inside it. The instances after it keep their indexes, and its own index can be used again. An index that was only reserved (`POST …/instances`) is free again. `409` when the inspection is locked or a re-inspection of what failed, or when the section has no more instances than its `min`. The findings of its answers, and of fields that this hides or shows, follow as in `PUT …/responses`. An instance with many answers is deleted in several steps; if the request is interrupted, send it again to complete it.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    instance_path: InstancePath.min(1)
      .toLowerCase()
      .meta({
        description:
          'The path of the instance: `section_id[i]`, preceded by the instances around it, joined by `/`.',
        examples: ['019cade0-51c2-7000-8000-000000000001[2]'],
      }),
  }),
  success: 204,
  response: z.null(),
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  answers.removeInstance(caller, params.inspection_id, query.instance_path),
);
