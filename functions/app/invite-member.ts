import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import { Member, NewMember } from '../../shared/schemas/member.ts';

export const operation = defineOperation({
  id: 'inviteMember',
  method: 'POST',
  surface: 'app',
  path: '/members',
  summary: 'Invite a member',
  description:
    'The address gets a mail with a link that works once, for 7 days. Whoever signs in with the address, by the link or because the identity provider has verified it, is shown the invitation, and joins or declines it. Until then nothing else is mailed to the address, and no key can act for the member.',
  access: 'write',
  roles: ['admin'],
  body: NewMember,
  success: 201,
  response: Member,
  errors: [409],
});

export const handler = createHandler(operation, ({ body, caller }) => invitations.invite(caller, body));
