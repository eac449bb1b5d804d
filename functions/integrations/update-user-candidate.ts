import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as candidates from '../../shared/integrations/rows/candidates.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Candidate, CandidateChanges } from '../../shared/schemas/integrations/directory.ts';

export const operation = defineOperation({
  id: 'updateUserCandidate',
  method: 'PATCH',
  path: '/integrations/user-candidates/{candidate_id}',
  summary: 'Update a user candidate',
  description: PATCH_DESCRIPTION,
  access: 'write',
  params: z.strictObject({ candidate_id: Uuid }),
  body: CandidateChanges,
  success: 200,
  response: Candidate,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  candidates.update(caller, params.candidate_id, body, expectedVersion),
);
