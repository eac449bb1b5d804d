import { fill } from '../../../../shared/base/i18n/plural.ts';
import type { AdminTexts } from '../../../../shared/base/i18n/texts/admin.ts';
import {
  type ContentIndex,
  optionsOf,
  type Question,
} from '../../../../shared/domain/content/content-index.ts';
import type { Condition, FailRule, Operand } from '../../../../shared/schemas/templates/content.ts';

/** The words in which conditions are put. */
export interface Wording {
  texts: Pick<AdminTexts['template'], 'ops' | 'quoted'>;
  yes: string;
  no: string;
  number: (n: number) => string;
  /** Several texts as one: with “and”, or with “or”. */
  list: (texts: readonly string[], type: 'conjunction' | 'disjunction') => string;
}

type Questions = Pick<ContentIndex, 'fields' | 'startFields'>;

const questionAt = ({ fields, startFields }: Questions, name: string): Question | undefined =>
  fields.get(name)?.field ?? startFields.get(name);

/** A text of the template in quotes, which keeps its own direction. */
const quoted = ({ texts }: Wording, text: string): string =>
  fill(texts.quoted, { text: `\u2068${text}\u2069` });

/** A text of a template, which may name questions by their ids, with the labels of these questions. */
export const withLabels = (text: string, questions: Questions): string =>
  text.replaceAll(/\$?\{(?:field:)?([\w-]+)\}/g, (whole, name: string) => {
    const question = questionAt(questions, name);
    return question ? `[${question.label}]` : whole;
  });

/** An answer as people read it: an option by its label. */
export const answerText = (
  wording: Wording,
  index: ContentIndex,
  question: Question | undefined,
  value: unknown,
): string => {
  if (typeof value === 'boolean') return value ? wording.yes : wording.no;
  if (typeof value === 'number') return wording.number(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  const found = question && optionsOf(index, question).find((option) => option.value === value);
  return found?.label ?? value;
};

type Op = FailRule['op'] | 'empty' | 'failed';

/** The operators that compare with each of a list, as those that compare with one. */
const EACH: Partial<Record<Op, 'eq' | 'ne'>> = { in: 'eq', not_in: 'ne' };

const comparisonText = (
  wording: Wording,
  index: ContentIndex,
  name: string,
  op: Op,
  operand: Operand | null | undefined,
): string => {
  const question = questionAt(index, name);
  const of = quoted(wording, question ? withLabels(question.label, index) : name);
  const values = (Array.isArray(operand) ? operand : [operand]).map((value) =>
    quoted(wording, answerText(wording, index, question, value)),
  );
  const text = wording.texts.ops[EACH[op] ?? (op as Exclude<Op, 'in' | 'not_in'>)];
  const [from = '', to = ''] = values;
  return fill(text, { question: of, value: wording.list(values, 'disjunction'), from, to });
};

/** When an answer of a question fails, in words. */
export const failText = (
  wording: Wording,
  index: ContentIndex,
  name: string,
  { op, value }: FailRule,
): string => comparisonText(wording, index, name, op, value);

/** A condition in words, such as “Is the door blocked?” is “No”. */
export const conditionText = (
  wording: Wording,
  index: ContentIndex,
  condition: Condition,
  isWithin = false,
): string => {
  if (!('all' in condition) && !('any' in condition)) {
    const name = 'field_id' in condition ? condition.field_id : condition.start_key;
    return comparisonText(wording, index, name, condition.op, condition.value);
  }
  const parts = 'all' in condition ? condition.all : condition.any;
  const texts = parts.map((part) => conditionText(wording, index, part, true));
  const text = wording.list(texts, 'all' in condition ? 'conjunction' : 'disjunction');
  return isWithin && texts.length > 1 ? `(${text})` : text;
};
