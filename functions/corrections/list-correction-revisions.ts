import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { RevisionPage, revisionQuery } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'listCorrectionRevisions',
  method: 'GET',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/revisions',
  summary: 'List the revisions of a correction',
  description:
    'The changes of a correction, the oldest first. There is one revision for each saved change: an answer that was changed twice has two. Without `include_start` the list has body answers only, and every `field_id` is a uuid. With it, changes of start answers are merged into the same sequence, and with `include_setup` those of the setup: fields of the inspection, and findings that were added. When a correction is rejected or discarded, each value that it takes back is a change too. A cursor stays valid while the correction is open: later changes follow at the end.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  query: revisionQuery,
  success: 200,
  response: RevisionPage,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  corrections.listRevisions(caller, params.inspection_id, params.correction_id, query),
);
