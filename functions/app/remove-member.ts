import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as access from '../../shared/organizations/people/access.ts';
import { KeysOfMember } from '../../shared/schemas/api-key.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'removeMember',
  method: 'DELETE',
  surface: 'app',
  path: '/members/{user_id}',
  summary: 'Remove a member',
  description:
    'Ends the sessions of the member and an open invitation at once; the API keys that the member has made go on or end, as `keys` says. What the member did keeps the user id. The owner of the organization cannot be removed: `409`. When an admin is removed, the admin and the owner get a mail.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ user_id: Uuid }),
  query: KeysOfMember,
  success: 204,
  response: z.null(),
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  access.remove(caller, params.user_id, query),
);
