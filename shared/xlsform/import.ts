import { v5 } from 'uuid';
import type { ProblemType } from '../base/problem.ts';
import { FormulaError, parseFormula, scalarOperands } from '../domain/content/formula.ts';
import { operands } from '../domain/content/publish/publish.ts';
import {
  type Condition,
  Content,
  Field,
  FieldType,
  LanguageName,
  MOST_TRANSLATIONS,
  Repeat,
  ResponseSet,
  Scoring,
  Section,
  StartField,
  Translations,
} from '../schemas/templates/content.ts';
import { comparedWith, conditionOf, formulaLiteral, type Reference, type Target } from './conditions.ts';
import { type Limits, limitsIn } from './constraints.ts';
import { defaultIn } from './defaults.ts';
import {
  asText,
  callOf,
  type Expression,
  ExpressionError,
  expressionIn,
  isDynamic,
  mapExpression,
  namesIn,
  printExpression,
} from './expressions.ts';
import { isOwnTable, type List, type ListedOption, listsOf, MOST_OPTIONS, REFERENCE_SHOWN } from './lists.ts';
import { outdated, type Provenance } from './outdated.ts';
import { hasOwn, takeOwn } from './own.ts';
import { appearances } from './question-types.ts';
import type { Sheet } from './sheets.ts';
import {
  has,
  headerOf,
  inLanguage,
  languagesOf,
  leftovers,
  ownColumn,
  peek,
  type Remark,
  type Row,
  settle,
  settleAll,
  sheetName,
  type Table,
  tableOf,
  take,
  takeIn,
} from './table.ts';
import { cellTexts, type Spoken, translatedTexts } from './translations.ts';
import {
  type Complain,
  isOnce,
  loopedGroup,
  type Node,
  nodesBelow,
  type Tell,
  treeOf,
  yesOrNo,
} from './tree.ts';
import { withdraw } from './withdraw.ts';

/** What keeps a form from being imported. */
export interface FormProblem {
  /** In lower case. */
  sheet: string;
  row: number | null;
  column: string | null;
  message: string;
  type: ProblemType;
}

/** A form that cannot be imported, with everything that is wrong with it. */
export class FormError extends Error {
  override name = 'FormError';
  readonly problems: readonly FormProblem[];

  constructor(problems: readonly FormProblem[]) {
    super(
      problems.map(({ sheet, row, column, message }) => `${sheet} ${row} ${column}: ${message}`).join('; '),
    );
    this.problems = problems;
  }
}

export interface ImportOptions {
  /** Of several languages, which is the content's. */
  language?: string | undefined;
  /** What the form is called where it does not say so itself. */
  name: string;
}

export interface Imported {
  /** As the form calls itself. */
  title: string;
  content: Content;
  remarks: Remark[];
}

/** A part of a form that a content has nothing like; the message says why. */
class NotCarried extends Error {
  override name = 'NotCarried';
}

/** The service's own, for ids that are made of names (RFC 9562, section 5.5). */
const NAMESPACE = '7f0c9c52-2f0b-5d7e-9a41-3c1d6f5b8e20';

const LONGEST_TITLE = 500;
const LONGEST_HELP = 5_000;
const LONGEST_FORMULA = 2_000;
const DEEPEST_SECTION = 5;
const MOST_ROWS = 20_000;
const MOST_START_FIELDS = 200;
const LONGEST_MESSAGE = 300;

/** Calculations that ask for one another before any of them is known. */
const LONGEST_CHAIN = 100;
const DEEPEST_CONDITION = 10;

/** Why a cell of a column stands in no content. */
const reasons: Record<string, string> = {
  choice_filter: 'all options are offered whatever was answered before',
  trigger: 'a content works out everything at once',
  constraint_message: 'an answer that is refused is told why in words of its own',
  required_message: 'what is missing is told in words of its own',
  parameters: 'these parameters have no counterpart',
  read_only: 'what is not calculated can be answered',
};

const reasonOf = (column: string): string =>
  reasons[column] ??
  (column.startsWith('media::')
    ? 'a question shows no media of its own'
    : `${column} has no counterpart in this row`);

const attributesOf = (shape: object, ...left: string[]) =>
  Object.keys(shape).filter((name) => !left.includes(name));

/** What our own columns may say of a field, a start field and a section. */
export const fieldAttributes = () => attributesOf(Field.shape, 'id');
export const startAttributes = () => attributesOf(StartField.shape, 'key');
export const sectionAttributes = [
  'title',
  'description',
  'weight',
  'passing_score',
  'allow_na',
  'visible_if',
  'participant_role',
  'repeat',
];

/** Columns in which a form refers to its questions. */
const referring = [
  'relevant',
  'required',
  'constraint',
  'calculation',
  'choice_filter',
  'default',
  'repeat_count',
  'trigger',
];

interface Checkable {
  safeParse: (value: unknown) => {
    error?: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined;
  };
}

const depthOf = (condition: Condition): number => {
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [];
  return 1 + Math.max(0, ...parts.map(depthOf));
};

/** Whether an expression gives true or false by itself. */
const isBoolean = (expression: Expression): boolean =>
  expression.kind === 'operation'
    ? ['or', 'and', '=', '!=', '<', '<=', '>', '>='].includes(expression.operator)
    : expression.kind === 'call' &&
      ['not', 'true', 'false', 'selected', 'contains', 'starts-with', 'ends-with'].includes(expression.name);

