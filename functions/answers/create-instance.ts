import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Existing } from '../../shared/http/reply/reply.ts';
import * as answers from '../../shared/inspections/answers/instances.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Instance, NewInstance } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'createInstance',
  method: 'POST',
  path: '/inspections/{inspection_id}/instances',
  summary: 'Reserve an instance of a repeat section',
  description:
    'Reserves an index of the section that no answer and no other reservation has, so that two devices never write into the same instance: the one after the last, or the lowest free one when the section ends there. `201` with a new instance; `200` with the same one whenever its `client_instance_id` is sent again, also when the inspection is locked by then. The index is only reserved: the instance exists as soon as something in it is answered, and until then it counts nowhere. It stays reserved until the instance is deleted (`DELETE …/responses`). `409` when the inspection is locked or a re-inspection of what failed, when no index is free, or when the id belongs to another section or parent.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewInstance,
  success: 201,
  existing: 200,
  response: Instance,
});

export const handler = createHandler(operation, async ({ params, body, caller }) => {
  const { instance, isNew } = await answers.createInstance(caller, params.inspection_id, body);
  return isNew ? instance : new Existing(instance);
});
