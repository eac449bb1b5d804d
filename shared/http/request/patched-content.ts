import * as errors from '../../base/errors.ts';
import { applyPatch, PatchError } from '../../domain/content/json-patch.ts';
import { Content } from '../../schemas/templates/content.ts';
import type { PatchOperation } from '../../schemas/templates/template.ts';
import { MAX_CONTENT_BYTES } from '../../templates/content.ts';
import { validated } from './validation.ts';

/**
 * Applies a JSON Patch (RFC 6902) to a template's content: all operations or none.
 * @throws ApiError 409 for a failed test; 422 for an operation that cannot be applied, or a result that is not valid
 */
export const patchedContent = (content: Content, operations: PatchOperation[]): Content => {
  let document;
  try {
    document = applyPatch(content, operations, MAX_CONTENT_BYTES);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { position, member, message, isFailedTest } = error;
    if (isFailedTest) throw errors.patchTestFailed(position, message);
    throw errors.validationFailed([
      {
        loc: ['body', 'operations', String(position), member],
        type: 'value_error',
        msg: `Value error, ${message}`,
      },
    ]);
  }
  const result = validated('body', Content, document);
  if ('data' in result) return result.data;
  throw errors.contentInvalid(
    result.problems.map((problem) => ({ ...problem, loc: ['content', ...problem.loc.slice(1)] })),
  );
};
