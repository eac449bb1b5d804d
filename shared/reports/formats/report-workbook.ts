import type { Readable } from 'node:stream';
import type { ReportAnswer } from '../../schemas/reports/report-answer.ts';
import type { ReportInspection, ReportPayload } from '../../schemas/reports/report-payload.ts';
import { answerRecords, answerValue, fileNames } from './csv.ts';
import { type Cell, type Moment, type Sheet, type SheetRow, workbook } from './workbook.ts';

/** The day 0 of spreadsheets, as days before 1970. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;

const daysOf = (utc: number): number => utc / DAY_MS + EPOCH_DAYS;

const calendarDate = (date: string): Moment | string => {
  const utc = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(utc) ? date : { days: daysOf(utc), hasTime: false };
};

/** Timestamps as the wall time of a zone, because spreadsheets know no zones. An unknown zone is UTC. */
const wallTimeIn = (timeZone: string): ((timestamp: string | null) => Cell) => {
  const options = { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const;
  let format: Intl.DateTimeFormat;
  try {
    // Swedish writes dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv', { ...options, timeZone });
  } catch {
    format = new Intl.DateTimeFormat('sv', { ...options, timeZone: 'UTC' });
  }
  return (timestamp) => {
    const at = new Date(timestamp ?? Number.NaN);
    if (Number.isNaN(at.getTime())) return timestamp;
    return { days: daysOf(Date.parse(`${format.format(at).replace(' ', 'T')}Z`)), hasTime: true };
  };
};

type Time = ReturnType<typeof wallTimeIn>;

const answerCell = (answer: ReportAnswer | null, time: Time): Cell => {
  if (answer === null) return null;
  if (answer.kind === 'date') return calendarDate(answer.date);
  if (answer.kind === 'datetime') return time(answer.at);
  return answerValue(answer);
};

/** One sheet: its name, its columns with their widths, and its rows from a payload. */
interface SheetPlan {
  name: string;
  columns: Sheet['columns'];
  rows: (payload: ReportPayload, time: Time) => Iterable<readonly Cell[]>;
}

/** A column: its name, its width, and its cell of an inspection. */
type Column = readonly [name: string, width: number, cell: (payload: ReportPayload, time: Time) => Cell];

const timeColumn = (
  name: string,
  field: Extract<keyof ReportInspection, 'scheduled_for' | `${string}_at`>,
): Column => [name, 17, ({ inspection }, time) => time(inspection[field])];

/** The columns of the sheet for each field of the inspection. The number is the first column of every sheet. */
const FIELDS = {
  number: [],
  name: [['Name', 36, ({ inspection }) => inspection.name]],
  status: [['Status', 14, ({ inspection }) => inspection.status]],
  client: [['Client', 28, ({ inspection }) => inspection.client?.name ?? null]],
  location: [['Location', 28, ({ inspection }) => inspection.location?.name ?? null]],
  template: [
    ['Template', 28, ({ inspection }) => inspection.template.name],
    ['Template version', 10, ({ inspection }) => inspection.template.version_number],
  ],
  participants: [
    ['Participants', 28, ({ inspection }) => inspection.participants.map(({ name }) => name).join('; ')],
  ],
  scheduled_for: [timeColumn('Scheduled for', 'scheduled_for')],
  due_at: [timeColumn('Due', 'due_at')],
  started_at: [timeColumn('Started', 'started_at')],
  submitted_at: [timeColumn('Submitted', 'submitted_at')],
  approved_at: [timeColumn('Approved', 'approved_at')],
  signed_off_at: [timeColumn('Signed off', 'signed_off_at')],
  completed_at: [timeColumn('Completed', 'completed_at')],
} satisfies Record<Exclude<keyof ReportInspection, 'id'>, Column[]>;

const INSPECTION_COLUMNS: readonly Column[] = [
  ...Object.values<Column[]>(FIELDS).flat(),
  ['Score %', 10, ({ summary }) => summary.score?.percentage ?? null],
  ['Result', 10, ({ summary }) => summary.verdict?.result ?? null],
  ['Answered', 10, ({ summary }) => summary.counts.answered],
  ['Failed', 10, ({ summary }) => summary.counts.failed],
  ['Not applicable', 10, ({ summary }) => summary.counts.na],
  ['Findings', 10, ({ findings }) => findings.length],
  ['Report version', 10, ({ report }) => report.version],
  ['Inspection id', 38, ({ inspection }) => inspection.id],
];

const inspectionSheet: SheetPlan = {
  name: 'Inspection',
  columns: INSPECTION_COLUMNS.map(([name, width]) => [name, width]),
  rows: (payload, time) => [INSPECTION_COLUMNS.map(([, , cell]) => cell(payload, time))],
};

const answersSheet: SheetPlan = {
  name: 'Answers',
  columns: [
    ['Section', 32],
    ['Number', 9],
    ['Question', 48],
    ['Type', 14],
    ['Answer', 32],
    ['Unit', 9],
    ['Note', 36],
    ['Failed', 8],
    ['Not applicable', 10],
    ['Files', 28],
    ['Answered by', 20],
    ['Answered at', 17],
    ['Answered at (client)', 17],
    ['Field id', 38],
    ['Instance path', 20],
  ],
  rows: function* (payload, time) {
    for (const { section, field } of answerRecords(payload)) {
      yield [
        section,
        field.number,
        field.label,
        field.type,
        answerCell(field.answer, time),
        field.answer?.kind === 'number' ? field.answer.unit : null,
        field.note,
        field.is_failed,
        field.is_na,
        fileNames(field),
        field.answered_by_name,
        time(field.answered_at),
        time(field.client_answered_at),
        field.id,
        field.instance_path,
      ];
    }
  },
};

const findingsSheet: SheetPlan = {
  name: 'Findings',
  columns: [
    ['Position', 9],
    ['Number', 9],
    ['Finding', 40],
    ['Severity', 12],
    ['Status', 12],
    ['Origin', 10],
    ['Section', 28],
    ['Question', 40],
    ['Description', 40],
    ['Root cause', 32],
    ['Recommendation', 40],
    ['Corrective actions', 10],
  ],
  rows: ({ findings }) =>
    findings.map((finding) => [
      finding.position,
      finding.number,
      finding.label,
      finding.severity,
      finding.status,
      finding.origin,
      finding.section_title,
      finding.field_label,
      finding.description,
      finding.root_cause,
      finding.recommendation,
      finding.corrective_actions.length,
    ]),
};

const actionsSheet: SheetPlan = {
  name: 'Corrective actions',
  columns: [
    ['Number', 9],
    ['Finding', 9],
    ['Title', 40],
    ['Description', 40],
    ['Priority', 12],
    ['Status', 18],
    ['Overdue', 9],
    ['Assignee', 20],
    ['Due', 17],
    ['Completed', 17],
    ['Completed by', 20],
    ['Completion note', 36],
    ['Verified', 17],
    ['Verified by', 20],
  ],
  rows: function* ({ findings }, time) {
    for (const { number: finding, corrective_actions } of findings) {
      for (const action of corrective_actions) {
        yield [
          action.number,
          finding,
          action.title,
          action.description,
          action.priority,
          action.status,
          action.is_overdue,
          action.assignee_name,
          time(action.due_at),
          time(action.completed_at),
          action.completed_by_name,
          action.completion_note,
          time(action.verified_at),
          action.verified_by_name,
        ];
      }
    }
  },
};

const scoreSheet: SheetPlan = {
  name: 'Score',
  columns: [
    ['Section', 36],
    ['Depth', 8],
    ['Points', 10],
    ['Maximum', 10],
    ['Percentage', 11],
    ['Passing score', 11],
    ['Result', 10],
  ],
  rows: function* ({ summary: { score, verdict, section_scores } }) {
    if (!score) return;
    yield [
      'Total',
      0,
      score.points,
      score.max,
      score.percentage,
      verdict?.passing_score ?? null,
      verdict?.result ?? null,
    ];
    for (const section of section_scores) {
      const { title, depth, points, max, percentage, passing_score, result } = section;
      yield [title, depth, points, max, percentage, passing_score, result];
    }
  },
};

const SHEET_PLANS: readonly SheetPlan[] = [
  inspectionSheet,
  answersSheet,
  findingsSheet,
  actionsSheet,
  scoreSheet,
];

/** The first column of every sheet. It says to which inspection a row belongs. */
const INSPECTION = ['Inspection', 10] as const;

const rowsOf = async function* (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
): AsyncGenerator<SheetRow> {
  for await (const payload of payloads) {
    const time = wallTimeIn(payload.organization.timezone);
    for (const [sheet, { rows }] of SHEET_PLANS.entries()) {
      for (const cells of rows(payload, time)) yield { sheet, cells: [payload.inspection.number, ...cells] };
    }
  }
};

/**
 * Reports as a workbook with the sheets Inspection, Answers, Findings, Corrective actions and Score. Cells have types;
 * times are those of the organization's zone. The names of sheets and columns are the same in every language, because
 * programs find them by their names.
 * @param at when the workbook is made
 */
export const reportWorkbook = (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
  at: Date,
): Readable =>
  workbook(
    SHEET_PLANS.map(({ name, columns }) => ({ name, columns: [INSPECTION, ...columns] })),
    rowsOf(payloads),
    at,
  );
