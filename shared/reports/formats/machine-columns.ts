import type { ReportAnswer, ReportField } from '../../schemas/reports/report-answer.ts';
import { answerValue, type CellValue } from './answer-value.ts';

/*
 * The columns of exported answers that programs read. A text in them is a text of the answer; everything that is more
 * than one text is JSON. Together with `note`, `is_na` and the times of an answer they lose nothing of it.
 */

/** The media of a field's value, without those beside it, as `GET …/responses` has them. */
const valueMedia = ({ media }: ReportField, count: number) =>
  media.slice(0, count).map(({ document_id, caption }) => ({ document_id, caption }));

/** What the typed answer tells of the value: all of it, except where the field has `value` itself. */
const typedValue = (field: ReportField, answer: ReportAnswer): unknown => {
  switch (answer.kind) {
    case 'options': {
      const codes = answer.options.map(({ value }) => value);
      return field.type === 'multi_select' ? codes : codes[0];
    }
    case 'media':
      return valueMedia(field, answer.document_ids.length);
    case 'signature': {
      const { document_id, typed, signed_name, signed_at } = answer;
      return { document_id, typed, signed_name, signed_at };
    }
    case 'position':
      return answer.position;
    case 'address': {
      const { lines, city, region, postal_code, country } = answer.address;
      const [line1 = '', line2 = ''] = lines;
      return { line1, line2, city, region, postal_code, country };
    }
    case 'member':
    case 'client_account':
    case 'location':
      return answer.id;
    case 'reference': {
      const { source_id, external_id, label } = answer;
      return { source_id, external_id, label };
    }
    case 'text':
    case 'number':
    case 'yes_no':
    case 'date':
    case 'time':
    case 'datetime':
      return answerValue(answer);
  }
};

/** The value of an answer as `GET /inspections/{inspection_id}/responses` gives it; null when there is none. */
const answerValueOf = (field: ReportField): unknown =>
  field.value ?? (field.answer && typedValue(field, field.answer)) ?? null;

/**
 * The value of an answer in one cell: the code of a single choice, an id, a date, a number, a boolean or a text as it
 * is; a list of codes, media, a signature, a position, an address and a reference as JSON.
 */
export const machineValue = (field: ReportField): CellValue => {
  const value = answerValueOf(field);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CellValue);
};

const CHOICES = new Set(['yes_no_na', 'pass_fail_na', 'single_select', 'multi_select']);

/** A chosen option. One that was removed from its list has no label: its value stands in. */
export interface ChosenOption {
  value: string;
  label: string;
}

/** The options that an answer chooses, in the order of its value; undefined for what is no choice, or not answered. */
export const chosen = (field: ReportField): ChosenOption[] | undefined => {
  const value = answerValueOf(field);
  if (!CHOICES.has(field.type) || value === null) return undefined;
  const options = field.answer?.kind === 'options' ? field.answer.options : [];
  const labels = new Map(options.map((option) => [option.value, option.label]));
  const codes = [value].flat() as string[];
  return codes.map((code) => ({ value: code, label: labels.get(code) ?? code }));
};

const list = (items: readonly unknown[] | undefined): string | null =>
  items === undefined || items.length === 0 ? null : JSON.stringify(items);

/**
 * The columns in their order, by names that are the same in every language and format. The lists of files are parallel:
 * the files of the value come first, then those beside it; the name of a deleted file is null.
 */
export const MACHINE_COLUMNS: Readonly<Record<string, (field: ReportField) => CellValue>> = {
  value: machineValue,
  labels: (field) => list(chosen(field)?.map(({ label }) => label)),
  file_ids: ({ media }) => list(media.map(({ document_id }) => document_id)),
  file_names: ({ media }) => list(media.map(({ file_name }) => file_name)),
  file_captions: ({ media }) => list(media.map(({ caption }) => caption)),
};
