import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { ReportField, ReportInstance, ReportSection } from '../../schemas/reports/report-answer.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { answerValue, type CellValue } from './answer-value.ts';
import { CSV_FORM } from './csv-form.ts';
import { MACHINE_COLUMNS } from './machine-columns.ts';

/** A question with its answer and its sections. */
interface AnswerRecord {
  /** The titles of its sections, outermost first, with the instances of those that repeat. */
  section: string;
  field: ReportField;
}

/** The answer that names an instance, else its number. */
const instanceName = ({ label, position }: Pick<ReportInstance, 'label' | 'position'>): string => {
  const text = label === null ? '' : String(answerValue(label) ?? '');
  return text || `#${position}`;
};

const sectionRecords = function* (section: ReportSection, outer: string): Generator<AnswerRecord> {
  const name = outer === '' ? section.title : `${outer} › ${section.title}`;
  const parts = section.instances?.map((instance) => ({
    ...instance,
    name: `${name} › ${instanceName(instance)}`,
  })) ?? [{ ...section, name }];
  for (const part of parts) {
    for (const field of part.fields) yield { section: part.name, field };
    for (const inner of part.sections) yield* sectionRecords(inner, part.name);
  }
};

/** Every question of an inspection in the order of the form; instructions ask nothing. */
export const answerRecords = function* ({ start, sections }: ReportPayload): Generator<AnswerRecord> {
  for (const field of start) yield { section: '', field };
  for (const section of sections) {
    for (const record of sectionRecords(section, '')) {
      if (record.field.type !== 'instruction') yield record;
    }
  }
};

/** The names of the files of an answer. */
export const fileNames = ({ media }: ReportField): string =>
  media.map(({ file_name, document_id }) => file_name ?? document_id).join('; ');

/** Whether a text is a number as we write numbers, such as the code "-1". No spreadsheet takes it for a formula. */
const isNumber = (text: string): boolean => Number.isFinite(Number(text)) && String(Number(text)) === text;

/**
 * A text that programs read back. CSV_FORM puts an apostrophe before what looks like a formula, and this one before a
 * text that begins with an apostrophe: so one apostrophe at the beginning is always ours, and is taken away to read it.
 */
const reversible = (value: CellValue): CellValue => {
  if (typeof value !== 'string') return value;
  if (isNumber(value)) return Number(value);
  return value.startsWith("'") ? `'${value}` : value;
};

/** Whether a text would be read as a number or a boolean. */
const looksTyped = (text: string): boolean =>
  text === 'true' || text === 'false' || (text.trim() !== '' && !Number.isNaN(Number(text)));

/** The same for a field whose type does not say whether its value is a text: only the apostrophe tells "5" from 5. */
const reversibleIn = ({ type }: ReportField, value: CellValue): CellValue =>
  type === 'calculated' && typeof value === 'string' && looksTyped(value) ? `'${value}` : reversible(value);

const machineColumns = Object.fromEntries(
  Object.entries(MACHINE_COLUMNS).map(([name, cell]) => [
    name,
    ({ field }: AnswerRecord) => reversibleIn(field, cell(field)),
  ]),
);

/** The columns in their order. Programs find them by their names, which are the same in every language. */
const COLUMNS: Readonly<Record<string, (record: AnswerRecord) => CellValue>> = {
  section: ({ section }) => section,
  number: ({ field }) => field.number,
  question: ({ field }) => field.label,
  type: ({ field }) => field.type,
  answer: ({ field }) => (field.answer ? answerValue(field.answer) : null),
  unit: ({ field }) => (field.answer?.kind === 'number' ? field.answer.unit : null),
  note: ({ field }) => field.note,
  is_failed: ({ field }) => field.is_failed,
  is_na: ({ field }) => field.is_na,
  files: ({ field }) => fileNames(field),
  answered_by: ({ field }) => field.answered_by_name,
  answered_at: ({ field }) => field.answered_at,
  client_answered_at: ({ field }) => field.client_answered_at,
  field_id: ({ field }) => field.id,
  instance_path: ({ field }) => field.instance_path,
  ...machineColumns,
};

/** The columns that tell the inspections of a merged file apart. */
const INSPECTION_COLUMNS: Readonly<Record<string, (payload: ReportPayload) => CellValue>> = {
  inspection_number: ({ inspection }) => inspection.number,
  inspection_name: ({ inspection }) => inspection.name,
  client: ({ inspection }) => inspection.client?.name ?? null,
  location: ({ inspection }) => inspection.location?.name ?? null,
  inspection_id: ({ inspection }) => inspection.id,
  status: ({ inspection }) => inspection.status,
  result: ({ summary }) => summary.verdict?.result ?? null,
  score: ({ summary }) => summary.score?.percentage ?? null,
  completed_at: ({ inspection }) => inspection.completed_at,
  client_id: ({ inspection }) => inspection.client?.id ?? null,
  location_id: ({ inspection }) => inspection.location?.id ?? null,
};

const lines = async function* (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
  isMerged: boolean,
): AsyncGenerator<CellValue[]> {
  const own = isMerged ? INSPECTION_COLUMNS : {};
  yield [...Object.keys(own), ...Object.keys(COLUMNS)];
  for await (const payload of payloads) {
    const first = Object.values(own).map((cell) => cell(payload));
    for (const record of answerRecords(payload))
      yield [...first, ...Object.values(COLUMNS).map((cell) => cell(record))];
  }
};

/**
 * The answers of inspections as CSV.
 * @param isMerged whether the first columns name the inspection
 * @throws in the stream what `payloads` throws
 */
export const answersCsv = (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
  { isMerged }: { isMerged: boolean },
): Readable =>
  pipeline(
    Readable.from(lines(payloads, isMerged)),
    stringify({ ...CSV_FORM, cast: { boolean: String } }),
    // Whoever reads the stream gets the error.
    () => undefined,
  );
