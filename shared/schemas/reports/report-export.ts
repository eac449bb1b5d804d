import * as z from 'zod';
import { Count, Instant, LanguageTag, resourceFields, Timestamp, Uuid } from '../common.ts';
import { InspectionFilters } from '../inspections/inspection.ts';
import { derived, initially, resource } from '../resource.ts';
import { RequestedLanguage } from './report.ts';

/** The content of each format, in the words of the API reference. */
const FORMATS = {
  pdf: 'the report',
  html: 'the report as one page that contains its images',
  docx: 'the report for Word and LibreOffice',
  xlsx: 'a workbook with the sheets Inspection, Answers, Findings, Corrective actions and Score, Choices where a question takes several options, and Long texts where a text is longer than a cell may be',
  csv: 'the answers, one row each (RFC 4180, UTF-8 with a byte order mark; formulas are neutralized)',
  json: 'the payload that the report is drawn from',
  zip: 'the PDF, the payload, and every photo and document in its original form that was not deleted',
} as const;

/** Options of questions, and questions, that have a column in the sheet Choices. A sheet could have 16,384 columns. */
export const MAX_CHOICE_COLUMNS = 500;

/** The columns of answers that programs read, in the words of the API reference. */
export const ANSWER_COLUMNS = `

The answers in \`csv\` and \`xlsx\` have a row for each question. \`answer\` is for people. The last columns are for programs,
have the same names in every language, and lose nothing of the answer:

- \`value\`: the \`value\` of the answer in \`GET /inspections/{inspection_id}/responses\`; \`type\` says how to read it. The code
  of a single choice, an id, a date, a time and a text are written as they are. A number has a point and is never
  rounded; its unit is in \`unit\`. A boolean is \`true\` or \`false\`. The codes of a multiple choice, media, a signature, a
  position, an address and a reference are JSON. It is empty when the question is not answered, or not applicable
  (\`is_na\`).
- \`labels\`: the labels of the chosen options in the order of \`value\`, as a JSON list, also for one. An option that is not
  in its list any more is named by its code.
- \`file_ids\`, \`file_names\`, \`file_captions\`: all files of the answer as JSON lists of the same length, first those of the
  value, then those beside it. The name of a deleted file is \`null\`.

In a CSV, a text that a spreadsheet would take for a formula has an apostrophe before it, and so has a text in \`value\`
that begins with an apostrophe: to read a \`value\`, take one apostrophe at its beginning away. Numbers have none. The
result of a \`calculated\` field can be a text, a number or a boolean: a text that reads like one of the others, such as
"5", has an apostrophe as well. In a workbook these texts have no apostrophe, and numbers and booleans are typed cells.

A cell of a workbook has at most 32,767 characters. A longer text is cut there, and its cell ends with \`… [Long texts: 3]\`,
in the language of the workbook. The sheet Long texts has all of it: the texts in its rows with the number 3, joined in
the order of their parts. A CSV and \`GET …/responses\` have it in one piece.

The sheet Choices is there to filter multiple choices. It has a row for each inspection and each instance of a repeat
section in which one is answered, and for each question of the template versions a column with its labels, followed by one
column for each of its options, named "question: label", with TRUE or FALSE, whether or not anybody has chosen it. It has
at most ${MAX_CHOICE_COLUMNS} such columns. Where not all fit, the options that are chosen in the file come first, and then the questions
all of whose options fit. Where options of a question have the same label, their values stand behind it in brackets, also
behind one that reads like such a label. A column whose name another one has, in whatever case, has a number behind it.
The sheet Answers has every answer.
`;

