import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'endOwnSession',
  method: 'DELETE',
  surface: 'app',
  path: '/me/sessions/{session_id}',
  summary: 'Sign the person out in one place',
  description: 'Its next request is a `401`.',
  access: 'write',
  roles: 'any',
  params: z.strictObject({ session_id: Uuid }),
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ session, params }) =>
  sessions.endOwn(session, params.session_id, Date.now()),
);
