import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as members from '../../shared/organizations/members/members.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { Member } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'listAssignableMembers',
  method: 'GET',
  path: '/members/assignable',
  summary: 'List assignable members',
  description:
    'Active members who can carry out inspections: admins, inspectors, and the service identities of API keys that can write. Approvers, and keys that were revoked, have expired or may only read, are not listed: nothing can be assigned to them.',
  access: 'read',
  people: ['admin'],
  query: listQuery({}),
  success: 200,
  response: z.array(Member),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => members.listAssignable(caller, query));
