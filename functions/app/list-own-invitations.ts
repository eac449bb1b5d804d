import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import { OwnInvitation } from '../../shared/schemas/session.ts';

export const operation = defineOperation({
  id: 'listOwnInvitations',
  method: 'GET',
  surface: 'app',
  path: '/me/invitations',
  summary: 'List the invitations of the person',
  description:
    'The invitations that the person can join or decline, ordered by the name of the organization. They are for the address with which the person has signed in: the identity provider has verified it, or the person came by the link of the invitation.',
  access: 'read',
  roles: 'any',
  success: 200,
  response: z.array(OwnInvitation),
});

export const handler = createHandler(operation, ({ session }) => ownInvitations.list(session, Date.now()));
