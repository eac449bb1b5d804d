import type { Problem } from '../../../base/problem.ts';
import type { Content, FieldType } from '../../../schemas/templates/content.ts';
import { indexContent, sectionsOf } from '../content-index.ts';
import { isCompatible } from '../field-types.ts';
import { problemAt } from './problems.ts';

function* typeProblems(was: FieldType | undefined, is: FieldType, loc: string[]): Generator<Problem> {
  if (was !== undefined && !isCompatible(was, is))
    yield problemAt(
      [...loc, 'type'],
      `answers to a ${was} field are not valid for a ${is} field: give the field a new id`,
    );
}

/**
 * Fields whose type changed so that answers to the version published before are no longer valid. An id or key keeps
 * its meaning from version to version.
 */
export function* compatibilityProblems(content: Content, previous: Content): Generator<Problem> {
  const before = indexContent(previous);
  for (const [i, { key, type }] of content.start.fields.entries())
    yield* typeProblems(before.startFields.get(key)?.type, type, ['content', 'start', 'fields', String(i)]);
  for (const { section, loc } of sectionsOf(content))
    for (const [i, { id, type }] of section.fields.entries())
      yield* typeProblems(before.fields.get(id)?.field.type, type, [...loc, 'fields', String(i)]);
}
