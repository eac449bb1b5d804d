import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';

export const operation = defineOperation({
  id: 'endSession',
  method: 'DELETE',
  surface: 'app',
  path: '/session',
  summary: 'End the session',
  description:
    'With immediate effect. The identity provider still knows the person: see `POST /app/sign-out`.',
  access: 'write',
  roles: 'any',
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ session }) => sessions.end(session.hash));
