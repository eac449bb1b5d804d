import { fold } from '../../base/text.ts';
import { type ContentIndex, optionsOf, type Question } from '../../domain/content/content-index.ts';
import { numberedLabel } from '../../domain/report/payload/labels.ts';
import { translatedIndex } from '../../domain/report/translated.ts';
import type { ReportField } from '../../schemas/reports/report-answer.ts';
import { MAX_CHOICE_COLUMNS } from '../../schemas/reports/report-export.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { answerRecords } from './csv.ts';
import { chosen, type ChosenOption } from './machine-columns.ts';
import type { Cell, Sheet } from './workbook.ts';

const QUESTION_WIDTH = 32;
const OPTION_WIDTH = 14;

/** A question with its options, and those that somebody has chosen; each is known by its position. */
interface ChoiceQuestion {
  label: string;
  positions: Map<string, number>;
  labels: string[];
  values: string[];
  /** The options that have a label in any report, by the label without its case. */
  labelled: Map<string, Set<number>>;
  chosen: Set<number>;
}

/** What one row has of a question: the labels and the positions of the chosen options. */
type ChoiceAnswer = readonly [question: number, labels: readonly string[], options: readonly number[]];

/** An inspection, or one instance in it. */
export type ChoiceRow = readonly [
  inspection: number,
  section: string,
  path: string,
  answers: readonly ChoiceAnswer[],
];

/** A start field is known by its key, which another template may use for another question. */
const keyOf = (id: string, label: string, isStartField: boolean): string =>
  isStartField ? JSON.stringify([id, label]) : id;

const optionAt = (
  { positions, labels, values, labelled }: ChoiceQuestion,
  { value, label }: ChosenOption,
): number => {
  const position = positions.get(value) ?? labels.length;
  const name = fold(label);
  labelled.set(name, (labelled.get(name) ?? new Set()).add(position));
  if (position < labels.length) return position;
  positions.set(value, position);
  values.push(value);
  return labels.push(label) - 1;
};

/**
 * What stands behind the label of each option of a question in a joined text, by the label without its case and the
 * position. A label that several options have is followed by the value of its option, and so is one that looks like that.
 * Values may have brackets as well: what is the same nevertheless is counted.
 */
const suffixesOf = ({
  values,
  labelled,
}: Pick<ChoiceQuestion, 'values' | 'labelled'>): Map<string, string> => {
  const all = [...labelled].flatMap(([name, positions]) =>
    [...positions].map((position) => ({ name, position, valued: ` (${values[position]})` })),
  );
  const told = new Set(all.map(({ name, valued }) => fold(name + valued)));
  const isPlain = ({ name }: { name: string }): boolean => labelled.get(name)!.size === 1 && !told.has(name);
  const used = new Map<string, number>();
  const suffixes = new Map<string, string>();
  for (const option of [...all.filter(isPlain), ...all.filter((each) => !isPlain(each))]) {
    const { name, position } = option;
    const known = isPlain(option) ? '' : option.valued;
    let suffix = known;
    for (let number = 2; (used.get(fold(name + suffix)) ?? position) !== position; number += 1)
      suffix = `${known} (${number})`;
    used.set(fold(name + suffix), position);
    suffixes.set(`${position} ${name}`, suffix);
  }
  return suffixes;
};

/** Labels as one text, in which those of different options are different. */
const joinedLabels = (
  suffixes: ReadonlyMap<string, string>,
  labels: readonly string[],
  options: readonly number[],
): string =>
  labels.map((label, index) => label + suffixes.get(`${options[index]} ${fold(label)}`)!).join('; ');

/** The questions and their options in the order in which they come up. */
const questionRegistry = () => {
  const questions: ChoiceQuestion[] = [];
  const positions = new Map<string, number>();
  const questionAt = (key: string, label: string): number => {
    const known = positions.get(key);
    if (known !== undefined) return known;
    positions.set(key, questions.length);
    const none = {
      positions: new Map(),
      labels: [],
      values: [],
      labelled: new Map(),
      chosen: new Set<number>(),
    };
    return questions.push({ label, ...none }) - 1;
  };
  return { questions, questionAt };
};

type Registry = ReturnType<typeof questionRegistry>;

/** Takes the questions of a template version, with all options, whether or not a report shows them. */
const learn = (registry: Registry, index: ContentIndex, payload: ReportPayload): void => {
  const shown = new Map(
    Array.from(answerRecords(payload), ({ section, field }) => [
      JSON.stringify([section === '', field.id]),
      field.label,
    ]),
  );
  const take = (id: string, question: Question, isStartField: boolean): void => {
    if (question.type !== 'multi_select') return;
    const label = shown.get(JSON.stringify([isStartField, id])) ?? numberedLabel(question.label).label;
    const known = registry.questions[registry.questionAt(keyOf(id, label, isStartField), label)]!;
    for (const option of optionsOf(index, question)) optionAt(known, option);
  };
  for (const [key, field] of index.startFields) take(key, field, true);
  for (const [id, { field }] of index.fields) take(id, field, false);
};

