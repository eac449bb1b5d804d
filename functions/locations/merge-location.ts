import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { LocationMerge, MergedLocation } from '../../shared/schemas/location.ts';
import { merge } from '../../shared/upkeep/transfers/merges.ts';

export const operation = defineOperation({
  id: 'mergeLocation',
  method: 'POST',
  path: '/locations/{location_id}/merge',
  summary: 'Merge a location into another one',
  description:
    'The location disappears from all lists, and the other one takes its place; the reply is the other location. What is below the location, and its inspections, findings, corrective actions, issues, assets, certificates, schedules and public links get the other location soon after the reply. What was completed keeps the names that it had. The fields of the location itself, such as its name, people and tags, are not taken over. With `dry_run`, nothing is changed: what the merge would refuse is refused, and otherwise the reply also lists what would get the other location.\n\nEvery operation that is given the former id or `external_ref` then acts on the other location: in its path, in a body, in a filter and in an answer. Replies, and all that is stored, name the other one. Only a deletion and another merge of the former location are refused, with `409`.\n\nThe two belong to the same client account. `409` for a location that is synced from another system, when the other one is below it, and while a transfer runs. Merging it into the same location again changes nothing.',
  access: 'write',
  params: z.strictObject({ location_id: Uuid }),
  body: LocationMerge,
  success: 200,
  response: MergedLocation,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  merge(caller, params.location_id, body),
);