/** What a node becomes. */
type Outcome =
  | { as: 'field'; type: FieldType; id: string; formula?: string }
  | { as: 'start'; type: FieldType; key: string }
  | { as: 'section' }
  | { as: 'nothing'; why: string };

const plainSelect = { kind: 'select' as const, many: false, orOther: false, isRanked: false };

const emptySection = (id: string, title: string): Section => Section.parse({ id, title });

const languageNamed = (wanted: string, languages: readonly (string | null)[]): string | undefined => {
  const plain = wanted.trim().toLowerCase();
  const named = languages.filter((language) => language !== null);
  return (
    named.find((language) => language.toLowerCase() === plain) ??
    named.find((language) => language.toLowerCase().replace(/\s*\([^)]*\)$/, '') === plain) ??
    named.find((language) => /\(([^)]+)\)$/.exec(language)?.[1]?.toLowerCase() === plain)
  );
};

type Attempt = Imported & Provenance;

/** One attempt at a form, in which `ignored` of our own columns, `row:attribute` each, are left aside. */
const attempt = (
  sheets: readonly Sheet[],
  others: readonly string[],
  options: ImportOptions,
  ignored: ReadonlySet<string>,
): Attempt => {
  const remarks: Remark[] = [];
  const problems: FormProblem[] = [];
  const tables = sheets.map(tableOf);
  const tablesOf = (...names: string[]): Table[] =>
    tables.filter(({ name }) => names.includes(sheetName(name)));
  const survey = tablesOf('survey');
  const isOwn = survey.some(isOwnTable);

  const nameOf = (row: Row): string | null =>
    row.cells.find(({ column }) => column.name === 'name')?.text ?? null;
  const complain: Complain = (row, column, message, isMissing = false) => {
    problems.push({
      sheet: sheetName(row.sheet),
      row: row.number,
      column: headerOf(row, column),
      message: message.slice(0, LONGEST_MESSAGE),
      type: isMissing ? 'missing' : 'value_error',
    });
  };
  const tell: Tell = (row, column, severity, message) => {
    settle(row, column);
    const header = headerOf(row, column);
    const short = message.slice(0, LONGEST_MESSAGE);
    remarks.push({
      sheet: row.sheet,
      row: row.number,
      column: header,
      name: nameOf(row),
      severity,
      message: short,
    });
  };
  const tellSheet = (sheet: string, severity: Remark['severity'], message: string) =>
    remarks.push({ sheet, row: null, column: null, name: null, severity, message });

  if (!survey[0] || (survey[0].rows.length === 0 && survey[0].columns.length === 0))
    throw new FormError([
      {
        sheet: 'survey',
        row: null,
        column: null,
        message: 'a form has a sheet named survey',
        type: 'missing',
      },
    ]);

  // Settings
  const settings = new Map<string, string>();
  const [settingsRow] = tablesOf('settings').flatMap(({ rows }) => rows);
  for (const name of ['form_title', 'form_id', 'default_language', 'allow_choice_duplicates'])
    settings.set(name, settingsRow ? take(settingsRow, name) : '');
  if (settingsRow && isOwn) settle(settingsRow, 'version');
  else if (settingsRow && has(settingsRow, 'version'))
    tell(settingsRow, 'version', 'note', 'a template counts its versions itself');

  // Languages
  const languages = languagesOf(tables);
  const chooseLanguage = (): string | null => {
    const { language } = options;
    if (language !== undefined) {
      const chosen = languageNamed(language, languages);
      if (chosen !== undefined) return chosen;
      const known = languages.filter((each) => each !== null).join(', ');
      const message = `the form is not in ${language}${known && `, but in ${known}`}`;
      problems.push({ sheet: '', row: null, column: 'language', message, type: 'value_error' });
    }
    const standard = settings.get('default_language')!;
    const ofForm = languageNamed(standard, languages);
    if (settingsRow && standard && ofForm === undefined && !languages.includes(null))
      tell(settingsRow, 'default_language', 'note', 'no column is in this language');
    const ofLabels = languagesOf(survey, ['label']);
    return ofForm ?? (ofLabels.includes(null) ? null : (ofLabels[0] ?? null));
  };
  const language = chooseLanguage();
  const preferred = [language, null, ...languages.filter((each) => each !== language && each !== null)];

  /** A column without a language is in the form's default one, unless another is. */
  const nameOfLanguage = (each: string | null): string | null => {
    const standard = settings.get('default_language')!;
    const name = each ?? (languageNamed(standard, languages) === undefined ? standard : '');
    return LanguageName.safeParse(name).data ?? null;
  };
  /** The languages that the content is translated into, by the language of the columns. */
  const translated = new Map<string | null, string>();
  const spoken = new Set([nameOfLanguage(language)?.toLowerCase()]);
  for (const each of languages) {
    const name = nameOfLanguage(each);
    if (each === language || name === null || spoken.has(name.toLowerCase())) continue;
    if (translated.size === MOST_TRANSLATIONS) break;
    spoken.add(name.toLowerCase());
    translated.set(each, name);
  }

  /** The texts in the languages that the content is translated into. */
  const translationsOf = (row: Row, column: string): Map<string, string> =>
    new Map(
      [...translated].flatMap(([each, name]) => {
        const found = takeIn(row, column, [each]);
        return found ? [[name, found.text] as const] : [];
      }),
    );

  /** The text in the form's language, or in one that has it. */
  const textOf = (row: Row, column: string): string => {
    const found = takeIn(row, column, preferred);
    if (found && found.language !== language && found.language !== null)
      remarks.push({
        sheet: row.sheet,
        row: row.number,
        column: headerOf(row, column),
        name: nameOf(row),
        severity: 'note',
        message: `taken from ${found.language}, for there is none in ${language ?? 'the default language'}`,
      });
    return found?.text ?? '';
  };

  // Choices
  const mayRepeat = yesOrNo(settings.get('allow_choice_duplicates')!) === true;
  const voice = { complain, tell, textOf, translationsOf, isOwn };
  const lists = {
    choices: listsOf(tablesOf('choices', 'columns', 'choices and columns'), mayRepeat, voice),
    external_choices: listsOf(tablesOf('external_choices'), true, voice),
  };

  const root = treeOf(survey[0].rows, complain, tell, (name, value) => settings.set(name, value));
  const title = [settings.get('form_title'), settings.get('form_id'), options.name].find(Boolean)!;
  const formKey = settings.get('form_id') || title;
  const idOf = (kind: string, path: string): string => v5(JSON.stringify([formKey, kind, path]), NAMESPACE);

  let rows = survey[0].rows.length;
  for (const node of nodesBelow(root)) {
    if (node.type.kind !== 'begin' || node.type.control !== 'loop') continue;
    const list = lists.choices.get(node.type.list ?? '');
    if (!list) complain(node.row, 'type', `there is no list "${node.type.list ?? ''}" to loop over`);
    const options = list?.options ?? [];
    rows += options.length * [...nodesBelow(node)].length;
    if (rows > MOST_ROWS) {
      complain(node.row, 'type', `with its loops the form has more than ${MOST_ROWS} rows`);
      break;
    }
    node.children = options.map(({ name, option, labels }) =>
      loopedGroup(node, {
        name,
        label: option.label,
        ...Object.fromEntries([...labels].map(([each, label]) => [inLanguage('label', each), label])),
      }),
    );
  }

  const byName = Map.groupBy(nodesBelow(root), ({ name }) => name);

  // Own columns
  const own = (row: Row, attribute: string): unknown => {
    if (!ignored.has(`${row.number}:${attribute}`)) return takeOwn(row, attribute);
    const message = "XLSForm's own columns have been changed since it was written, and count instead";
    tell(row, ownColumn(attribute), 'note', message);
    return undefined;
  };
  const hasOwnValue = (row: Row, attribute: string) =>
    hasOwn(row, attribute) && !ignored.has(`${row.number}:${attribute}`);

  /** What has an id, or a key, by it. */
  const placed = new Map<string, Node>();

  const ownId = (node: Node, kind: string): string => {
    const given = takeOwn(node.row, 'id');
    const { success, data } = ResponseSet.shape.id.safeParse(given ?? idOf(kind, node.path));
    if (!success) complain(node.row, ownColumn('id'), 'Input should be a valid UUID');
    else if (given !== undefined && placed.has(data))
      complain(node.row, ownColumn('id'), 'the id is given twice');
    const id = data ?? idOf(kind, node.path);
    placed.set(id, node);
    return id;
  };

  // References: of several rows with a name, the one nearest around is meant
  const resolve = (name: string, from: Node): Node | undefined => {
    const found = byName.get(name) ?? [];
    for (let scope: Node | undefined = from; scope; scope = scope.parent) {
      const near = found.find(({ parent }) => parent === scope);
      if (near) return near;
    }
    return found.length === 1 ? found[0] : undefined;
  };
  const referred = new Set<Row>();
  for (const node of nodesBelow(root)) {
    // A loop has each of its rows more than once.
    if (referred.has(node.row)) continue;
    referred.add(node.row);
    for (const column of referring)
      for (const name of new Set(namesIn(peek(node.row, column))))
        if (!name.includes('#') && !resolve(name, node))
          complain(
            node.row,
            column,
            `${byName.has(name) ? 'more than one row' : 'no row'} is named "${name}"`,
          );
  }

  /** Where an expression stands, as far as references and what is told of it go. */
  interface Place {
    node: Node;
    column: string;
    /** What is asked for within. */
    within: Node;
  }

  /** What is asked when the inspection is set up stands in no group. */
  const placeOf = (node: Node, column: string): Place => ({
    node,
    column,
    within: outcomes.get(node)?.as === 'start' ? root : node.parent!,
  });

  const targetOf = ({ node, within }: Place, name: string): Target => {
    const found = resolve(name, node);
    if (!found) throw new NotCarried(`"${name}" is no answer of this form`);
    const outcome = outcomeOf(found);
    if (outcome.as === 'section') throw new NotCarried(`"${name}" is a group, which has no answer`);
    if (outcome.as === 'nothing') throw new NotCarried(`"${name}" is not in the content: ${outcome.why}`);
    const list = found.type.kind === 'select' ? listOf(found) : undefined;
    return {
      reference: outcome.as === 'start' ? { start_key: outcome.key } : { field_id: outcome.id },
      type: outcome.type,
      options: list?.options.map(({ name, option }) => ({ name, value: option.value })) ?? [],
      isOnce: isOnce(found, within),
    };
  };

  const nameOfReference = (reference: Reference): string =>
    'field_id' in reference ? reference.field_id : reference.start_key;

  /** @throws NotCarried, FormulaError */
  const formulaText = (place: Place, expression: Expression): string => {
    const inForm = mapExpression(expression, (part) =>
      comparedWith(part, (name) => targetOf(place, name), formulaLiteral),
    );
    const targets = new Map<string, boolean>();
    const text = printExpression(inForm, (name) => {
      const { reference, type, isOnce } = targetOf(place, name);
      if (!operands.has(type)) throw new NotCarried(`a ${type} answer is nothing to calculate with`);
      const id = nameOfReference(reference);
      targets.set(id, isOnce);
      return `{${id}}`;
    });
    if (text.length > LONGEST_FORMULA)
      throw new NotCarried(`a formula has at most ${LONGEST_FORMULA} characters`);
    for (const operand of scalarOperands(parseFormula(text)))
      if (!targets.get(nameOfReference(operand)))
        throw new NotCarried('it takes one answer of a repeat that has several');
    return text;
  };

  /** Runs what may have no counterpart, and tells of it then. */
  const carried = <Value>({ node, column }: Place, work: () => Value): Value | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NotCarried || error instanceof ExpressionError || error instanceof FormulaError))
        throw error;
      // Which functions there are instead is for those who write formulas.
      tell(node.row, column, 'lost', `not carried over: ${error.message.replace(/: there are .*/s, '')}`);
      return undefined;
    }
  };

  // What becomes of a row
  const outcomes = new Map<Node, Outcome>();
  const keys = new Set<string>();
  const keyOf = (node: Node): string => {
    const given = takeOwn(node.row, 'key');
    const slug =
      node.name
        .toLowerCase()
        .replaceAll(/[^a-z0-9_]/g, '_')
        .replace(/^[^a-z]+/, '') || 'start';
    let key = typeof given === 'string' ? given : slug.slice(0, 90);
    for (let i = 2; keys.has(key); i += 1) key = `${slug.slice(0, 90)}_${i}`;
    if (keys.size === MOST_START_FIELDS)
      throw new FormError([
        {
          sheet: 'survey',
          row: node.row.number,
          column: 'type',
          message: `a content has at most ${MOST_START_FIELDS} start fields`,
          type: 'too_long',
        },
      ]);
    keys.add(key);
    placed.set(key, node);
    return key;
  };

  const isStartGroup = (node: Node | undefined): boolean => node !== undefined && hasOwn(node.row, 'start');

  const listOf = ({ type }: Node): List | undefined =>
    type.kind === 'select' && (type.source === 'choices' || type.source === 'external_choices')
      ? lists[type.source].get(type.list)
      : undefined;

  const selectType = (node: Node, type: Node['type'] & { kind: 'select' }): FieldType => {
    const list = listOf(node);
    const asText = (why: string): FieldType => {
      tell(node.row, 'type', 'lost', `${why}: it is answered as a text`);
      return 'text';
    };
    if (type.source === 'file') return asText(`its options stand in ${type.list}, not in the form`);
    if (type.source === 'answers') return asText('its options are earlier answers');
    if (!list) {
      complain(node.row, 'type', `there is no list "${type.list}"`);
      return 'text';
    }
    if (list.options.length > MOST_OPTIONS)
      return asText(`its ${list.options.length} options are more than the ${MOST_OPTIONS} of a choice`);
    if (type.isRanked) tell(node.row, 'type', 'lost', 'a choice of several has no order');
    return type.many ? 'multi_select' : 'single_select';
  };

  const shownAs = (node: Node, type: FieldType): FieldType => {
    const words = take(node.row, 'appearance').split(/\s+/).filter(Boolean);
    const found = words.find((word) => appearances.has(`${type} ${word}`));
    const left = words.filter((word) => word !== found);
    if (left.length > 0)
      tell(node.row, 'appearance', 'note', `how it is shown is left to the app: ${left.join(' ')}`);
    return appearances.get(`${type} ${found}`) ?? type;
  };

  /** A calculation's formula; undefined where it has none, which then has been told. */
  const calculationOf = (node: Node): string | undefined => {
    const given = take(node.row, 'calculation');
    const place = placeOf(node, 'calculation');
    return given === '' ? undefined : carried(place, () => formulaText(place, expressionIn(given)));
  };

  const decide = (node: Node): Outcome => {
    const { type, row } = node;
    if (type.kind === 'begin') return { as: 'section' };
    if (type.kind === 'unanswered') {
      tell(row, 'type', type.severity, type.message);
      return { as: 'nothing', why: type.message };
    }
    const ofOwn = FieldType.safeParse(hasOwnValue(row, 'type') ? own(row, 'type') : undefined);
    if (type.kind !== 'question' && type.kind !== 'select')
      return { as: 'nothing', why: 'it is no question' };
    const byRow = shownAs(node, type.kind === 'select' ? selectType(node, type) : type.type);
    const asked = ofOwn.success ? ofOwn.data : byRow;
    if (type.kind === 'question' && type.lost) tell(row, 'type', 'lost', type.lost);
    if (isStartGroup(node.parent)) {
      if (asked !== 'calculated' && asked !== 'reference')
        return { as: 'start', type: asked, key: keyOf(node) };
      const why = `a start field cannot be ${asked}`;
      tell(row, 'type', 'lost', why);
      return { as: 'nothing', why };
    }
    if (type.kind === 'question' && type.start) {
      tell(row, 'type', 'note', type.start);
      return { as: 'start', type: asked, key: keyOf(node) };
    }
    const field = { as: 'field' as const, type: asked, id: ownId(node, 'field') };
    if (hasOwnValue(row, 'formula')) {
      settle(row, 'calculation');
      const formula = own(row, 'formula');
      return typeof formula === 'string' ? { ...field, formula } : field;
    }
    const formula = calculationOf(node) ?? (asked === 'calculated' ? hiddenValue(node) : undefined);
    if (formula !== undefined) {
      if (asked !== 'calculated' && asked !== 'instruction' && yesOrNo(peek(row, 'read_only')) !== true)
        tell(row, 'calculation', 'note', 'it is calculated, and cannot be answered differently');
      return { ...field, type: 'calculated', formula };
    }
    if (asked !== 'calculated' || hasOwn(row, 'id')) return field;
    const why = 'there is nothing that it could be calculated from';
    if (
      !remarks.some(
        (remark) => remark.row === row.number && remark.severity === 'lost' && remark.sheet === row.sheet,
      )
    )
      tell(row, 'type', 'lost', why);
    return { as: 'nothing', why: 'it cannot be calculated' };
  };

  /** A hidden value stands by itself in the column of defaults. */
  const hiddenValue = (node: Node): string | undefined => {
    const text = take(node.row, 'default');
    if (text === '') return undefined;
    const place = placeOf(node, 'default');
    return carried(place, () => formulaText(place, isDynamic(text) ? expressionIn(text) : asText(text)));
  };

  let chained = 0;
  const outcomeOf = (node: Node): Outcome => {
    const known = outcomes.get(node);
    if (known) return known;
    if (chained === LONGEST_CHAIN)
      return { as: 'nothing', why: 'one calculation after the other asks for it' };
    outcomes.set(node, { as: 'nothing', why: 'it depends on itself' });
    chained += 1;
    const outcome = decide(node);
    chained -= 1;
    outcomes.set(node, outcome);
    return outcome;
  };

  // Texts
  const filledIn = (node: Node, column: string, given: string, inOther: string | null = null): string => {
    const { row, filled = {} } = node;
    const text = given.replaceAll(/%\((\w+)\)s/g, (whole, name: string) => {
      const key = [inLanguage(name, inOther), name].find((each) => Object.hasOwn(filled, each));
      return key === undefined ? whole : filled[key]!;
    });
    if (namesIn(text).length > 0 && !hasOwn(row, 'id') && !isStartGroup(node.parent))
      tell(row, inLanguage(column, inOther), 'lost', REFERENCE_SHOWN);
    return text;
  };
  const proseOf = (node: Node, column: string): string => filledIn(node, column, textOf(node.row, column));

  /** A heading, and what is too long for one with all else that explains. */
  const fitted = (
    { row }: Node,
    label: string,
    hints: readonly string[],
    inOther: string | null = null,
  ): Spoken => {
    const isLong = label.length > LONGEST_TITLE;
    if (isLong)
      tell(
        row,
        inLanguage('label', inOther),
        'note',
        'it is longer than a label may be, and stands in the help text too',
      );
    const text = [isLong ? label : '', ...hints].filter(Boolean).join('\n\n');
    if (text.length > LONGEST_HELP)
      tell(row, inLanguage('hint', inOther), 'lost', `only its first ${LONGEST_HELP} characters are kept`);
    return {
      title: isLong ? `${label.slice(0, LONGEST_TITLE - 1).trimEnd()}…` : label,
      text: text.slice(0, LONGEST_HELP) || null,
    };
  };
  const headed = (node: Node, fallback: string, more: readonly string[] = []): Spoken =>
    fitted(node, proseOf(node, 'label') || fallback, [
      proseOf(node, 'hint'),
      proseOf(node, 'guidance_hint'),
      ...more,
    ]);

  /** What the parts say in other languages, by id or key, and whose options they have. */
  const headings = new Map<string, Map<string, Spoken>>();
  const labelled = new Map<string, readonly ListedOption[]>();
  const translate = (id: string, node: Node) => {
    const labels = translationsOf(node.row, 'label');
    const hints = translationsOf(node.row, 'hint');
    headings.set(
      id,
      new Map(
        [...translated.values()].map((each) => [
          each,
          fitted(
            node,
            filledIn(node, 'label', labels.get(each) ?? looped(node, each), each),
            [filledIn(node, 'hint', hints.get(each) ?? '', each)],
            each,
          ),
        ]),
      ),
    );
  };
  /** The group of a loop is called as the option that it is for. */
  const looped = ({ type, row, filled }: Node, inOther: string): string =>
    type.kind === 'begin' && row.cells.length === 0 ? (filled?.[inLanguage('label', inOther)] ?? '') : '';

  // Conditions
  /** Where each section's or field's parts came from, for what turns out to be impossible in the end. */
  const sources = new Map<object, Node>();
  const helpers = new Map<string, string>();
  let logic: Section | undefined;

  /** The fields of a section that is never hidden, for what decides on the sections beside it. */
  const openFields = (): Field[] => {
    logic ??= emptySection(idOf('logic', ''), 'Conditions');
    return logic.fields;
  };

  /** A field that works out what no condition can say. */
  const helperFor = (place: Place, expression: Expression, host: Field[]): Condition => {
    const truth = isBoolean(expression)
      ? expression
      : callOf('if', expression, callOf('true'), callOf('false'));
    const formula = formulaText(place, truth);
    const known = helpers.get(JSON.stringify([place.within.path, formula]));
    const id = known ?? idOf('condition', JSON.stringify([place.within.path, formula]));
    if (!known) {
      helpers.set(JSON.stringify([place.within.path, formula]), id);
      host.push(
        Field.parse({
          id,
          type: 'calculated',
          label: `Whether ${place.node.name}`.slice(0, LONGEST_TITLE),
          formula,
          report: { visible: false },
        }),
      );
    }
    tell(
      place.node.row,
      place.column,
      'note',
      'a calculated field works it out, and the condition asks for that',
    );
    return { field_id: id, op: 'eq', value: true };
  };

  const conditionIn = (place: Place, host: () => Field[]): Condition | null => {
    const { node, column } = place;
    const text = take(node.row, column);
    const fixed = yesOrNo(text);
    if (text === '' || fixed === true) return null;
    return (
      carried(place, () => {
        const expression = expressionIn(fixed === false ? 'false()' : text);
        const condition = conditionOf(expression, (name) => targetOf(place, name));
        return condition && depthOf(condition) <= DEEPEST_CONDITION
          ? condition
          : helperFor(place, expression, host());
      }) ?? null
    );
  };

  const relevance = (node: Node, host: () => Field[]): Condition | null => {
    if (node.specifies) {
      const outcome = outcomeOf(node.specifies);
      const op = outcome.as === 'field' && outcome.type === 'multi_select' ? 'contains' : 'eq';
      return outcome.as === 'field' ? { field_id: outcome.id, op, value: 'other' } : null;
    }
    if (hasOwnValue(node.row, 'visible_if')) {
      settle(node.row, 'relevant');
      return null;
    }
    return conditionIn(placeOf(node, 'relevant'), host);
  };

  const bothOf = (outer: Condition | null, inner: Condition | null): Condition | null =>
    outer && inner ? { all: [outer, inner] } : (outer ?? inner);

  // Questions
  /** By name; a part that sets nothing is a name too. */
  const parametersOf = (node: Node): Map<string, string> =>
    new Map(
      [...take(node.row, 'parameters').matchAll(/([^\s,;=]+)(?:\s*=\s*([^\s,;]+))?/g)].map(
        ([, name = '', value = '']) => [name.toLowerCase(), value],
      ),
    );

  const limitsOf = (node: Node, type: FieldType): Partial<Field> => {
    const { row } = node;
    const limits: Partial<Field> =
      node.type.kind === 'question' && node.type.type === type ? { ...node.type.limits } : {};
    const parameters = parametersOf(node);
    if (node.type.kind === 'question' && node.type.type === 'slider') {
      const bounds = { min: ['start', 1], max: ['end', 10], step: ['step', 1] } as const;
      for (const [limit, [name, standard]] of Object.entries(bounds)) {
        const value = Number(parameters.get(name) ?? standard);
        if (Number.isFinite(value)) limits[limit as 'min'] = value;
        if (Number.isFinite(value)) parameters.delete(name);
      }
      if (limits.min! > limits.max!) [limits.min, limits.max] = [limits.max!, limits.min!];
    }
    if (parameters.delete('rows') && type === 'text') limits.type = 'long_text';
    if (parameters.size > 0)
      tell(row, 'parameters', 'lost', `they have no counterpart: ${[...parameters.keys()].join(', ')}`);
    const given = take(row, 'constraint');
    if (given === '') return limits;
    const place = placeOf(node, 'constraint');
    const found = carried(place, () => {
      const expression = expressionIn(given);
      return limitsIn(expression, type, limits.step === 1);
    });
    if (!found) return limits;
    if (found.left.length > 0) tell(row, 'constraint', 'lost', `not checked: ${found.left.join(' and ')}`);
    const set = Object.entries(found.limits).filter(([, value]) => value !== null) as [
      keyof Limits,
      number,
    ][];
    return { ...limits, ...Object.fromEntries(set) };
  };

  const defaultOf = (node: Node, type: FieldType): unknown => {
    const text = take(node.row, 'default');
    if (text === '' || hasOwnValue(node.row, 'default_value')) return null;
    const options = listOf(node)?.options;
    const value = isDynamic(text)
      ? undefined
      : defaultIn(
          text,
          type,
          (name) => options?.find((option) => option.name === name)?.option.value ?? name,
        );
    if (value === undefined) tell(node.row, 'default', 'lost', `it is no fixed answer of a ${type} field`);
    return value ?? null;
  };

  const requirement = (node: Node, host: () => Field[]): Pick<Field, 'required' | 'required_if'> => {
    const text = take(node.row, 'required');
    const fixed = yesOrNo(text);
    if (fixed !== undefined) return { required: fixed, required_if: null };
    if (hasOwnValue(node.row, 'required_if')) return { required: false, required_if: null };
    return {
      required: false,
      required_if: conditionIn(placeOf(node, 'required'), host),
    };
  };

  const optionsIn = (node: Node, id: string, type: FieldType): Pick<Field, 'options' | 'response_set_id'> => {
    const none = { options: null, response_set_id: null };
    if (node.type.kind !== 'select' || type === 'text' || type === 'calculated') return none;
    const list = listOf(node);
    if (!list) return none;
    const own = list.isOfType || (isOwn && !list.set && usesOf(list) === 1);
    if (own) {
      labelled.set(id, list.options);
      return { ...none, options: list.options.map(({ option }) => option) };
    }
    return { ...none, response_set_id: setFor(node.type, list).id };
  };

  const uses = Map.groupBy(nodesBelow(root), listOf);
  const usesOf = (list: List): number => uses.get(list)?.length ?? 0;

  const sets = new Map<string, ResponseSet>();
  const setLists = new Map<string, string>();
  const setFor = (type: Node['type'] & { kind: 'select' }, list: List): ResponseSet => {
    const path = `${type.source}/${list.name}${type.orOther ? '/other' : ''}`;
    const id = list.set && typeof list.set.id === 'string' ? list.set.id.toLowerCase() : idOf('list', path);
    const options = list.options.map(({ option }) => option);
    const hasOther = !type.orOther || options.some(({ value }) => value === 'other');
    const other = {
      value: 'other',
      label: 'Other',
      color: null,
      score: null,
      is_failed: false,
      is_na: false,
    };
    const name = typeof list.set?.name === 'string' ? list.set.name : list.name;
    const set: ResponseSet = {
      id,
      name: (type.orOther ? `${name} (or other)` : name).slice(0, LONGEST_TITLE),
      options: hasOther ? options : [...options, other],
    };
    if (!sets.has(path)) {
      sets.set(path, set);
      labelled.set(id, list.options);
      setLists.set(id, list.name);
    }
    return sets.get(path)!;
  };

  /** Our own columns of a row, over what XLSForm's say. */
  const withOwn = <Part extends Field | StartField | Section>(
    part: Part,
    { row }: Node,
    attributes: readonly string[],
  ): Part => {
    const given = attributes.flatMap((attribute) => {
      const value = hasOwn(row, attribute) ? own(row, attribute) : undefined;
      return value === undefined ? [] : [[attribute, value] as const];
    });
    return given.length === 0 ? part : { ...part, ...Object.fromEntries(given) };
  };

  const check = (schema: Checkable, part: object, { row }: Node): void => {
    for (const { path, message } of schema.safeParse(part).error?.issues ?? []) {
      const attribute = String(path[0]);
      complain(row, hasOwn(row, attribute) ? ownColumn(attribute) : 'type', message);
    }
  };

  const labelFallback = (node: Node) => (node.specifies ? 'Specify other' : node.name);

  const fieldOf = (node: Node, outcome: Outcome & { as: 'field' }, host: () => Field[]): Field => {
    const { row, type } = node;
    const help = type.kind === 'question' && type.help && !has(row, 'hint') ? [type.help] : [];
    const isSilent = outcome.type === 'calculated' && !has(row, 'label');
    const { title, text } = headed(node, labelFallback(node), help);
    const limits = outcome.type === 'calculated' ? {} : limitsOf(node, outcome.type);
    const isAsked = outcome.type !== 'calculated' && outcome.type !== 'instruction';
    const field: Field = {
      ...Field.parse({ id: outcome.id, type: outcome.type, label: title }),
      help_text: text,
      ...limits,
      ...(isAsked ? requirement(node, host) : {}),
      visible_if: relevance(node, host),
      default_value: isAsked ? defaultOf(node, outcome.type) : null,
      ...optionsIn(node, outcome.id, outcome.type),
      formula: outcome.formula ?? null,
      report: { visible: !isSilent },
    };
    if (!isAsked || yesOrNo(peek(row, 'read_only')) === false) settle(row, 'read_only');
    if (!isAsked && yesOrNo(peek(row, 'required')) === false) settle(row, 'required');
    translate(outcome.id, node);
    const whole = withOwn(field, node, fieldAttributes());
    check(Field, whole, node);
    sources.set(whole, node);
    return whole;
  };

  const startFieldOf = (node: Node, { type, key }: Outcome & { as: 'start' }): StartField => {
    const { title, text } = headed(node, key === 'today' ? 'Date' : labelFallback(node));
    const { type: shown = type, ...limits } = limitsOf(node, type);
    const required = yesOrNo(take(node.row, 'required'));
    if (required === undefined)
      tell(node.row, 'required', 'lost', 'a start field is always required or never');
    const field: StartField = {
      ...StartField.parse({ key, type: shown, label: title }),
      help_text: text,
      ...limits,
      required: required ?? false,
      visible_if: relevance(node, openFields),
      default_value: defaultOf(node, type),
      ...optionsIn(node, key, type),
    };
    translate(key, node);
    const whole = withOwn(field, node, startAttributes());
    check(StartField, whole, node);
    sources.set(whole, node);
    return whole;
  };

  const repeatOf = (node: Node): Section['repeat'] => {
    const { row, type } = node;
    if (type.kind !== 'begin' || type.control !== 'repeat') return null;
    const text = take(row, 'repeat_count');
    if (text === '') return Repeat.parse({});
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= 100)
      return Repeat.parse({ min: count, max: count });
    tell(row, 'repeat_count', 'lost', 'how often it is repeated is left to those who answer');
    return Repeat.parse({});
  };

  const sectionOf = (node: Node, host: () => Field[]): Section => {
    const { title, text } = headed(node, node.filled?.['label'] ?? node.name);
    const { row } = node;
    const shown = take(row, 'appearance');
    if (shown) tell(row, 'appearance', 'note', `how it is shown is left to the app: ${shown}`);
    const section: Section = {
      ...emptySection(ownId(node, 'section'), title),
      description: text,
      visible_if: relevance(node, host),
      repeat: repeatOf(node),
    };
    translate(section.id, node);
    const whole = withOwn(section, node, sectionAttributes);
    check(Section, whole, node);
    sources.set(whole, node);
    return whole;
  };

  const start: StartField[] = [];

  /**
   * Puts a group's rows into a section, which has its fields first and then its sections: what comes after a
   * group goes into a section of its own, so that the order stays.
   */
  const fill = (
    group: Node,
    into: Section | undefined,
    depth: number,
    beside: Section[],
    hidden: Condition | null,
  ) => {
    let run: Section | undefined;
    const fields = (): Field[] => {
      const isFree = into && (into.sections.length === 0 || depth === DEEPEST_SECTION);
      if (isFree) return into.fields;
      if (!run) {
        const id = idOf('section', `${group.path}#${beside.length}`);
        run = emptySection(id, into?.title ?? title.slice(0, LONGEST_TITLE));
        const titles = [...(headings.get(into?.id ?? '') ?? [])];
        headings.set(id, new Map(titles.map(([each, { title }]) => [each, { title, text: null }])));
        beside.push(run);
      }
      return run.fields;
    };
    const host = () => (into ? into.fields : openFields());
    for (const node of group.children) {
      const outcome = outcomeOf(node);
      if (outcome.as === 'start') start.push(startFieldOf(node, outcome));
      else if (outcome.as === 'field') {
        const into = fields();
        const field = fieldOf(node, outcome, () => into);
        into.push(hidden ? { ...field, visible_if: bothOf(hidden, field.visible_if) } : field);
        sources.set(into.at(-1)!, node);
      } else if (outcome.as === 'section' && isStartGroup(node)) {
        settleAll(node.row);
        fill(node, into, depth, beside, hidden);
      } else if (outcome.as === 'section' && into && depth === DEEPEST_SECTION) {
        const section = sectionOf(node, host);
        tell(
          node.row,
          'type',
          'lost',
          `sections are at most ${DEEPEST_SECTION} deep: its rows stand in the one around`,
        );
        fill(node, into, depth, beside, bothOf(hidden, section.visible_if));
      } else if (outcome.as === 'section') {
        const section = sectionOf(node, host);
        beside.push(section);
        run = undefined;
        fill(node, section, depth + 1, section.sections, null);
      }
    }
  };

  const sections: Section[] = [];
  fill(root, undefined, 0, sections, null);
  if (logic) sections.push(logic);

  for (const source of ['choices', 'external_choices'] as const)
    for (const list of lists[source].values()) {
      const isInline = isOwn && !list.set && usesOf(list) === 1;
      const isShown = sets.has(`${source}/${list.name}`) || sets.has(`${source}/${list.name}/other`);
      if (list.isOfType || isInline || isShown) continue;
      if (list.options.length <= MOST_OPTIONS) setFor({ ...plainSelect, source, list: list.name }, list);
      else
        tellSheet(
          source,
          'lost',
          `the list "${list.name}" has more than ${MOST_OPTIONS} options, and is left out`,
        );
    }
  const inOrder = new Map([...lists.choices.keys()].map((name, i) => [`choices/${name}`, i]));
  const response_sets = [...sets]
    .toSorted(([a], [b]) => (inOrder.get(a) ?? Infinity) - (inOrder.get(b) ?? Infinity) || 0)
    .map(([, set]) => set);

  const scoring = settingsRow && hasOwn(settingsRow, 'scoring') ? takeOwn(settingsRow, 'scoring') : {};
  const checkedScoring = Scoring.safeParse(scoring);
  if (!checkedScoring.success)
    complain(settingsRow!, ownColumn('scoring'), checkedScoring.error.issues[0]!.message);

  const ownTranslations =
    settingsRow && hasOwn(settingsRow, 'translations') ? takeOwn(settingsRow, 'translations') : [];
  const checkedTranslations = Translations.safeParse(ownTranslations);
  if (!checkedTranslations.success)
    complain(settingsRow!, ownColumn('translations'), checkedTranslations.error.issues[0]!.message);

  const parts = { start: { fields: start }, sections, response_sets };
  const content: Content = {
    schema_version: 1,
    ...parts,
    scoring: checkedScoring.data ?? Scoring.parse({}),
    language: nameOfLanguage(language),
    translations: [...translated.values()].map((each) => ({
      language: each,
      texts: translatedTexts(
        cellTexts(
          parts,
          (id) => headings.get(id)?.get(each),
          (id, value) => {
            const listed = labelled.get(id)?.find(({ option }) => option.value === value);
            return listed && (listed.labels.get(each) ?? '');
          },
        ),
        checkedTranslations.data?.find(({ language }) => language === each)?.texts ?? [],
      ),
    })),
  };
  if (problems.length > 0) throw new FormError(problems);

  if (!isOwn) withdraw(content, sources, tell);
  const checked = Content.safeParse(content);
  if (!checked.success)
    throw new FormError(
      checked.error.issues.map(({ path, message }) => ({
        sheet: 'survey',
        row: null,
        column: null,
        message: `${path.join('.')}: ${message}`,
        type: 'value_error' as const,
      })),
    );

  for (const table of tables)
    for (const remark of leftovers(table, new Set([language, ...translated.keys()]), nameOf, reasonOf))
      remarks.push(remark);
  for (const name of others) tellSheet(name, 'lost', 'a content has nothing like this sheet');
  const orderOf = new Map(tables.map(({ name }, i) => [name, i]));
  const inSheet = ({ sheet }: Remark) => orderOf.get(sheet) ?? tables.length;
  remarks.sort((a, b) => inSheet(a) - inSheet(b) || (a.row ?? 0) - (b.row ?? 0));
  return { title, content: checked.data, remarks, placed, setLists, language };
};

/**
 * A form's sheets as a content. Ids are made of the form's id and the names within it, so that a later version of
 * the form keeps them; a form that was exported from here has its own.
 * @param others the names of sheets that have no part in it
 * @throws FormError with everything that keeps the form from being imported
 */
export const importForm = (
  sheets: readonly Sheet[],
  others: readonly string[],
  options: ImportOptions,
): Imported => {
  const first = attempt(sheets, others, options, new Set());
  const ignored = outdated(first.content, first);
  const { title, content, remarks } = ignored.size === 0 ? first : attempt(sheets, others, options, ignored);
  return { title, content, remarks };
};
