import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as candidates from '../../shared/integrations/rows/candidates.ts';
import { Candidate, candidateQuery } from '../../shared/schemas/integrations/directory.ts';

export const operation = defineOperation({
  id: 'listUserCandidates',
  method: 'GET',
  path: '/integrations/user-candidates',
  summary: 'List user candidates',
  description:
    'People of the directory sources. A candidate is matched to the active member who has the same email address.',
  access: 'read',
  people: ['admin'],
  query: candidateQuery,
  success: 200,
  response: z.array(Candidate),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => candidates.list(caller, query));
