import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as members from '../../shared/organizations/members/members.ts';
import { listQuery, searchFilter } from '../../shared/schemas/common.ts';
import { Member, MemberStatus, Role } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'listMembers',
  method: 'GET',
  path: '/members',
  summary: 'List members',
  description:
    'People and the service identities of API keys (role `api`). `role` and `status` may be repeated.',
  access: 'read',
  app: { path: '/members', roles: ['admin'] },
  query: listQuery({
    ...searchFilter,
    role: z.array(Role).optional(),
    status: z.array(MemberStatus).optional(),
  }),
  success: 200,
  response: z.array(Member),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => members.list(caller, query));
