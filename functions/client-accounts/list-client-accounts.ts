import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { ClientAccount } from '../../shared/schemas/client-account.ts';
import { ExternalRef, listQuery, searchFilter } from '../../shared/schemas/common.ts';
import { labelFilters } from '../../shared/schemas/labels.ts';

export const operation = defineOperation({
  id: 'listClientAccounts',
  method: 'GET',
  path: '/client-accounts',
  summary: 'List client accounts',
  description:
    'All client accounts, inactive ones included, unless `is_active` leaves them out, in creation order. With `q`, and without filters by tag, metadata or `external_ref`, in the order of the word that was found.',
  access: 'read',
  people: ['admin'],
  query: listQuery({
    ...searchFilter,
    external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
    is_active: z.boolean().optional(),
    ...labelFilters,
  }),
  success: 200,
  response: z.array(ClientAccount),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => clientAccounts.list(caller, query));
