import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteClientAccount',
  method: 'DELETE',
  path: '/client-accounts/{ca_id}',
  summary: 'Delete a client account',
  description:
    'Refused with `409` when inspections, issues or schedules belong to the client account. With `cascade`, these ' +
    'inspections are deleted as well, with their answers, findings and reports, and so are the issues. The schedules ' +
    'then create nothing until they are changed, and say so (`problem`). The audit log records a deletion with ' +
    '`cascade`.\n\n' +
    'Inspections that were ever completed, approved or signed are never deleted in this way: `409 inspections_kept` ' +
    'says how many there are. Set `is_active` to false instead, or let an admin who has signed in erase the ' +
    'account.\n\n' +
    'The account is deleted at once. Its ' +
    'locations, and with `cascade` its inspections and issues, are deleted a few moments later. Exported files can no ' +
    'longer be found then, and are deleted 31 days after they were made.',
  access: 'write',
  params: z.strictObject({ ca_id: Uuid }),
  query: z.strictObject({
    cascade: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether its inspections and issues are deleted as well.' }),
  }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, query, caller, expectedVersion }) => {
  await clientAccounts.remove(caller, params.ca_id, query, expectedVersion);
});
