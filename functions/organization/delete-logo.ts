import * as z from 'zod';
import { removeLogo } from '../../shared/files/logo.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';

export const operation = defineOperation({
  id: 'deleteLogo',
  method: 'DELETE',
  path: '/org/logo',
  summary: 'Delete the logo of the organization',
  description: 'Succeeds also when there is no logo.',
  access: 'write',
  app: { path: '/organization/logo', roles: ['admin'] },
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ caller, expectedVersion }) =>
  removeLogo(caller, expectedVersion),
);
