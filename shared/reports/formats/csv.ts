import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { type AnswerRecord, answerRecords, answerValue, fileNames } from './records.ts';

type Value = string | number | boolean | null;

/** The columns in their order. Programs find them by their names, which are the same in every language. */
const COLUMNS: Readonly<Record<string, (record: AnswerRecord) => Value>> = {
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
  client_answered_at: ({ field }) => field.client_answered_at ?? null,
  field_id: ({ field }) => field.id,
  instance_path: ({ field }) => field.instance_path,
};

/** The columns that tell the inspections of a merged file apart. */
const INSPECTION_COLUMNS: Readonly<Record<string, (payload: ReportPayload) => Value>> = {
  inspection_number: ({ inspection }) => inspection.number,
  inspection_name: ({ inspection }) => inspection.name,
  client: ({ inspection }) => inspection.client?.name ?? null,
  location: ({ inspection }) => inspection.location?.name ?? null,
};

const lines = async function* (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
  isMerged: boolean,
): AsyncGenerator<Value[]> {
  const own = isMerged ? INSPECTION_COLUMNS : {};
  yield [...Object.keys(own), ...Object.keys(COLUMNS)];
  for await (const payload of payloads) {
    const first = Object.values(own).map((cell) => cell(payload));
    for (const record of answerRecords(payload))
      yield [...first, ...Object.values(COLUMNS).map((cell) => cell(record))];
  }
};

/**
 * The answers of inspections as CSV (RFC 4180): UTF-8 with a byte order mark, by which Excel knows it. A text that a
 * spreadsheet would take for a formula gets an apostrophe before it (OWASP, "CSV Injection"); numbers stay numbers.
 * @param isMerged whether the first columns name the inspection
 * @throws in the stream what `payloads` throws
 */
export const answersCsv = (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
  { isMerged }: { isMerged: boolean },
): Readable =>
  pipeline(
    Readable.from(lines(payloads, isMerged)),
    stringify({
      bom: true,
      escape_formulas: true,
      record_delimiter: 'windows',
      cast: { boolean: String },
    }),
    // Whoever reads the stream gets the error.
    () => undefined,
  );
