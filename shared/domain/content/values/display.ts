import type { ContentIndex, Question } from '../content-index.ts';
import { isEmpty } from './answer.ts';
import { chosenOptions } from './choices.ts';
import { TYPES } from './types.ts';

const joined = (value: unknown): string =>
  Object.values(value as object)
    .filter((part) => !isEmpty(part))
    .join(', ');

/**
 * A checked answer as a short text for a report: options by their labels, numbers with their unit, dates and times
 * unchanged. Ids of people, clients and locations stay ids. No answer is `""`.
 */
export const displayAnswer = (field: Question, index: ContentIndex, value: unknown): string => {
  if (isEmpty(value)) return '';
  const chosen = chosenOptions(field, index, value);
  if (chosen.length > 0) return chosen.map(({ label }) => label).join(', ');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return field.unit ? `${value} ${field.unit}` : String(value);
  if (typeof value === 'string') return value;
  const { display } = TYPES[field.type];
  return display ? display(value as never, field) : joined(value);
};
