import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as members from '../../shared/organizations/members/members.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Member } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'getMember',
  method: 'GET',
  path: '/members/by-user/{user_id}',
  summary: 'Get a member by user id',
  description: 'Other resources refer to participants, assignees and authors by this user id.',
  access: 'read',
  app: { path: '/members/{user_id}', roles: ['admin'] },
  params: z.strictObject({ user_id: Uuid }),
  success: 200,
  response: Member,
});

export const handler = createHandler(operation, ({ params, caller }) => members.get(caller, params.user_id));
