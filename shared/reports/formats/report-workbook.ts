import type { Readable } from 'node:stream';
import { directionOf, type Language } from '../../base/i18n/languages.ts';
import { type ReportTexts, REPORT_TEXTS } from '../../base/i18n/texts/report.ts';
import type { ReportAnswer } from '../../schemas/reports/report-answer.ts';
import type { ReportInspection, ReportPayload } from '../../schemas/reports/report-payload.ts';
import { answerValue } from './answer-value.ts';
import { type ChoiceRow, choicesSheet, type ChoicesSheet, type ContentSource } from './choices-sheet.ts';
import { answerRecords, fileNames } from './csv.ts';
import { longTexts } from './long-texts.ts';
import { MACHINE_COLUMNS } from './machine-columns.ts';
import { waitingRows } from './waiting-rows.ts';
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

const yesOrNo = ({ yes, no }: ReportTexts, value: boolean): string => (value ? yes : no);

const answerCell = (texts: ReportTexts, answer: ReportAnswer | null, time: Time): Cell => {
  if (answer === null) return null;
  if (answer.kind === 'date') return calendarDate(answer.date);
  if (answer.kind === 'datetime') return time(answer.at);
  if (answer.kind === 'yes_no') return yesOrNo(texts, answer.yes);
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

const inspectionColumns = (texts: ReportTexts): readonly Column[] => {
  const { workbook: names, statuses, results } = texts;
  // The number is the first column of every sheet.
  const fields = {
    number: [],
    name: [[texts.name, 36, ({ inspection }) => inspection.name]],
    status: [[texts.status, 14, ({ inspection }) => statuses[inspection.status]]],
    client: [[texts.client, 28, ({ inspection }) => inspection.client?.name ?? null]],
    location: [[texts.location, 28, ({ inspection }) => inspection.location?.name ?? null]],
    template: [
      [texts.template, 28, ({ inspection }) => inspection.template.name],
      [names.templateVersion, 10, ({ inspection }) => inspection.template.version_number],
    ],
    participants: [
      [
        texts.participants,
        28,
        ({ inspection }) => inspection.participants.map(({ name }) => name).join('; '),
      ],
    ],
    scheduled_for: [timeColumn(texts.scheduledFor, 'scheduled_for')],
    due_at: [timeColumn(texts.due, 'due_at')],
    started_at: [timeColumn(texts.started, 'started_at')],
    submitted_at: [timeColumn(names.submitted, 'submitted_at')],
    approved_at: [timeColumn(texts.approved, 'approved_at')],
    signed_off_at: [timeColumn(names.signedOff, 'signed_off_at')],
    completed_at: [timeColumn(texts.completed, 'completed_at')],
  } satisfies Record<Exclude<keyof ReportInspection, 'id'>, Column[]>;
  return [
    ...Object.values<Column[]>(fields).flat(),
    [`${texts.score} %`, 10, ({ summary }) => summary.score?.percentage ?? null],
    [texts.result, 10, ({ summary: { verdict } }) => verdict && results[verdict.result]],
    [texts.answered, 10, ({ summary }) => summary.counts.answered],
    [texts.failed, 10, ({ summary }) => summary.counts.failed],
    [texts.notApplicable, 10, ({ summary }) => summary.counts.na],
    [texts.findings, 10, ({ findings }) => findings.length],
    [names.reportVersion, 10, ({ report }) => report.version],
    [names.inspectionId, 38, ({ inspection }) => inspection.id],
  ];
};

const inspectionSheet = (texts: ReportTexts): SheetPlan => {
  const columns = inspectionColumns(texts);
  return {
    name: texts.workbook.inspection,
    columns: columns.map(([name, width]) => [name, width]),
    rows: (payload, time) => [columns.map(([, , cell]) => cell(payload, time))],
  };
};

const answersSheet = (texts: ReportTexts): SheetPlan => ({
  name: texts.workbook.answers,
  columns: [
    [texts.section, 32],
    [texts.workbook.number, 9],
    [texts.question, 48],
    [texts.workbook.type, 14],
    [texts.workbook.answer, 32],
    [texts.workbook.unit, 9],
    [texts.note, 36],
    [texts.failed, 8],
    [texts.notApplicable, 10],
    [texts.workbook.files, 28],
    [texts.workbook.answeredBy, 20],
    [texts.workbook.answeredAt, 17],
    [texts.workbook.clientAnsweredAt, 17],
    [texts.workbook.fieldId, 38],
    [texts.workbook.instancePath, 20],
    // Programs find these by the same names as in CSV.
    ...Object.keys(MACHINE_COLUMNS).map((name) => [name, 24, 'one line'] as const),
  ],
  rows: function* (payload, time) {
    for (const { section, field } of answerRecords(payload)) {
      yield [
        section,
        field.number,
        field.label,
        // As the template has it, like the id of the field.
        field.type,
        answerCell(texts, field.answer, time),
        field.answer?.kind === 'number' ? field.answer.unit : null,
        field.note,
        yesOrNo(texts, field.is_failed),
        yesOrNo(texts, field.is_na),
        fileNames(field),
        field.answered_by_name,
        time(field.answered_at),
        time(field.client_answered_at),
        field.id,
        field.instance_path,
        ...Object.values(MACHINE_COLUMNS).map((cell) => cell(field)),
      ];
    }
  },
});

const findingsSheet = (texts: ReportTexts): SheetPlan => ({
  name: texts.findings,
  columns: [
    [texts.workbook.position, 9],
    [texts.workbook.number, 9],
    [texts.concerns, 40],
    [texts.workbook.severity, 12],
    [texts.status, 12],
    [texts.workbook.origin, 10],
    [texts.section, 28],
    [texts.question, 40],
    [texts.description, 40],
    [texts.rootCause, 32],
    [texts.recommendation, 40],
    [texts.actions, 10],
  ],
  rows: ({ findings }) =>
    findings.map((finding) => [
      finding.position,
      finding.number,
      finding.label,
      texts.severities[finding.severity],
      texts.findingStatuses[finding.status],
      finding.origin === 'issue' ? texts.fromIssue : texts.workbook.origins[finding.origin],
      finding.section_title,
      finding.field_label,
      finding.description,
      finding.root_cause,
      finding.recommendation,
      finding.corrective_actions.length,
    ]),
});

const actionsSheet = (texts: ReportTexts): SheetPlan => ({
  name: texts.actions,
  columns: [
    [texts.workbook.number, 9],
    [texts.concerns, 9],
    [texts.workbook.title, 40],
    [texts.description, 40],
    [texts.workbook.priority, 12],
    [texts.status, 18],
    [texts.overdue, 9],
    [texts.workbook.assignee, 20],
    [texts.due, 17],
    [texts.completed, 17],
    [texts.workbook.completedBy, 20],
    [texts.workbook.completionNote, 36],
    [texts.verified, 17],
    [texts.workbook.verifiedBy, 20],
  ],
  rows: function* ({ findings }, time) {
    for (const { number: finding, corrective_actions } of findings) {
      for (const action of corrective_actions) {
        yield [
          action.number,
          finding,
          action.title,
          action.description,
          texts.priorities[action.priority],
          texts.actionStatuses[action.status],
          yesOrNo(texts, action.is_overdue),
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
});

const scoreSheet = (texts: ReportTexts): SheetPlan => {
  const resultOf = (result: 'pass' | 'fail' | null | undefined): Cell =>
    result ? texts.results[result] : null;
  return {
    name: texts.score,
    columns: [
      [texts.section, 36],
      [texts.workbook.depth, 8],
      [texts.points, 10],
      [texts.workbook.maximum, 10],
      [texts.workbook.percentage, 11],
      [texts.workbook.passingScore, 11],
      [texts.result, 10],
    ],
    rows: function* ({ summary: { score, verdict, section_scores } }) {
      if (!score) return;
      const { points, max, percentage } = score;
      yield [
        texts.total,
        0,
        points,
        max,
        percentage,
        verdict?.passing_score ?? null,
        resultOf(verdict?.result),
      ];
      for (const section of section_scores) {
        const { title, depth, passing_score, result } = section;
        yield [
          title,
          depth,
          section.points,
          section.max,
          section.percentage,
          passing_score,
          resultOf(result),
        ];
      }
    },
  };
};

const SHEETS = [inspectionSheet, answersSheet, findingsSheet, actionsSheet, scoreSheet];

const rowsOf = async function* (
  plans: readonly SheetPlan[],
  choices: ChoicesSheet,
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
): AsyncGenerator<SheetRow> {
  const waiting = await waitingRows<ChoiceRow>();
  try {
    for await (const payload of payloads) {
      const time = wallTimeIn(payload.organization.timezone);
      for (const [sheet, { rows }] of plans.entries()) {
        for (const cells of rows(payload, time))
          yield { sheet, cells: [payload.inspection.number, ...cells] };
      }
      for await (const row of choices.rowsOf(payload)) await waiting.add(row);
    }
    for await (const cells of choices.cells(waiting.all())) yield { sheet: plans.length, cells };
  } finally {
    await waiting.remove();
  }
};

/**
 * Reports as a workbook with the sheets Inspection, Answers, Findings, Corrective actions and Score, and with Choices
 * where a question takes several options; Long texts has those that no cell has room for. Cells have types; times are
 * those of the organization's zone. The names of sheets and columns, and all fixed words, are in one language.
 * @param at when the workbook is made
 */
export const reportWorkbook = (
  payloads: AsyncIterable<ReportPayload> | Iterable<ReportPayload>,
  { at, language, contentOf }: { at: Date; language: Language; contentOf: ContentSource },
): Readable => {
  const texts = REPORT_TEXTS[language];
  const plans = SHEETS.map((plan) => plan(texts));
  const isRightToLeft = directionOf(language) === 'rtl';
  // The first column of every sheet says to which inspection a row belongs.
  const inspection = [texts.workbook.inspection, 10] as const;
  const sheets = plans.map(({ name, columns }) => ({
    name,
    columns: [inspection, ...columns],
    isRightToLeft,
  }));
  const places = [inspection, [texts.section, 32], [texts.workbook.instancePath, 20]] as const;
  const choices = choicesSheet(texts.workbook.choices, places, { isRightToLeft, contentOf });
  const known = [...sheets, choices.sheet];
  const long = longTexts(texts, { isRightToLeft });
  return workbook([...known, long.sheet], long.moved(known, rowsOf(plans, choices, payloads)), at);
};
