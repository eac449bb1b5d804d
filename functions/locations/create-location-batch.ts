import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { EXTERNAL_REF } from '../../shared/places/locations/records.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';
import { Location, NewLocation } from '../../shared/schemas/location.ts';

export const operation = defineOperation({
  id: 'createLocationBatch',
  method: 'POST',
  path: '/locations/batch',
  summary: 'Create many locations',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  ...batchOf('Location', NewLocation, Location),
  rows: 'rows',
  success: 200,
});

export const handler = createHandler(operation, ({ body, caller }) =>
  createAll(caller, body.rows, {
    operation: 'createLocation',
    create: (row) => locations.create(caller, row),
    known: { as: EXTERNAL_REF, get: (id) => locations.get(caller, id) },
  }),
);
