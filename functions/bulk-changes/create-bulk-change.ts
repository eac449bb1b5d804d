import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { BulkChange, MAX_BULK_ROWS, NewBulkChange } from '../../shared/schemas/bulk-change.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';
import * as bulkChanges from '../../shared/upkeep/bulk-changes/bulk-changes.ts';

export const operation = defineOperation({
  id: 'createBulkChange',
  method: 'POST',
  path: '/bulk-changes',
  summary: 'Change all rows that a filter finds',
  description:
    `Begins with a dry run: a worker finds the rows, at most ${MAX_BULK_ROWS}, and tries the change on each of them, by the rules of the operation for a single row and with the rights of the caller. \`GET /bulk-changes/{bulk_change_id}/rows\` then lists what would change, and what is refused and why; \`PATCH\` with \`status: running\` carries exactly this out. With \`dry_run: false\` it goes on at once. ` +
    'Each row is changed once, and has its own events and history. A row that somebody else has changed since the dry run stays as it is (`outdated`). Members get their notifications as always, and each one mail about all rows. A key with scopes also needs the scope that writes the resource. ' +
    refusedBeyond('BULK_CHANGE'),
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  app: { path: '/bulk-changes', roles: ['admin'] },
  body: NewBulkChange,
  success: 202,
  location: '/bulk-changes/{bulk_change_id}',
  response: BulkChange,
  example: {
    body: {
      resource: 'inspections',
      filter: { status: ['scheduled'], due_before: '2027-04-01T00:00:00.000Z' },
      action: { type: 'set_due', due_at: '2027-04-30T16:00:00.000Z' },
    },
  },
});

export const handler = createHandler(operation, ({ body, caller }) => bulkChanges.create(caller, body));
