import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { upsert } from '../../shared/http/upsert.ts';
import * as assets from '../../shared/places/assets/assets.ts';
import { EXTERNAL_REF, assetRecords } from '../../shared/places/assets/records.ts';
import { Asset, AssetChanges, NewAsset } from '../../shared/schemas/assets/asset.ts';
import { UPSERT_DESCRIPTION, upsertOf } from '../../shared/schemas/upsert.ts';

export const operation = defineOperation({
  id: 'upsertAsset',
  method: 'PUT',
  path: '/assets/by-external-ref/{external_ref}',
  summary: 'Create or update an asset by its external_ref',
  description: `${UPSERT_DESCRIPTION}\n\nAn asset that was decommissioned stays so, unless \`status\` puts it into service again. Another \`location_id\` moves it.`,
  access: 'write',
  ...upsertOf('Asset', NewAsset),
  location: '/assets/{asset_id}',
  response: Asset,
});

export const handler = createHandler(operation, (request) =>
  upsert(request, {
    records: assetRecords,
    as: EXTERNAL_REF,
    created: NewAsset,
    changed: AssetChanges,
    create: (fields) => assets.create(request.caller, fields),
    update: (id, changes, version) => assets.update(request.caller, id, changes, version),
  }),
);
