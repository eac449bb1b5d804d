import type { Comparison, Condition, Content, Field } from '../../../schemas/templates/content.ts';
import { MAX_CELL_LENGTH } from '../../../schemas/templates/xlsform-limits.ts';
import { type Question, sectionsOf } from '../../content/content-index.ts';
import {
  callOf,
  columnOfAttribute,
  type Expression,
  functionsOfOdk,
  isDynamic,
  mapExpression,
  OF_OPTION,
  printExpression,
} from '../expressions/expression.ts';
import { formulaToOdk, type Reference, replaceLiterals } from '../expressions/literals.ts';
import { ExpressionError, parseExpression } from '../expressions/parse.ts';
import { isFreeColumn } from '../form/columns.ts';
import { conditionExpression, type NamedTarget } from './expressions.ts';
import { type FormLists, formLists, listOf, type GivenNames, namesOf } from './names.ts';

/** The names, lists and questions that are needed to write the cells of a form. */
export interface Writer {
  /** All names of the form, in lower case. */
  taken: Set<string>;
  /** The names of sections and fields by id, of start fields by key. */
  names: ReadonlyMap<string, string>;
  lists: FormLists;
  /** Fields by id, start fields by key. */
  questions: ReadonlyMap<string, Question>;
  /** The name of the question that a text refers to by its id or key. */
  nameOfAnswer: (reference: string) => string | undefined;
  /** The names that the labels of options may refer to as `${name}`. */
  referable: ReadonlySet<string>;
}

export const writerOf = (content: Content, given: GivenNames): Writer => {
  const { names, taken, referable } = namesOf(content, given);
  const questions = new Map<string, Question>(content.start.fields.map((field) => [field.key, field]));
  for (const { section } of sectionsOf(content))
    for (const field of section.fields) questions.set(field.id, field);
  const nameOfAnswer = (reference: string) => (questions.has(reference) ? names.get(reference) : undefined);
  return { taken, names, lists: formLists(content, given, names), questions, nameOfAnswer, referable };
};

const find = ({ questions, names, lists }: Writer, id: string): NamedTarget | undefined => {
  const question = questions.get(id);
  if (!question) return undefined;
  const options = listOf(lists, question)?.options ?? [];
  const isFailedByOptions = !('fail_if' in question) || question.fail_if === null;
  const failed = options.flatMap(({ option }) => (option.is_failed ? [option.value] : []));
  const reference: Reference = 'id' in question ? { field_id: id } : { start_key: id };
  return {
    name: names.get(id)!,
    target: {
      reference,
      type: question.type,
      options: options.map(({ name, option }) => ({ name, value: option.value })),
      isOnce: true,
      failed: isFailedByOptions ? failed : [],
    },
  };
};

/** Whether a text within an expression looks like a reference, so that ODK would replace it. */
const hasReferenceInText = (expression: Expression): boolean => {
  let found = false;
  mapExpression(expression, (part) => {
    found ||= part.kind === 'text' && part.text.includes('${');
    return undefined;
  });
  return found;
};

/** The cell of an expression; "" for none, and where a cell cannot hold it. */
export const expressionText = (expression: Expression | undefined): string => {
  if (!expression || hasReferenceInText(expression)) return '';
  const text = printExpression(expression, (name) => `\${${name}}`);
  return text.length > MAX_CELL_LENGTH ? '' : text;
};

/** The cell of a condition; "" for none, and where ODK has no such expression. */
export const conditionText = (writer: Writer, condition: Condition | null): string =>
  condition
    ? expressionText(
        conditionExpression(condition, (reference: Reference | Comparison) =>
          find(writer, 'field_id' in reference ? reference.field_id : reference.start_key),
        ),
      )
    : '';

/**
 * Turns a text that looks like a date or date-time into a call of `date` or `date-time`, so that ODK compares it by
 * time.
 */
const dateOfOdk = (part: Expression): Expression => {
  if (part.kind !== 'text' || !/^\d{4}-\d\d-\d\d(?:T[\d:.Z+-]+)?$/.test(part.text)) return part;
  return callOf(part.text.includes('T') ? 'date-time' : 'date', part);
};

const ORDERS = new Set(['<', '<=', '>', '>=']);

/** Rewrites an expression of a formula with the functions of ODK, and with its dates, which are not texts. */
const withFunctionsOfOdk = (expression: Expression): Expression =>
  mapExpression(expression, (part) => {
    if (part.kind === 'call' && Object.hasOwn(functionsOfOdk, part.name))
      return callOf(functionsOfOdk[part.name]!, ...part.parts.map(withFunctionsOfOdk));
    if (part.kind !== 'operation' || !ORDERS.has(part.operator)) return undefined;
    const [left, right] = [part.left, part.right].map((side) => withFunctionsOfOdk(dateOfOdk(side)));
    return { ...part, left: left!, right: right! };
  });

/**
 * A formula as an expression of ODK; undefined where there is none.
 * @param self the id of the field that the formula constrains; its answer becomes `.`
 */
const odkExpression = (writer: Writer, formula: string, self?: string): Expression | undefined => {
  try {
    let isKnown = true;
    const expression = mapExpression(parseExpression(formula), (part) =>
      replaceLiterals(part, (id) => find(writer, id.toLowerCase())?.target, formulaToOdk),
    );
    const named = mapExpression(expression, (part) => {
      if (part.kind !== 'answer') return undefined;
      if (part.name.toLowerCase() === self) return { kind: 'self' };
      if (part.name.startsWith(OF_OPTION)) {
        const column = columnOfAttribute(part.name);
        isKnown &&= column === 'name' || isFreeColumn(column);
        return { kind: 'column', name: column };
      }
      const name = writer.names.get(part.name.toLowerCase());
      isKnown &&= name !== undefined;
      return name === undefined ? undefined : { kind: 'answer', name };
    });
    return isKnown ? withFunctionsOfOdk(named) : undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
};

/** The cell of a formula; "" where ODK has no such expression. */
export const formulaText = (writer: Writer, formula: string): string =>
  expressionText(odkExpression(writer, formula));

/** The filter of a field's options as ODK has it; undefined for none, and where ODK has no such expression. */
export const filterExpression = (writer: Writer, { choice_filter }: Field): Expression | undefined => {
  const expression = choice_filter === undefined ? undefined : odkExpression(writer, choice_filter);
  return expression && expressionText(expression) !== '' ? expression : undefined;
};

/** A field's constraint as a part of one of ODK; empty without a constraint, and where ODK has no such expression. */
export const constraintParts = (writer: Writer, { id, constraint }: Field): Expression[] => {
  const expression = constraint === undefined ? undefined : odkExpression(writer, constraint, id);
  return expression && expressionText(expression) !== '' ? [expression] : [];
};

/** The cell of a question's default; "" for none, and where ODK cannot have it. */
export const defaultText = ({ lists }: Writer, question: Question): string => {
  const { type, default_value: value } = question;
  if (value === null) return '';
  const list = type === 'yes_no' ? undefined : listOf(lists, question);
  if (list) {
    const nameOf = (value: unknown) => list.options.find(({ option }) => option.value === value)?.name ?? '';
    const names = Array.isArray(value) ? value.map(nameOf).join(' ') : nameOf(value);
    return isDynamic(names) ? '' : names;
  }
  if (type === 'checkbox') return value === true ? 'OK' : '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (type === 'geo_point' && typeof value === 'object') {
    const { lat, lng, accuracy_m } = value as { lat?: number; lng?: number; accuracy_m?: number | null };
    return `${lat} ${lng} 0 ${accuracy_m ?? 0}`;
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return isDynamic(text) ? '' : text;
};
