import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { patchedContent } from '../../../shared/http/request/patched-content.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { ContentChange, Template } from '../../../shared/schemas/templates/template.ts';
import { encodeContent } from '../../../shared/templates/content.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'updateTemplateContent',
  method: 'PATCH',
  path: '/templates/{template_id}/content',
  summary: 'Update the content of a draft',
  description:
    'Send the complete new `content`, or the `operations` of a JSON Patch (RFC 6902), which are applied together or not at all. Refused with `409` unless the version is a draft, and when a `test` of the patch fails. If the patched content is not valid, each `loc` is a path in it: `["content", "sections", "0", …]`. A content has at most 5 MB of JSON, and 350 KB compressed with gzip.',
  access: 'write',
  params: z.strictObject({ template_id: Uuid }),
  body: ContentChange,
  guarded: true,
  success: 200,
  response: Template,
  heavy: true,
  example: {
    body: {
      operations: [
        { op: 'test', path: '/sections/0/title', value: 'Guard rails' },
        { op: 'replace', path: '/sections/0/fields/2/required', value: true },
      ],
      expected_content_version: 3,
    },
  },
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) => {
  const given = body.content && encodeContent(body.content, ['body']);
  return templates.updateContent(
    caller,
    params.template_id,
    { version: expectedVersion, contentVersion: body.expected_content_version },
    async (readCurrent) => given ?? encodeContent(patchedContent(await readCurrent(), body.operations ?? [])),
  );
});
