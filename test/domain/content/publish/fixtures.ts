import type { Problem } from '../../../../shared/base/problem.ts';
import { publishProblems } from '../../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { field, uuid } from '../../../support/content.ts';

export const calculated = (n: number, formula: string, more: object = {}) =>
  field(n, 'calculated', { formula, ...more });

/** A condition on a field. */
export const needs = (n: number) => ({ field_id: uuid(n), op: 'not_empty' });

/** The locations of problems, without `content`. */
export const found = (problems: Problem[]) =>
  problems.map(({ loc }) => loc.join('.').replace(/^content\./, ''));

/** The locations of everything that keeps a content from being published. */
export const published = (content: object, previous?: object) =>
  found(publishProblems(Content.parse(content), previous ? Content.parse(previous) : null));
