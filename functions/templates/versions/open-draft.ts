import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Existing } from '../../../shared/http/reply/reply.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Template } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'openDraft',
  method: 'POST',
  path: '/templates/families/{family_id}/draft',
  summary: 'Open the draft of a template family',
  description:
    '`201` with a new draft that is a copy of the current version, or `200` with the draft that exists already.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  guarded: true,
  success: 201,
  existing: 200,
  location: '/templates/{template_id}',
  response: Template,
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  const { template, isNew } = await templates.openDraft(caller, params.family_id, expectedVersion);
  return isNew ? template : new Existing(template);
});
