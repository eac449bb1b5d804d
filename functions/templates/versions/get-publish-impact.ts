import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { PublishImpact } from '../../../shared/schemas/templates/publish-impact.ts';
import * as templates from '../../../shared/templates/publish.ts';

export const operation = defineOperation({
  id: 'getPublishImpact',
  method: 'GET',
  path: '/templates/{template_id}/publish-impact',
  summary: 'Get the impact of publishing a draft',
  description:
    "Compares the draft with the family's current version: which fields, sections and start fields are added, removed and changed, and which changes are incompatible, so that answers can no longer be compared across versions. `problems` lists what would prevent publishing.\n\n`running_inspections` counts the inspections that are not completed or archived. Publishing does not affect them: each keeps its version. Refused with `409` unless the version is a draft.",
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ template_id: Uuid }),
  success: 200,
  response: PublishImpact,
  errors: [409],
  heavy: true,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  templates.publishImpact(caller, params.template_id),
);
