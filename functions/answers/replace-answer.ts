import * as z from 'zod';
import * as answers from '../../shared/db/answers/answers.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerRecord, NewAnswer } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'replaceAnswer',
  method: 'PUT',
  path: '/inspections/{inspection_id}/responses',
  summary: 'Save an answer',
  description:
    'There is one record per field and instance of the sections it stands in. The whole answer is replaced: what is left out is empty. Saving what stands already keeps its version. `is_active` is false while conditions hide the field; `score` and `max_score` are what the answer earns by itself, and `GET /inspections/{inspection_id}/score` says what it means for the whole. Other answers may be shown or hidden, required or computed by it: the list has them as they are then.\n\nWhere the inspection is completed, an answer is accepted while a correction of it is open, and is one revision of that.\n\nA failed answer whose field says so creates a finding, and answering otherwise removes it again, unless somebody has worked on it: then it stays, with `trigger_cleared`. One save can exchange 95 documents.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewAnswer,
  success: 200,
  response: AnswerRecord,
  errors: [400, 409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  // Three; one more each for a template not yet in memory, for references or a finding to be read (or who is told
  // of a new one), for the numbers of a new finding and of its corrective action, and for a repeat section that is
  // not the field's own and named by its index only.
  calls: 8,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  answers.replace(caller, params.inspection_id, body, expectedVersion),
);
