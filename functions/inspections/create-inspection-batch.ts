import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/create.ts';
import { show } from '../../shared/inspections/lists.ts';
import { EXTERNAL_REF } from '../../shared/inspections/rows/inspection-records.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';
import { Inspection, NewInspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'createInspectionBatch',
  method: 'POST',
  path: '/inspections/batch',
  summary: 'Create many inspections',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  ...batchOf('Inspection', NewInspection, Inspection),
  rows: 'rows',
  success: 200,
});

export const handler = createHandler(operation, ({ body, caller }) =>
  createAll(caller, body.rows, {
    operation: 'createInspection',
    create: (row) => inspections.create(caller, row),
    known: { as: EXTERNAL_REF, get: (id) => show(caller, id) },
  }),
);
