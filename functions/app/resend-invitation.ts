import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Member } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'resendInvitation',
  method: 'POST',
  surface: 'app',
  path: '/members/{user_id}/invitation',
  summary: 'Send an invitation again',
  description: 'Sends a new link, which works for 7 days from now. The former link stops working.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ user_id: Uuid }),
  success: 200,
  response: Member,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, caller }) =>
  invitations.resend(caller, params.user_id),
);
