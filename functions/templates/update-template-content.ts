import * as z from 'zod';
import { encodeContent, MOST_CONTENT } from '../../shared/db/content.ts';
import { templates } from '../../shared/db/templates.ts';
import { applyPatch, PatchError } from '../../shared/domain/json-patch.ts';
import { conflict, unprocessable } from '../../shared/http/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { validationProblems } from '../../shared/http/validation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Content } from '../../shared/schemas/content.ts';
import { ContentChange, type PatchOperation, Template } from '../../shared/schemas/template.ts';

export const operation = defineOperation({
  id: 'updateTemplateContent',
  method: 'PATCH',
  path: '/templates/{template_id}/content',
  summary: 'Change the content of a draft',
  description:
    'Replaced whole by `content`, or changed by the `operations` of a JSON Patch (RFC 6902), all or none. Only a draft can be changed, else `409`; so is a `test` that fails. What the patched content is refused for has a `loc` into that content: `["content", "sections", "0", …]`. A content holds at most 5 MB of JSON and 350 KB when compressed with gzip.',
  access: 'write',
  params: z.strictObject({ template_id: Uuid }),
  body: ContentChange,
  success: 200,
  response: Template,
  errors: [409],
  grants: ['table:GetItem', 'table:PutItem'],
  calls: 4,
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

/** @throws ApiError 409 for a failed test; 422 for an operation that cannot be applied, or what comes of them */
const patched = (content: Content, operations: PatchOperation[]): Content => {
  let document;
  try {
    document = applyPatch(content, operations, MOST_CONTENT);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { position, member, message, isFailedTest } = error;
    if (isFailedTest) throw conflict(`operations.${position}: ${message}`);
    throw unprocessable([
      {
        loc: ['body', 'operations', String(position), member],
        type: 'value_error',
        msg: `Value error, ${message}`,
      },
    ]);
  }
  const { success, data, error } = Content.safeParse(document);
  if (success) return data;
  const problems = validationProblems('body', error.issues, document);
  throw unprocessable(problems.map((problem) => ({ ...problem, loc: ['content', ...problem.loc.slice(1)] })));
};

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) => {
  const given = 'content' in body ? encodeContent(body.content, ['body']) : undefined;
  return templates.updateContent(
    caller,
    params.template_id,
    { version: expectedVersion, contentVersion: body.expected_content_version },
    async (standing) =>
      given ?? encodeContent(patched(await standing(), 'operations' in body ? body.operations : [])),
  );
});
