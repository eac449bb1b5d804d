import { evaluate, type KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../../shared/domain/content/content-index.ts';
import { explainScore } from '../../../../shared/domain/content/scoring/explain.ts';
import type { RepeatedFields } from '../../../../shared/domain/content/scoring/shares.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { section, uuid } from '../../../support/content.ts';
import { option } from '../fixtures.ts';

/** A content that is scored. */
export const scored = (sections: object[], scoring: object = {}) =>
  indexContent(Content.parse({ sections, scoring: { enabled: true, ...scoring } }));

/** A content with one section that is scored. */
export const inOne = (fields: object[], scoring: object = {}) => scored([section(1_000, fields)], scoring);

/** In place of a value: the answer is not applicable. */
export const NA = Symbol('not applicable');

export const answer = (n: number, value: unknown, instance_path = ''): KnownAnswer => ({
  field_id: uuid(n),
  instance_path,
  value: value === NA ? null : value,
  is_na: value === NA,
});

export const explained = (
  index: ReturnType<typeof scored>,
  answers: KnownAnswer[] = [],
  repeated?: RepeatedFields,
) => explainScore(evaluate(index, answers, {}), repeated);

export const score = (index: ReturnType<typeof scored>, answers: KnownAnswer[] = []) =>
  explained(index, answers).score;

export const graded = [
  option('good', { score: 10 }),
  option('fair', { score: 2.5 }),
  option('bad', { score: -5, is_failed: true }),
  option('unsaid'),
  option('na', { score: 99, is_na: true }),
];
