import type { ReportField } from '../../schemas/reports/report-answer.ts';
import { MAX_CHOICE_COLUMNS } from '../../schemas/reports/report-export.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { answerRecords } from './csv.ts';
import { chosen, type ChosenOption } from './machine-columns.ts';
import type { Cell, Sheet } from './workbook.ts';

const QUESTION_WIDTH = 32;
const OPTION_WIDTH = 14;

/** A question with the options that somebody has chosen; each is known by its position. */
interface ChoiceQuestion {
  label: string;
  positions: Map<string, number>;
  labels: string[];
}

/** What one row has of a question: its joined labels, and the positions of the chosen options. */
type ChoiceAnswer = readonly [question: number, joined: string, options: readonly number[]];

/** An inspection, or one instance in it. */
export type ChoiceRow = readonly [
  inspection: number,
  section: string,
  path: string,
  answers: readonly ChoiceAnswer[],
];

/** A start field is known by its key, which another template may use for another question. */
const keyOf = ({ id, label }: ReportField, section: string): string =>
  section === '' ? JSON.stringify([id, label]) : id;

/** The questions in the order in which they come up, at most as many as there may be columns. */
const questionRegistry = () => {
  const questions: ChoiceQuestion[] = [];
  const positions = new Map<string, number>();
  let columns = 0;
  const hasRoom = (): boolean => {
    columns += 1;
    return columns <= MAX_CHOICE_COLUMNS;
  };
  const questionAt = (key: string, label: string): number | undefined => {
    const known = positions.get(key);
    if (known !== undefined || !hasRoom()) return known;
    positions.set(key, questions.length);
    return questions.push({ label, positions: new Map(), labels: [] }) - 1;
  };
  const optionAt = (question: ChoiceQuestion, { value, label }: ChosenOption): number | undefined => {
    const known = question.positions.get(value);
    if (known !== undefined || !hasRoom()) return known;
    question.positions.set(value, question.labels.length);
    return question.labels.push(label) - 1;
  };
  return { questions, questionAt, optionAt };
};

type Registry = ReturnType<typeof questionRegistry>;

const choiceAnswer = (registry: Registry, section: string, field: ReportField): ChoiceAnswer | undefined => {
  const options = field.type === 'multi_select' ? chosen(field) : undefined;
  if (options === undefined) return undefined;
  const position = registry.questionAt(keyOf(field, section), field.label);
  if (position === undefined) return undefined;
  const question = registry.questions[position]!;
  const taken = options.map((option) => registry.optionAt(question, option));
  const joined = options.map(({ label }) => label).join('; ');
  return [position, joined, taken.filter((option) => option !== undefined)];
};

/** A row for the inspection and for each instance in which several options can be chosen. */
const rowsOf = (registry: Registry, payload: ReportPayload): Iterable<ChoiceRow> => {
  const rows = new Map<string, [number, string, string, ChoiceAnswer[]]>();
  for (const { section, field } of answerRecords(payload)) {
    const answer = choiceAnswer(registry, section, field);
    if (answer === undefined) continue;
    const path = field.instance_path;
    const row = rows.get(path) ?? [payload.inspection.number, path === '' ? '' : section, path, []];
    row[3].push(answer);
    rows.set(path, row);
  }
  return rows.values();
};

/** The names, each only once, because filters and programs go by them. */
const distinct = (names: readonly string[]): string[] => {
  const used = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let number = 2; used.has(free); number += 1) free = `${name} (${number})`;
    used.add(free);
    return free;
  });
};

const columnsOf = (first: Sheet['columns'], { questions }: Registry): Sheet['columns'] => {
  const columns = [
    ...first,
    ...questions.flatMap(({ label, labels }) => [
      [label, QUESTION_WIDTH] as const,
      ...labels.map((option) => [`${label}: ${option}`, OPTION_WIDTH] as const),
    ]),
  ];
  const names = distinct(columns.map(([name]) => name));
  return columns.map(([, width], index) => [names[index]!, width]);
};

const cellsOf = ({ questions }: Registry, [number, section, path, answers]: ChoiceRow): Cell[] => {
  const given = new Map(answers.map(([question, ...answer]) => [question, answer]));
  const cells = questions.flatMap(({ labels }, position): Cell[] => {
    const [joined, options] = given.get(position) ?? [];
    if (options === undefined) return [null, ...labels.map(() => null)];
    const taken = new Set(options);
    return [joined!, ...labels.map((_, option) => taken.has(option))];
  });
  return [number, section, path, ...cells];
};

/** The sheet of choices while it is made. */
export interface ChoicesSheet {
  /** Has its columns as soon as its rows come. */
  sheet: Sheet;
  /** The rows of a report. They wait until those of all reports are there. */
  rowsOf: (payload: ReportPayload) => Iterable<ChoiceRow>;
  /** The cells of the rows of all reports. */
  cells: (rows: AsyncIterable<ChoiceRow>) => AsyncGenerator<readonly Cell[]>;
}

/**
 * A sheet to filter by the options of questions that take several: a row for each inspection and instance, a column for
 * each question with its labels joined, and beside it one for each option that somebody has chosen, TRUE or FALSE. All
 * are empty where the question is not answered. Columns beyond MAX_CHOICE_COLUMNS are left out.
 * @param first the columns before those of the questions: inspection, section, instance
 */
export const choicesSheet = (
  name: string,
  first: Sheet['columns'],
  { isRightToLeft }: { isRightToLeft: boolean },
): ChoicesSheet => {
  const registry = questionRegistry();
  const sheet = { name, columns: first, isRightToLeft, isLeftOutWhenEmpty: true };
  return {
    sheet,
    rowsOf: (payload) => rowsOf(registry, payload),
    cells: async function* (rows) {
      sheet.columns = columnsOf(first, registry);
      for await (const row of rows) yield cellsOf(registry, row);
    },
  };
};
