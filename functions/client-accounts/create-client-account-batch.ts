import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';
import { ClientAccount, NewClientAccount } from '../../shared/schemas/client-account.ts';

export const operation = defineOperation({
  id: 'createClientAccountBatch',
  method: 'POST',
  path: '/client-accounts/batch',
  summary: 'Create many client accounts',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  ...batchOf('ClientAccount', NewClientAccount, ClientAccount),
  rows: 'rows',
  success: 200,
});

export const handler = createHandler(operation, ({ body, caller }) =>
  createAll(caller, body.rows, {
    operation: 'createClientAccount',
    create: (row) => clientAccounts.create(caller, row),
    known: { as: clientAccounts.EXTERNAL_REF, get: (id) => clientAccounts.get(caller, id) },
  }),
);