const choiceAnswer = (registry: Registry, section: string, field: ReportField): ChoiceAnswer | undefined => {
  const options = field.type === 'multi_select' ? chosen(field) : undefined;
  if (options === undefined) return undefined;
  const position = registry.questionAt(keyOf(field.id, field.label, section === ''), field.label);
  const question = registry.questions[position]!;
  const taken = options.map((option) => optionAt(question, option));
  for (const option of taken) question.chosen.add(option);
  return [position, options.map(({ label }) => label), taken];
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

/** The names, each only once in whatever case, because filters, tables and programs go by them. */
const distinct = (names: readonly string[]): string[] => {
  const used = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let number = 2; used.has(fold(free)); number += 1) free = `${name} (${number})`;
    used.add(fold(free));
    return free;
  });
};

/**
 * The options of each question that have a column, by their positions; undefined for a question that has none. Where not
 * all fit, those that somebody has chosen come first, and then each question all of whose options fit.
 */
const shownOptions = (questions: readonly ChoiceQuestion[]): (readonly number[] | undefined)[] => {
  let room = MAX_CHOICE_COLUMNS;
  const ofChosen = questions.map(({ chosen }) => {
    if (chosen.size === 0 || room === 0) return undefined;
    const options = [...chosen].toSorted((one, other) => one - other).slice(0, room - 1);
    room -= 1 + options.length;
    return options;
  });
  return questions.map(({ labels }, position) => {
    const shown = ofChosen[position];
    const missing = labels.length - (shown?.length ?? -1);
    if (missing > room) return shown;
    room -= missing;
    return labels.map((_, option) => option);
  });
};

/** The questions that have columns, with their positions and the options that have one. */
const shownQuestions = ({ questions }: Registry) => {
  const shown = shownOptions(questions);
  return questions.flatMap((question, position) => {
    const options = shown[position];
    return options ? [{ ...question, position, options, suffixes: suffixesOf(question) }] : [];
  });
};

type ShownQuestion = ReturnType<typeof shownQuestions>[number];

const columnsOf = (first: Sheet['columns'], questions: readonly ShownQuestion[]): Sheet['columns'] => {
  const columns = [
    ...first,
    ...questions.flatMap(({ label, labels, options }) => [
      [label, QUESTION_WIDTH] as const,
      ...options.map((option) => [`${label}: ${labels[option]}`, OPTION_WIDTH] as const),
    ]),
  ];
  const names = distinct(columns.map(([name]) => name));
  return columns.map(([, width], index) => [names[index]!, width]);
};

const cellsOf = (questions: readonly ShownQuestion[], row: ChoiceRow): Cell[] => {
  const [number, section, path, answers] = row;
  const given = new Map(answers.map(([question, ...answer]) => [question, answer]));
  const cells = questions.flatMap(({ position, options, suffixes }): Cell[] => {
    const [labels, taken] = given.get(position) ?? [];
    if (labels === undefined || taken === undefined) return [null, ...options.map(() => null)];
    const chosenOptions = new Set(taken);
    return [joinedLabels(suffixes, labels, taken), ...options.map((option) => chosenOptions.has(option))];
  });
  return [number, section, path, ...cells];
};

/** Gives the content of a template version. @returns undefined when it was deleted; it may throw, and ends the file */
export type ContentSource = (templateId: string) => Promise<ContentIndex | undefined>;

/** The sheet of choices while it is made. */
export interface ChoicesSheet {
  /** Has its columns as soon as its rows come. */
  sheet: Sheet;
  /** The rows of a report. They wait until those of all reports are there. */
  rowsOf: (payload: ReportPayload) => AsyncGenerator<ChoiceRow>;
  /** The cells of the rows of all reports. */
  cells: (rows: AsyncIterable<ChoiceRow>) => AsyncGenerator<readonly Cell[]>;
}

/**
 * A sheet to filter by the options of questions that take several: a row for each inspection and instance, a column for
 * each question with its labels joined, and beside it one for each of its options, TRUE or FALSE. All are empty where
 * the question is not answered. It has MAX_CHOICE_COLUMNS of these columns at most.
 * @param first the columns before those of the questions: inspection, section, instance
 * @param contentOf the content of a template version; undefined when it was deleted
 */
export const choicesSheet = (
  name: string,
  first: Sheet['columns'],
  { isRightToLeft, contentOf }: { isRightToLeft: boolean; contentOf: ContentSource },
): ChoicesSheet => {
  const registry = questionRegistry();
  const sheet = { name, columns: first, isRightToLeft, isLeftOutWhenEmpty: true };
  const learnt = new Set<string>();
  return {
    sheet,
    rowsOf: async function* (payload) {
      const { template } = payload.inspection;
      if (!learnt.has(template.id)) {
        learnt.add(template.id);
        const index = await contentOf(template.id);
        if (index) learn(registry, translatedIndex(index, payload.report.language), payload);
      }
      yield* rowsOf(registry, payload);
    },
    cells: async function* (rows) {
      const questions = shownQuestions(registry);
      sheet.columns = columnsOf(first, questions);
      for await (const row of rows) yield cellsOf(questions, row);
    },
  };
};
