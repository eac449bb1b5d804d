import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import * as lists from '../../shared/inspections/corrective-actions/lists.ts';
import { EXTERNAL_REF } from '../../shared/inspections/rows/corrective-action-records.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, NewCorrectiveAction } from '../../shared/schemas/corrective-action.ts';

const Row = NewCorrectiveAction.safeExtend({
  finding_id: Uuid.meta({ description: 'The finding that the action is for.' }),
});

export const operation = defineOperation({
  id: 'createCorrectiveActionBatch',
  method: 'POST',
  path: '/corrective-actions/batch',
  summary: 'Create many corrective actions',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  ...batchOf('CorrectiveAction', Row, CorrectiveAction),
  rows: 'rows',
  success: 200,
});

export const handler = createHandler(operation, ({ body, caller }) =>
  createAll(caller, body.rows, {
    operation: 'createCorrectiveAction',
    create: ({ finding_id, ...row }) => correctiveActions.create(caller, finding_id, row),
    known: { as: EXTERNAL_REF, get: (id) => lists.get(caller, id) },
  }),
);
