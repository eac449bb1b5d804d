import * as z from 'zod';
import * as templates from '../../shared/db/templates/templates.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { PublishImpact } from '../../shared/schemas/templates/publish-impact.ts';

export const operation = defineOperation({
  id: 'getPublishImpact',
  method: 'GET',
  path: '/templates/{template_id}/publish-impact',
  summary: 'Get what publishing a draft would change',
  description:
    "The draft beside its family's current version: which fields, sections and start fields come, go and change, and which changes make former answers unfit for those who compare inspections across versions, as a removed field does. `problems` are what a publish would be refused for.\n\nNothing happens to running inspections (those neither completed nor archived), which are counted here: each stays on the version that it pinned when it was created. Only a draft has an impact, else `409`.",
  access: 'read',
  params: z.strictObject({ template_id: Uuid }),
  success: 200,
  response: PublishImpact,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query'],
  calls: 5,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  templates.publishImpact(caller, params.template_id),
);
