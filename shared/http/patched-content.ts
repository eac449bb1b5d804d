import { conflict, unprocessable } from '../base/errors.ts';
import { MOST_CONTENT } from '../db/templates/content.ts';
import { applyPatch, PatchError } from '../domain/content/json-patch.ts';
import { Content } from '../schemas/templates/content.ts';
import type { PatchOperation } from '../schemas/templates/template.ts';
import { validated } from './validation.ts';

/**
 * A template's content as the operations of a JSON Patch (RFC 6902) make it, all or none.
 * @throws ApiError 409 for a failed test; 422 for an operation that cannot be applied, or what comes of them
 */
export const patchedContent = (content: Content, operations: PatchOperation[]): Content => {
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
  const result = validated('body', Content, document);
  if ('data' in result) return result.data;
  throw unprocessable(
    result.problems.map((problem) => ({ ...problem, loc: ['content', ...problem.loc.slice(1)] })),
  );
};
