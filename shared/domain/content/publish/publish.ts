import type { Problem } from '../../../base/problem.ts';
import type { Content, FieldType } from '../../../schemas/templates/content.ts';
import { type ContentIndex, indexContent, isAnswerable, sectionsOf } from '../content-index.ts';
import { isCompatible } from '../field-types.ts';
import { canScore } from '../scoring/worth.ts';
import { conditionProblems } from './comparisons.ts';
import { conditionalsOf } from './conditionals.ts';
import { dependencyProblems } from './dependencies.ts';
import { formulasOf } from './formulas.ts';
import { problemAt } from './problems.ts';
import { optionProblems, questionProblems } from './questions.ts';
import { referenceProblems } from './references.ts';
import { sectionProblems } from './sections.ts';
import { structureProblems } from './structure.ts';
import { translationProblems } from './translations.ts';

function* emptinessProblems({ fields }: ContentIndex): Generator<Problem> {
  if (!fields.values().some(({ field }) => isAnswerable(field)))
    yield problemAt(['content', 'sections'], 'There should be at least 1 field to answer', 'too_short', {
      min_length: 1,
    });
}

function* startProblems(index: ContentIndex): Generator<Problem> {
  for (const [i, field] of index.content.start.fields.entries())
    yield* questionProblems(index, field, ['content', 'start', 'fields', String(i)]);
}

function* responseSetProblems({ response_sets }: Content): Generator<Problem> {
  for (const [i, { options, source_id }] of response_sets.entries())
    // The options of a source are checked when they are taken from it.
    if (source_id === undefined)
      yield* optionProblems(options, ['content', 'response_sets', String(i), 'options']);
}

function* scoringProblems(index: ContentIndex): Generator<Problem> {
  if (index.content.scoring.enabled && !canScore(index))
    yield problemAt(['content', 'scoring', 'enabled'], 'the content has no field that can be scored');
}

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
function* compatibilityProblems(content: Content, previous: Content): Generator<Problem> {
  const before = indexContent(previous);
  for (const [i, { key, type }] of content.start.fields.entries())
    yield* typeProblems(before.startFields.get(key)?.type, type, ['content', 'start', 'fields', String(i)]);
  for (const { section, loc } of sectionsOf(content))
    for (const [i, { id, type }] of section.fields.entries())
      yield* typeProblems(before.fields.get(id)?.field.type, type, [...loc, 'fields', String(i)]);
}

function* allProblems(content: Content, previous: Content | null): Generator<Problem> {
  yield* structureProblems(content);
  const index = indexContent(content);
  const formulas = formulasOf(index);
  yield* emptinessProblems(index);
  yield* startProblems(index);
  yield* sectionProblems(index, formulas);
  yield* responseSetProblems(content);
  for (const conditional of conditionalsOf(content)) yield* conditionProblems(index, conditional);
  yield* dependencyProblems(content, formulas);
  yield* scoringProblems(index);
  yield* translationProblems(index);
  yield* referenceProblems(index);
  if (previous) yield* compatibilityProblems(content, previous);
}

/**
 * Everything that keeps a content from being published, its structure included.
 * @param previous the version published before; null for the first one
 * @returns every problem, loc beginning with `content`; `[]` when it can be published
 */
export const publishProblems = (content: Content, previous: Content | null = null): Problem[] => [
  ...allProblems(content, previous),
];
