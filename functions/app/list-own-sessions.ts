import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { OwnSession } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'listOwnSessions',
  method: 'GET',
  surface: 'app',
  path: '/me/sessions',
  summary: 'List where the person is signed in',
  description:
    'All sessions of the person that have not ended, whatever their organization; the one used last first.',
  access: 'read',
  roles: 'any',
  success: 200,
  response: z.array(OwnSession),
});

export const handler = createHandler(operation, ({ session }) => sessions.listOwn(session, Date.now()));
