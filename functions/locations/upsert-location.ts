import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { upsert } from '../../shared/http/upsert.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { EXTERNAL_REF, locationRecords } from '../../shared/places/locations/records.ts';
import { Location, LocationChanges, NewLocation } from '../../shared/schemas/location.ts';
import { UPSERT_DESCRIPTION, upsertOf } from '../../shared/schemas/upsert.ts';
import { standingFor } from '../../shared/table/former-locations.ts';

export const operation = defineOperation({
  id: 'upsertLocation',
  method: 'PUT',
  path: '/locations/by-external-ref/{external_ref}',
  summary: 'Create or update a location by its external_ref',
  description: `${UPSERT_DESCRIPTION}\n\nThe client account of a location is changed only by \`POST /locations/{location_id}/transfer\`: another \`client_account_id\` than it has is a \`409\`. So is a field that is synced from another system. The \`external_ref\` of a location that was merged into another one changes that one, which keeps its own.`,
  access: 'write',
  ...upsertOf('Location', NewLocation),
  location: '/locations/{location_id}',
  response: Location,
});

export const handler = createHandler(operation, (request) =>
  upsert(request, {
    records: locationRecords,
    as: EXTERNAL_REF,
    created: NewLocation,
    changed: LocationChanges,
    create: (fields) => locations.create(request.caller, fields),
    standingFor,
    update: (id, changes, version) => locations.update(request.caller, id, changes, version),
  }),
);
