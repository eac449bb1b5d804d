import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';

export const operation = defineOperation({
  id: 'endOtherSessions',
  method: 'DELETE',
  surface: 'app',
  path: '/me/sessions',
  summary: 'Sign the person out everywhere else',
  description: 'Ends all sessions of the person but that of this request, whatever their organization.',
  access: 'write',
  roles: 'any',
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ session }) => sessions.endOthers(session, Date.now()));
