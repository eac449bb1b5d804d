import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { upsert } from '../../shared/http/upsert.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import {
  ClientAccount,
  ClientAccountChanges,
  NewClientAccount,
} from '../../shared/schemas/client-account.ts';
import { UPSERT_DESCRIPTION, upsertOf } from '../../shared/schemas/upsert.ts';

export const operation = defineOperation({
  id: 'upsertClientAccount',
  method: 'PUT',
  path: '/client-accounts/by-external-ref/{external_ref}',
  summary: 'Create or update a client account by its external_ref',
  description: UPSERT_DESCRIPTION,
  access: 'write',
  ...upsertOf('ClientAccount', NewClientAccount),
  location: '/client-accounts/{ca_id}',
  response: ClientAccount,
});

export const handler = createHandler(operation, (request) =>
  upsert(request, {
    records: clientAccounts.clientAccountRecords,
    as: clientAccounts.EXTERNAL_REF,
    created: NewClientAccount,
    changed: ClientAccountChanges,
    create: (fields) => clientAccounts.create(request.caller, fields),
    update: (id, changes, version) => clientAccounts.update(request.caller, id, changes, version),
  }),
);
