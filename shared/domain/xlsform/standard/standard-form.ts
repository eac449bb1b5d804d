import type { Content, Field, Section, StartField } from '../../../schemas/templates/content.ts';
import { isAnswerable, limitsOf } from '../../content/content-index.ts';
import { columnsIn } from '../expressions/expression.ts';
import { MESSAGES, ownColumn } from '../form/columns.ts';
import { cellText } from '../form/sheets.ts';
import { joinedBy, limitExpressions, shownText } from './expressions.ts';
import { type FormList, idOf, listOf, type GivenNames, START_GROUP, types } from './names.ts';
import {
  conditionText,
  constraintParts,
  defaultText,
  expressionText,
  filterExpression,
  formulaText,
  type Writer,
  writerOf,
} from './writer.ts';

/** A part of a content that has a row in the survey. */
export type FormPart = Field | StartField | Section;

/** A row of a form by the names of its columns. */
export interface FormRow {
  cells: Map<string, string>;
  /** The part that the row is written for; undefined for an end. */
  part: FormPart | undefined;
}

/** A content in the columns of the XLSForm standard, and `inspection__id`. */
export interface StandardForm {
  survey: FormRow[];
  lists: FormList[];
  /** The name of the question that a text refers to by its id or key. */
  nameOfAnswer: (reference: string) => string | undefined;
  /** The names that the labels of options may refer to as `${name}`. */
  referable: ReadonlySet<string>;
}

export const NO_NAMES: GivenNames = { part: () => undefined, list: () => undefined };

const rowOf = (part: FormPart | undefined, cells: Record<string, string>): FormRow => ({
  cells: new Map(
    Object.entries(cells).flatMap(([column, text]) => (text === '' ? [] : [[column, cellText(text)]])),
  ),
  part,
});

/** The calculation of a row whose formula ODK cannot calculate. ODK requires one. */
const NO_RESULT = "''";

/** Whether ODK accepts these limits of a range: whole steps, of which at least one fits. */
const isRangeOfOdk = (min: number, max: number, step: number): boolean => step > 0 && step <= max - min;

/** The text of a question's choice filter. The list gets the columns that the filter refers to. */
const choiceFilterText = (
  writer: Writer,
  question: Field | StartField,
  list: FormList | undefined,
): string => {
  const filter = list && 'id' in question ? filterExpression(writer, question) : undefined;
  if (!filter) return '';
  for (const column of columnsIn(filter)) if (column !== 'name') list!.columns.add(column);
  return expressionText(filter);
};

const questionRow = (writer: Writer, question: Field | StartField): FormRow => {
  const { type } = question;
  const [plain, appearance = ''] = types[type];
  const list = listOf(writer.lists, question);
  const name = writer.names.get(idOf(question))!;
  const { min, max, step } = limitsOf(question);
  // `limitsOf` gives all three to ratings and sliders.
  const isRange = plain === 'range' && isRangeOfOdk(min!, max!, step!);
  const isWhole = type === 'number' && step === 1 && Number.isInteger(min ?? 0);
  const formula = 'formula' in question && question.formula ? formulaText(writer, question.formula) : '';
  const isAsked = isAnswerable(question);
  const required_if = 'required_if' in question ? question.required_if : null;
  return rowOf(question, {
    type: list
      ? `${plain} ${list.name}`
      : isWhole
        ? 'integer'
        : plain === 'range' && !isRange
          ? 'decimal'
          : plain,
    name,
    label: shownText(question.label, writer.nameOfAnswer),
    hint: shownText(question.help_text ?? '', writer.nameOfAnswer),
    required: !isAsked ? '' : question.required ? 'yes' : conditionText(writer, required_if),
    relevant: conditionText(writer, question.visible_if),
    constraint: expressionText(
      joinedBy('and', [
        ...(isRange ? [] : limitExpressions(type, question)),
        ...('id' in question && isAsked ? constraintParts(writer, question) : []),
      ]),
    ),
    ...(isAsked &&
      Object.fromEntries(
        MESSAGES.map((name) => [name, shownText(question[name] ?? '', writer.nameOfAnswer)]),
      )),
    choice_filter: choiceFilterText(writer, question, list),
    calculation: formula || (plain === 'calculate' ? NO_RESULT : ''),
    default: isAsked ? defaultText(writer, question) : '',
    appearance: plain === 'range' && !isRange ? '' : appearance,
    parameters: isRange ? `start=${min} end=${max} step=${step}` : '',
    ...('id' in question && { [ownColumn('id')]: question.id }),
    ...('key' in question && question.key !== name && { [ownColumn('key')]: question.key }),
  });
};

const sectionRows = (writer: Writer, section: Section): FormRow[] => {
  const { repeat } = section;
  const kind = repeat ? 'repeat' : 'group';
  return [
    rowOf(section, {
      type: `begin ${kind}`,
      name: writer.names.get(section.id)!,
      label: shownText(section.title, writer.nameOfAnswer),
      hint: shownText(section.description ?? '', writer.nameOfAnswer),
      relevant: conditionText(writer, section.visible_if),
      repeat_count: repeat && repeat.min === repeat.max ? String(repeat.min) : '',
      [ownColumn('id')]: section.id,
    }),
    ...section.fields.map((field) => questionRow(writer, field)),
    ...section.sections.flatMap((inner) => sectionRows(writer, inner)),
    rowOf(undefined, { type: `end ${kind}` }),
  ];
};

/** The rows of the start fields, in a group of their own. Other systems see an ordinary group. */
const startRows = (writer: Writer, fields: readonly StartField[]): FormRow[] => {
  if (fields.length === 0) return [];
  const begin = rowOf(undefined, {
    type: 'begin group',
    name: START_GROUP,
    label: 'Start',
    [ownColumn('start')]: 'true',
  });
  const rows = fields.map((field) => questionRow(writer, field));
  return [begin, ...rows, rowOf(undefined, { type: 'end group' })];
};

/**
 * A content as an XLSForm that ODK and KoboToolbox can show, with everything that the standard's columns can say.
 * @param given the names that the form has already; all others are made of the labels
 */
export const standardForm = (content: Content, given: GivenNames = NO_NAMES): StandardForm => {
  const writer = writerOf(content, given);
  const survey = [
    ...startRows(writer, content.start.fields),
    ...content.sections.flatMap((section) => sectionRows(writer, section)),
  ];
  const { nameOfAnswer, referable } = writer;
  return { survey, lists: [...writer.lists.lists.values()], nameOfAnswer, referable };
};
