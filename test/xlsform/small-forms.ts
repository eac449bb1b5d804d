import { sectionsOf } from '../../shared/domain/content/content-index.ts';
import { sheetOfRows, type Sheet } from '../../shared/domain/xlsform/form/sheets.ts';
import { FormError } from '../../shared/domain/xlsform/import/diagnostics.ts';
import { type Imported, importForm } from '../../shared/domain/xlsform/import/import.ts';
import { readCsv } from '../../shared/domain/xlsform/workbook/read.ts';
import type { Content, Field } from '../../shared/schemas/templates/content.ts';
import type { FormRow } from '../../shared/schemas/templates/xlsform.ts';

export const YES_NO = [
  { list_name: 'yes_no', name: 'yes', label: 'Yes' },
  { list_name: 'yes_no', name: 'no', label: 'No' },
];

/** The sheets of a form beside its survey, and the language of the request. */
export interface Form {
  choices?: FormRow[];
  settings?: FormRow;
  /** Files with lists of options, by name: their texts. */
  files?: Record<string, string>;
  language?: string;
}

const sheetsOf = (survey: FormRow[], { choices = YES_NO, settings = {} }: Form = {}): Sheet[] => [
  sheetOfRows('survey', survey),
  sheetOfRows('choices', choices),
  sheetOfRows('settings', [settings]),
];

/** Imports a form of these rows. */
export const imported = (survey: FormRow[], form: Form = {}): Imported =>
  importForm(sheetsOf(survey, form), [], {
    name: 'Cranes',
    language: form.language,
    files: new Map(
      Object.entries(form.files ?? {}).map(([name, text]) => [name, readCsv(Buffer.from(text))]),
    ),
  });

export const fieldsOf = (content: Content): Field[] =>
  [...sectionsOf(content)].flatMap(({ section }) => section.fields);

/** The field with a label. */
export const labelled = ({ content }: Imported, label: string): Field =>
  fieldsOf(content).find((field) => field.label === label)!;

/** The problems of a form that cannot be imported, each with its place. */
export const problemsOf = (survey: FormRow[], form: Form = {}) => {
  try {
    imported(survey, form);
  } catch (error) {
    if (error instanceof FormError)
      return error.problems.map(({ sheet, row, column, message }) => `${sheet} ${row} ${column}: ${message}`);
    throw error;
  }
  throw new Error('the form was imported');
};

/** The remarks on what is lost, each with its column. */
export const lost = ({ remarks }: Imported) =>
  remarks.filter(({ severity }) => severity === 'lost').map(({ column, message }) => `${column}: ${message}`);

/** One question of each kind that the tests' expressions refer to. */
export const ASKED: FormRow[] = [
  { type: 'text', name: 'text', label: 'text' },
  { type: 'integer', name: 'number', label: 'number' },
  { type: 'select_one yes_no', name: 'one', label: 'one' },
  { type: 'select_multiple yes_no', name: 'many', label: 'many' },
  { type: 'date', name: 'day', label: 'day' },
  { type: 'acknowledge', name: 'seen', label: 'seen' },
  { type: 'calculate', name: 'sum', label: 'sum', calculation: '${number} + 1' },
];

/** A condition or formula with labels in place of ids, which differ from form to form. */
export const spoken = (content: Content, value: unknown): unknown => {
  const labels = new Map(fieldsOf(content).map(({ id, label }) => [id, label]));
  return JSON.parse(
    JSON.stringify(value).replaceAll(
      /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
      (id) => labels.get(id) ?? id,
    ),
  );
};
