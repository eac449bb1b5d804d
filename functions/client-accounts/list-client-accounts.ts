import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { ClientAccount } from '../../shared/schemas/client-account.ts';
import { ExternalRef, listQuery, SearchText } from '../../shared/schemas/common.ts';
import { labelFilters } from '../../shared/schemas/labels.ts';

export const operation = defineOperation({
  id: 'listClientAccounts',
  method: 'GET',
  path: '/client-accounts',
  summary: 'List client accounts',
  access: 'read',
  people: ['admin'],
  query: listQuery({
    q: SearchText.optional().meta({
      description: 'A part of the name or the `external_ref`; case is ignored.',
    }),
    external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
    is_active: z.boolean().optional(),
    ...labelFilters,
  }),
  success: 200,
  response: z.array(ClientAccount),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => clientAccounts.list(caller, query));
