import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as access from '../../shared/organizations/people/access.ts';
import { KeysOfMember } from '../../shared/schemas/api-key.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Member, MemberChanges } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'updateMember',
  method: 'PATCH',
  surface: 'app',
  path: '/members/{user_id}',
  summary: 'Update, suspend or activate a member',
  description: `${PATCH_DESCRIPTION} A suspension ends all sessions of the member at once; the API keys that the member has made go on or end, as \`keys\` says. The owner of the organization stays an active admin: \`409\`. When an admin is demoted or suspended, the admin and the owner get a mail.`,
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ user_id: Uuid }),
  query: KeysOfMember,
  body: MemberChanges,
  success: 200,
  response: Member,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, body, caller }) =>
  access.update(caller, params.user_id, body, query),
);
