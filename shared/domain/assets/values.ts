import type { Problem } from '../../base/problem.ts';
import type { AssetKind } from '../../schemas/assets/asset-kind.ts';
import type { AssetValue } from '../../schemas/assets/asset.ts';
import { checkAnswers } from '../issues/questions.ts';

/** What a request says of an asset in the fields of its kind. */
export type GivenValues = readonly { field_id: string; value?: unknown }[];

/**
 * Checks values against the fields of a kind, by the rules of the fields of templates.
 * @param kind undefined for an asset of none: then there are no fields
 * @returns the values in the order of the fields, and every problem, loc `["body", "values", …]`
 */
export const checkValues = (
  kind: Pick<AssetKind, 'fields'> | undefined,
  values: GivenValues,
): { checked: AssetValue[]; problems: Problem[] } => {
  const { checked, problems } = checkAnswers(
    kind?.fields ?? [],
    values.map(({ field_id, value }) => ({ question_id: field_id, value })),
    () => undefined,
    { list: 'values', id: 'field_id', asker: 'asset kind' },
  );
  return {
    checked: checked.map(({ question_id, label, value }) => ({ field_id: question_id, label, value })),
    problems,
  };
};

/** The values that another kind has fields for as well. */
export const fittingValues = (
  kind: Pick<AssetKind, 'fields'> | undefined,
  values: readonly AssetValue[],
): AssetValue[] => {
  const known = new Set(kind?.fields.map(({ id }) => id));
  return values.filter(({ field_id }) => known.has(field_id));
};
