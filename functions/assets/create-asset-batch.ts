import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { EXTERNAL_REF } from '../../shared/places/assets/records.ts';
import { Asset, NewAsset } from '../../shared/schemas/assets/asset.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';

export const operation = defineOperation({
  id: 'createAssetBatch',
  method: 'POST',
  path: '/assets/batch',
  summary: 'Create many assets',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  ...batchOf('Asset', NewAsset, Asset),
  rows: 'rows',
  success: 200,
});

export const handler = createHandler(operation, ({ body, caller }) =>
  createAll(caller, body.rows, {
    operation: 'createAsset',
    create: (row) => assets.create(caller, row),
    known: { as: EXTERNAL_REF, get: (id) => assets.get(caller, id) },
  }),
);