export const ExportFormat = z
  .enum(Object.keys(FORMATS) as [keyof typeof FORMATS, ...(keyof typeof FORMATS)[]])
  .meta({
    id: 'ExportFormat',
    description: `${Object.entries(FORMATS)
      .map(([format, holds]) => `\`${format}\`: ${holds}`)
      .join('; ')}.`,
  });
export type ExportFormat = z.output<typeof ExportFormat>;

const ExportStatus = z.enum(['queued', 'running', 'ready', 'failed', 'expired']);

const fileFields = {
  url: z.url().nullable().meta({
    description:
      'A signed URL, valid for 15 minutes; every read of the single export returns a new one. Null unless it is `ready`.',
  }),
  filename: z
    .string()
    .nullable()
    .meta({ description: 'The name of the downloaded file; null unless it is `ready`.' }),
  expires_at: Timestamp.meta({
    description: 'When the file can no longer be downloaded. After that, a new one can be created.',
  }),
  size_bytes: z.int().min(1).nullable(),
  sha256: z.string().nullable(),
  error: z.string().nullable().meta({ description: 'Why it failed; null unless it did.' }),
};

export const { ReportExport, NewReportExport } = resource(
  'ReportExport',
  {
    ...derived({ report_id: Uuid }),
    format: initially('pdf', ExportFormat),
    ...derived({ status: ExportStatus, ...fileFields }),
  },
  { description: 'A report as a file for download.', version: null },
);
export type ReportExport = z.output<typeof ReportExport>;
export type NewReportExport = z.output<typeof NewReportExport>;

/** Inspections of one bulk export. */
export const MAX_BULK_INSPECTIONS = 1_000;

/** The formats that can be merged into one file. */
const MERGED: ReadonlySet<ExportFormat> = new Set<ExportFormat>(['pdf', 'xlsx', 'csv', 'json']);

const BulkExportItem = z
  .strictObject({
    inspection_id: Uuid,
    report_id: Uuid.nullable().meta({
      description:
        'The stored report that the file has, because it still shows the present state; null where the file was made of the inspection itself.',
    }),
    status: ExportStatus.exclude(['expired']),
    error: z.string().nullable(),
  })
  .meta({ id: 'BulkReportExportItem', description: 'One inspection in a bulk export.' });
export type BulkExportItem = z.output<typeof BulkExportItem>;

const bulkFields = {
  ...resourceFields,
  status: ExportStatus,
  format: ExportFormat,
  bundle: z.enum(['zip', 'merged']).meta({
    description: '`zip`: an archive with a file for each report; `merged`: one file with all of them.',
  }),
  layout_id: Uuid.nullable(),
  language: LanguageTag.nullable(),
  total: Count,
  done: Count.meta({ description: 'Inspections whose part is ready. It grows while the export runs.' }),
  failed: Count.meta({
    description: 'Inspections whose part could not be made. They do not stop the others.',
  }),
  skipped: Count.meta({
    description:
      'Inspections that the filter finds, and that are left out because nobody has answered anything.',
  }),
  requested_by: z.string(),
  ...fileFields,
};

export const BulkExportSummary = z
  .strictObject(bulkFields)
  .meta({ id: 'BulkReportExportSummary', description: 'A bulk export as lists show it.' });
export type BulkExportSummary = z.output<typeof BulkExportSummary>;

export const BulkExport = z
  .strictObject({
    ...bulkFields,
    items: z.array(BulkExportItem).meta({ description: 'The inspections, in the order of the file.' }),
  })
  .meta({ id: 'BulkReportExport', description: 'The reports of many inspections as one file for download.' });
export type BulkExport = z.output<typeof BulkExport>;

const BulkExportFilter = InspectionFilters.extend({
  updated_since: Instant.optional().meta({ description: 'Changed at or after this time.' }),
}).meta({
  id: 'BulkReportExportFilter',
  description: `Takes the inspections that the list of inspections shows with this filter, newest first: at most ${MAX_BULK_INSPECTIONS}.`,
});

export const NewBulkExport = z
  .strictObject({
    inspection_ids: z
      .array(Uuid)
      .min(1)
      .max(MAX_BULK_INSPECTIONS)
      .optional()
      .meta({ description: 'The inspections, in the order of the file. Each comes once.' }),
    filter: BulkExportFilter.optional(),
    include_unanswered: z.boolean().default(false).meta({
      description:
        'Whether a filter also takes inspections in which nobody has answered anything. Those that `inspection_ids` names are always taken.',
    }),
    format: ExportFormat.default('pdf'),
    bundle: z.enum(['zip', 'merged']).default('zip'),
    language: RequestedLanguage.nullable().default(null),
    layout_id: Uuid.nullable().default(null).meta({
      description: 'For inspections of its template family; the others have the default layout of theirs.',
    }),
  })
  .check(({ value, issues }) => {
    const { inspection_ids, filter, format, bundle } = value;
    const refuse = (field: string, message: string, input: unknown) =>
      issues.push({ code: 'custom', message: `Value error, ${message}`, input, path: [field] });
    if ((inspection_ids === undefined) === (filter === undefined))
      refuse('inspection_ids', 'give either inspection_ids or filter', inspection_ids);
    if (bundle === 'merged' && !MERGED.has(format))
      refuse('bundle', `only ${[...MERGED].join(', ')} can be merged`, bundle);
  })
  .transform((value) => ({
    ...value,
    ...(value.inspection_ids && { inspection_ids: [...new Set(value.inspection_ids)] }),
  }))
  .meta({ id: 'NewBulkReportExport' });
export type NewBulkExport = z.output<typeof NewBulkExport>;
