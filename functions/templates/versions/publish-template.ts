import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Template } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/publish.ts';

export const operation = defineOperation({
  id: 'publishTemplate',
  method: 'POST',
  path: '/templates/{template_id}/publish',
  summary: 'Publish a draft',
  description:
    'The draft becomes the current version of its family, and the previous version is superseded. Existing inspections keep their version. Response sets with a `source_id` get the active rows of their source as options, as they are now. A content that is not valid is `422` with all its problems; each `loc` is a path in the content: `["content", "sections", "0", …]`.',
  access: 'write',
  params: z.strictObject({ template_id: Uuid }),
  guarded: true,
  success: 200,
  response: Template,
  heavy: true,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  templates.publish(caller, params.template_id, expectedVersion),
);
