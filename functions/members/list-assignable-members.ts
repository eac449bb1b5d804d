import * as z from 'zod';
import * as members from '../../shared/db/members/members.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { Member } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'listAssignableMembers',
  method: 'GET',
  path: '/members/assignable',
  summary: 'List members who can be given inspections',
  description:
    'Active members who may inspect: admins, inspectors, and the service identities of API keys. An approver judges the inspections of others and is not among them.',
  access: 'read',
  query: listQuery({}),
  success: 200,
  response: z.array(Member),
  list: true,
  grants: ['table:Query'],
  calls: 2,
});

export const handler = createHandler(operation, ({ query, caller }) => members.listAssignable(caller, query));
