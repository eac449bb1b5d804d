import type { Problem, ProblemType } from '../../../base/problem.ts';
import type {
  Comparison,
  Condition,
  Content,
  FailRule,
  Field,
  FieldType,
} from '../../../schemas/templates/content.ts';
import type { ContentIndex, FieldPlace, Question } from '../content-index.ts';
import {
  hasDefaultOptions,
  indexContent,
  isAnswerable,
  isChoice,
  limitsOf,
  optionsOf,
  partOf,
  sectionsOf,
} from '../content-index.ts';
import { type Formula, FormulaError, parseFormula, scalarOperands } from '../formula.ts';
import { canScore } from '../scoring.ts';
import { PATTERN_LENGTH, checkAnswer } from '../values.ts';

const DEEPEST_SECTION = 5;
const DEEPEST_CONDITION = 10;
const MOST_FIELDS = 5_000;
const MOST_SECTIONS = 300;

/**
 * Conditions and formulas are worked out one within the other, a nested condition within those around it: the
 * stack holds so many.
 */
const LONGEST_CHAIN = 500;

/** Answers that the least instances of all repeats ask for: every one of them is a row of an empty inspection. */
const MOST_LEAST_ANSWERS = 20_000;

/** Ways in which a pattern may be tried on one text, those of three `*`; each takes some nanoseconds. */
const MOST_WAYS = (PATTERN_LENGTH + 1) ** 3;

const report = (
  loc: string[],
  msg: string,
  type: ProblemType = 'value_error',
  ctx?: Problem['ctx'],
): Problem => ({
  loc,
  msg: type === 'value_error' ? `Value error, ${msg}` : msg,
  type,
  ...(ctx && { ctx }),
});

const atMost = (loc: string[], what: string, most: number, actual: number): Problem[] =>
  actual <= most
    ? []
    : [
        report(loc, `There should be at most ${most} ${what}, not ${actual}`, 'too_long', {
          max_length: most,
          actual_length: actual,
        }),
      ];

/** A part of the content that conditions hang on, with the name under which others depend on it. */
interface Conditional {
  node: string;
  loc: string[];
  visible_if: Condition | null;
  required_if?: Condition | null;
  /** The section whose visibility it shares. */
  parent?: string;
}

function* conditionalsOf(content: Content): Generator<Conditional> {
  for (const [i, { key, visible_if }] of content.start.fields.entries())
    yield { node: key, loc: ['content', 'start', 'fields', String(i)], visible_if };
  const ancestors: string[] = [];
  for (const { section, depth, loc } of sectionsOf(content)) {
    const parent = ancestors[depth - 2];
    ancestors[depth - 1] = section.id;
    yield { node: section.id, loc, visible_if: section.visible_if, ...(parent && { parent }) };
    for (const [i, { id, visible_if, required_if }] of section.fields.entries())
      yield { node: id, loc: [...loc, 'fields', String(i)], visible_if, required_if, parent: section.id };
  }
}

/** Every condition within a condition, itself first. */
function* within(
  condition: Condition,
  loc: string[],
  depth = 1,
): Generator<{ condition: Condition; loc: string[]; depth: number }> {
  yield { condition, loc, depth };
  for (const member of ['all', 'any'] as const) {
    const parts = (condition as { all?: Condition[]; any?: Condition[] })[member] ?? [];
    for (const [i, part] of parts.entries()) yield* within(part, [...loc, member, String(i)], depth + 1);
  }
}

function* conditionsOf({ loc, visible_if, required_if }: Conditional) {
  if (visible_if) yield* within(visible_if, [...loc, 'visible_if']);
  if (required_if) yield* within(required_if, [...loc, 'required_if']);
}

const duplicates = (parts: Iterable<[name: string, loc: string[]]>): Problem[] => {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [name, loc] of parts) {
    if (seen.has(name)) problems.push(report(loc, `${JSON.stringify(name)} is given twice`));
    seen.add(name);
  }
  return problems;
};

function* idsOf(content: Content): Generator<[string, string[]]> {
  for (const { section, loc } of sectionsOf(content)) {
    yield [section.id, [...loc, 'id']];
    for (const [i, { id }] of section.fields.entries()) yield [id, [...loc, 'fields', String(i), 'id']];
  }
  for (const [i, { id }] of content.response_sets.entries())
    yield [id, ['content', 'response_sets', String(i), 'id']];
}

/** Languages are the same whatever their case, for that is how a form asks for one. */
const languageDuplicates = ({ language, translations }: Content): Problem[] => [
  ...duplicates([
    ...(language === null ? [] : [[language.toLowerCase(), ['content', 'language']] as [string, string[]]]),
    ...translations.map(({ language }, i): [string, string[]] => [
      language.toLowerCase(),
      ['content', 'translations', String(i), 'language'],
    ]),
  ]),
  ...translations.flatMap(({ texts }, i) => {
    const loc = ['content', 'translations', String(i), 'texts'];
    return [
      ...duplicates(texts.map(({ id }, j) => [id, [...loc, String(j), 'id']])),
      ...texts.flatMap(({ options }, j) =>
        duplicates(
          options.map(({ value }, k) => [value, [...loc, String(j), 'options', String(k), 'value']]),
        ),
      ),
    ];
  }),
];

/**
 * What must hold for every saved content, a draft's too: ids unique across sections, fields and response sets,
 * start keys unique, nothing translated twice, and sizes and depths bounded, so that all else can be walked without a second thought.
 * @returns every problem, loc into the content, beginning with `content`.
 */
export const structureProblems = (content: Content): Problem[] => {
  const sections = [...sectionsOf(content)];
  const fields = sections.reduce((sum, { section }) => sum + section.fields.length, 0);
  const least = sections.reduce(
    (sum, { section, repeats }) =>
      sum +
      section.fields.length * repeats.reduce((product, { repeat }) => product * Math.max(repeat.min, 1), 1),
    0,
  );
  return [
    ...atMost(['content', 'sections'], 'sections', MOST_SECTIONS, sections.length),
    ...atMost(['content', 'sections'], 'fields', MOST_FIELDS, fields),
    ...(fields > MOST_FIELDS
      ? []
      : atMost(
          ['content', 'sections'],
          'answers in the least instances of all repeats',
          MOST_LEAST_ANSWERS,
          least,
        )),
    ...sections
      .filter(({ depth }) => depth === DEEPEST_SECTION + 1)
      .map(({ loc }) => report(loc, `sections are nested at most ${DEEPEST_SECTION} deep`)),
    ...duplicates(idsOf(content)),
    ...duplicates(
      content.start.fields.map(({ key }, i) => [key, ['content', 'start', 'fields', String(i), 'key']]),
    ),
    ...languageDuplicates(content),
    ...[...conditionalsOf(content)].flatMap((conditional) =>
      [...conditionsOf(conditional)]
        .filter(({ depth }) => depth === DEEPEST_CONDITION + 1)
        .map(({ loc }) => report(loc, `conditions are nested at most ${DEEPEST_CONDITION} deep`)),
    ),
  ];
};

/** What a choice's answers can be named by: `failed`, its options, and `true` and `false` of a boolean. */
const namesOf = (index: ContentIndex, field: Question) =>
  field.type === 'yes_no' || field.type === 'checkbox'
    ? ['true', 'false']
    : optionsOf(index, field).map(({ value }) => value);

const numeric: FieldType[] = ['number', 'slider', 'rating', 'temperature'];
const textual: FieldType[] = ['text', 'long_text', 'barcode'];
const moments: FieldType[] = ['date', 'time', 'datetime'];
const media: FieldType[] = ['photo', 'video', 'audio', 'file', 'drawing'];

/** Types whose answers have parts, so that none equals a value. */
const structured = new Set<FieldType>([...media, 'signature', 'geo_point', 'address', 'reference']);

const ordered = new Set<FieldType>([...numeric, ...moments, 'calculated']);
const containing = new Set<FieldType>([...textual, 'multi_select', 'calculated']);

/** Types whose answers a formula can work with. */
export const operands: ReadonlySet<FieldType> = new Set<FieldType>([
  ...ordered,
  ...containing,
  'yes_no',
  'checkbox',
  'yes_no_na',
  'pass_fail_na',
  'single_select',
]);

const canFail = (index: ContentIndex, field: Question) =>
  ('fail_if' in field && field.fail_if !== null) ||
  optionsOf(index, field).some(({ is_failed }) => is_failed);

/** Whether an operator can tell answers of a field from each other. */
const canCompare = (index: ContentIndex, field: Question, op: Comparison['op'] | FailRule['op']): boolean => {
  const { type } = field;
  switch (op) {
    case 'eq':
    case 'ne':
    case 'in':
    case 'not_in':
      return !structured.has(type);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return ordered.has(type);
    case 'outside':
      return ordered.has(type) && !moments.includes(type);
    case 'contains':
      return containing.has(type);
    case 'failed':
      return canFail(index, field);
    case 'empty':
    case 'not_empty':
      return true;
  }
};

/** Whether an operator compares with several values at once: one answer is equal to one value. */
const takesList = ({ type }: Question, op: Comparison['op'] | FailRule['op']): boolean =>
  ['in', 'not_in', 'outside'].includes(op) || type === 'multi_select';

/** Tells what an answer may be, or lie beside: limits aside, for one compares with what is beyond them, too. */
const comparableWith = (index: ContentIndex, field: Question): ((value: unknown) => boolean) => {
  if (field.type === 'calculated') return () => true;
  if (numeric.includes(field.type)) return (value) => typeof value === 'number';
  if (textual.includes(field.type)) return (value) => typeof value === 'string';
  if (isChoice(field)) {
    const names = new Set<unknown>(optionsOf(index, field).map(({ value }) => value));
    return (value) => names.has(value);
  }
  return (value) => {
    const checked = checkAnswer(field, index, value);
    return !Array.isArray(checked) && checked.value === value;
  };
};

function* comparisonProblems(
  index: ContentIndex,
  field: Question,
  { op, value }: Pick<Comparison, 'op' | 'value'> | FailRule,
  loc: string[],
): Generator<Problem> {
  if (!canCompare(index, field, op)) {
    yield report(
      [...loc, 'op'],
      op === 'failed' ? 'an answer of the field cannot fail' : `${op} never holds of a ${field.type} field`,
    );
    return;
  }
  if (Array.isArray(value) && !takesList(field, op)) {
    yield report([...loc, 'value'], `${op} takes one value of a ${field.type} field, no list`);
    return;
  }
  const isComparable = comparableWith(index, field);
  for (const operand of [value ?? []].flat())
    if (!isComparable(operand))
      yield report(
        [...loc, 'value'],
        isChoice(field)
          ? `${JSON.stringify(operand)} is none of the field's options`
          : `${JSON.stringify(operand)} is no answer of a ${field.type} field`,
      );
}

function* conditionProblems(index: ContentIndex, conditional: Conditional): Generator<Problem> {
  for (const { condition, loc } of conditionsOf(conditional)) {
    if (!('op' in condition)) continue;
    const [member, target] =
      'field_id' in condition
        ? (['field_id', index.fields.get(condition.field_id)?.field] as const)
        : (['start_key', index.startFields.get(condition.start_key)] as const);
    if (!target)
      yield report(
        [...loc, member],
        `the content has no such ${member === 'field_id' ? 'field' : 'start field'}`,
      );
    else if (target.type === 'instruction') yield report([...loc, member], 'an instruction has no answer');
    else yield* comparisonProblems(index, target, condition, loc);
  }
}

/** By the ids of the calculated fields that have one. */
type Formulas = Map<string, Formula | FormulaError>;

const formulasOf = (index: ContentIndex): Formulas => {
  const formulas: Formulas = new Map();
  for (const { field } of index.fields.values()) {
    if (field.type !== 'calculated' || !field.formula?.trim()) continue;
    try {
      formulas.set(field.id, parseFormula(field.formula));
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      formulas.set(field.id, error);
    }
  }
  return formulas;
};

function* formulaProblems(
  index: ContentIndex,
  { repeats }: FieldPlace,
  formula: Formula | FormulaError,
  loc: string[],
): Generator<Problem> {
  if (formula instanceof FormulaError) {
    yield report(loc, formula.message);
    return;
  }
  const scalars = new Set(scalarOperands(formula));
  for (const operand of formula.operands) {
    const name = 'field_id' in operand ? operand.field_id : operand.start_key;
    const place = index.fields.get(name);
    const target = place?.field ?? index.startFields.get(name);
    if (!target) yield report(loc, `the content has no field {${name}}`);
    else if (!operands.has(target.type))
      yield report(loc, `an answer of the ${target.type} field {${name}} is nothing to calculate with`);
    else if (scalars.has(operand) && place?.repeats.some((repeat) => !repeats.includes(repeat)))
      yield report(
        loc,
        `{${name}} has an answer for each instance of its section: put it alone into sum, count, min or max`,
      );
  }
}

/** That a part depends on another: on a section around it, or by its condition or formula. */
interface Dependency {
  target: string;
  by?: 'visible_if' | 'formula';
  /** How deep within a condition. */
  depth: number;
}

function* dependenciesOf(
  { node, parent, visible_if }: Conditional,
  formulas: Formulas,
): Generator<Dependency> {
  if (parent) yield { target: parent, depth: 1 };
  for (const { condition, depth } of visible_if ? within(visible_if, []) : []) {
    if ('field_id' in condition) yield { target: condition.field_id, by: 'visible_if', depth };
    if ('start_key' in condition) yield { target: condition.start_key, by: 'visible_if', depth };
  }
  const formula = formulas.get(node);
  if (!formula || formula instanceof FormulaError) return;
  for (const operand of formula.operands)
    yield { target: 'field_id' in operand ? operand.field_id : operand.start_key, by: 'formula', depth: 1 };
}

/** What can be reached from a node and has not been seen, each node after all that is reached through it. */
function* reached(
  start: string,
  edges: (node: string) => Iterable<string>,
  seen: Set<string>,
): Generator<string, void, undefined> {
  const way: { node: string; next: Iterator<string> }[] = [];
  const enter = (node: string) => {
    if (seen.has(node)) return;
    seen.add(node);
    way.push({ node, next: edges(node)[Symbol.iterator]() });
  };
  enter(start);
  for (let last = way.at(-1); last; last = way.at(-1)) {
    const { value, done } = last.next.next();
    if (!done) enter(value);
    else {
      way.pop();
      yield last.node;
    }
  }
}

/**
 * The conditions and formulas that depend on themselves, through other fields and the sections around them, and
 * those where a chain of them becomes too long. What others see of a field is its answer while it is visible, so
 * a condition or formula on it depends on its condition, on its formula, and on the sections around it. Nothing
 * asks whether a field is required, so "either phone or e-mail" is no cycle.
 */
function* dependencyProblems(content: Content, formulas: Formulas): Generator<Problem> {
  const parts = [...conditionalsOf(content)].map((conditional) => ({
    ...conditional,
    dependencies: [...dependenciesOf(conditional, formulas)],
  }));
  const edges = parts.flatMap(({ node, dependencies }) =>
    dependencies.map((dependency) => ({ node, ...dependency })),
  );
  const needs = Map.groupBy(edges, ({ node }) => node);
  const dependents = Map.groupBy(edges, ({ target }) => target);
  const needed = (node: string) => (needs.get(node) ?? []).map(({ target }) => target);
  const needing = (node: string) => (dependents.get(node) ?? []).map(({ node }) => node);

  let seen = new Set<string>();
  const ends = [...needs.keys()].flatMap((node) => [...reached(node, needed, seen)]);
  // Kosaraju's algorithm: of what has not been told apart yet, all that the last of these reaches backwards is a cycle.
  const cycles = new Map<string, string>();
  seen = new Set();
  for (const end of ends.toReversed()) for (const node of reached(end, needing, seen)) cycles.set(node, end);

  const lengths = new Map<string, number>();
  const lengthBy = ({ target, depth }: Dependency) => depth + (lengths.get(target) ?? 0);
  for (const node of ends)
    lengths.set(
      node,
      (needs.get(node) ?? []).reduce((longest, dependency) => Math.max(longest, lengthBy(dependency)), 0),
    );

  for (const { node, loc, dependencies } of parts) {
    const circular = dependencies.filter(({ target }) => cycles.get(target) === cycles.get(node));
    for (const by of ['visible_if', 'formula'] as const)
      if (circular.some((dependency) => dependency.by === by))
        yield report([...loc, by], `the ${by === 'formula' ? by : 'condition'} depends on itself`);
    const long = dependencies.find(
      (dependency) =>
        lengthBy(dependency) > LONGEST_CHAIN && (lengths.get(dependency.target) ?? 0) <= LONGEST_CHAIN,
    );
    if (long)
      yield report(
        long.by ? [...loc, long.by] : loc,
        `conditions and formulas depend on each other over at most ${LONGEST_CHAIN} steps`,
      );
  }
}

/**
 * An upper bound of the ways in which a backtracking matcher can split a text of `length` characters by a pattern
 * of flag u that compiles: alternatives add up, a sequence multiplies, a quantifier sums over its counts. Nested
 * quantifiers grow exponentially and become Infinity. Time linear in the pattern.
 */
export const waysToMatch = (pattern: string, length: number): number => {
  let at = 0;
  const repetitions = (ways: number, [least, most]: [number, number]) => {
    const counts = Math.min(most, length) - Math.min(least, length);
    return ways <= 1 ? counts + 1 : ways ** Math.min(most, length) * (counts > 0 ? 2 : 1);
  };
  /** What stands next, if it is of this form; `form` is sticky. */
  const take = (form: RegExp) => {
    form.lastIndex = at;
    const found = form.exec(pattern);
    at += found?.[0].length ?? 0;
    return found;
  };
  const quantifier = (): [number, number] => {
    const [written, symbol, least, comma, most] = take(/(?:([*+?])|\{(\d+)(,)?(\d+)?\})\??/y) ?? [];
    if (written === undefined) return [1, 1];
    if (symbol) return [Number(symbol === '+'), symbol === '?' ? 1 : length];
    return [Number(least), most ? Number(most) : comma ? length : Number(least)];
  };
  const alternatives = (): number => {
    let sum = 0;
    let ways = 1;
    while (at < pattern.length && pattern[at] !== ')') {
      const [atom] = take(
        /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|[^]/suy,
      )!;
      if (atom === '|') {
        sum += ways;
        ways = 1;
        continue;
      }
      let inner = 1;
      if (atom.startsWith('(')) {
        inner = alternatives();
        at += 1;
      }
      ways *= repetitions(inner, quantifier());
    }
    return sum + ways;
  };
  return alternatives();
};

/** Says why no answer may be tried against a pattern, which a draft can have; nothing where one may. */
export const patternFault = (pattern: string): string | undefined => {
  try {
    RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message;
  }
  return waysToMatch(pattern, PATTERN_LENGTH) > MOST_WAYS
    ? 'the pattern could take too long: use at most three unbounded quantifiers, and none on a group that varies'
    : undefined;
};

/** Types whose answers have one form, so that a field may change between them and keep its id. */
const compatible: FieldType[][] = [
  textual,
  numeric,
  ['yes_no', 'checkbox'],
  ['yes_no_na', 'pass_fail_na', 'single_select'],
  media,
];

/** Whether answers to a field of the one type have the form of the other's. */
export const isCompatible = (was: FieldType, is: FieldType): boolean =>
  was === is || compatible.some((group) => group.includes(was) && group.includes(is));

/** Settings that only some types have; anywhere else they would be silently without effect. */
const settings: Record<string, FieldType[]> = {
  options: ['yes_no_na', 'pass_fail_na', 'single_select', 'multi_select'],
  response_set_id: ['yes_no_na', 'pass_fail_na', 'single_select', 'multi_select'],
  min: numeric,
  max: numeric,
  step: numeric,
  unit: [...numeric, 'calculated'],
  pattern: textual,
  max_length: textual,
  formula: ['calculated'],
  reference: ['reference'],
};

function* choiceProblems(index: ContentIndex, field: Question, loc: string[]): Generator<Problem> {
  const { options, response_set_id } = field;
  if (options && response_set_id)
    yield report([...loc, 'options'], 'give options or response_set_id, not both');
  if (!options && !response_set_id && !hasDefaultOptions(field))
    yield report([...loc, 'options'], 'a choice needs options or response_set_id', 'missing');
  if (response_set_id && !index.responseSets.has(response_set_id))
    yield report([...loc, 'response_set_id'], 'the content has no such response set');
  if (options) yield* optionProblems(options, [...loc, 'options']);
}

function* optionProblems(options: { value: string }[], loc: string[]): Generator<Problem> {
  if (options.length === 0)
    yield report(loc, 'There should be at least 1 option', 'too_short', { min_length: 1 });
  yield* duplicates(options.map(({ value }, i) => [value, [...loc, String(i), 'value']]));
}

/** The problems of what fields and start fields have in common. */
function* questionProblems(index: ContentIndex, field: Question, loc: string[]): Generator<Problem> {
  for (const [name, types] of Object.entries(settings))
    if (!types.includes(field.type) && ((field as Partial<Record<string, unknown>>)[name] ?? null) !== null)
      yield report([...loc, name], `a ${field.type} field has no ${name}`, 'extra_forbidden');
  if (isChoice(field)) yield* choiceProblems(index, field, loc);

  const { min, max, step } = limitsOf(field);
  const limits: Problem[] = [];
  if (min !== null && max !== null && min > max)
    limits.push(report([...loc, 'min'], 'min is greater than max'));
  if (step !== null && step <= 0) limits.push(report([...loc, 'step'], 'step should be greater than 0'));
  const pattern = field.pattern === null ? undefined : patternFault(field.pattern);
  if (pattern) limits.push(report([...loc, 'pattern'], pattern));
  yield* limits;

  if (field.default_value === null || limits.length > 0) return;
  const checked = checkAnswer(field, index, field.default_value);
  if (Array.isArray(checked))
    for (const problem of checked)
      yield { ...problem, loc: [...loc, 'default_value', ...problem.loc.slice(2)] };
}

function* fieldProblems(
  index: ContentIndex,
  formulas: Formulas,
  field: Field,
  loc: string[],
): Generator<Problem> {
  yield* questionProblems(index, field, loc);
  if (field.type === 'calculated' && !field.formula?.trim())
    yield report([...loc, 'formula'], 'A calculated field needs a formula', 'missing');
  const formula = formulas.get(field.id);
  if (formula) yield* formulaProblems(index, index.fields.get(field.id)!, formula, [...loc, 'formula']);
  if (field.fail_if) yield* comparisonProblems(index, field, field.fail_if, [...loc, 'fail_if']);
  if (field.type === 'reference' && !field.reference)
    yield report([...loc, 'reference'], 'A reference field needs a target', 'missing');
  if (field.media && field.media.min > field.media.max)
    yield report([...loc, 'media', 'min'], 'min is greater than max');
  const names = new Set(['failed', ...namesOf(index, field)]);
  const triggers = [
    { at: [...loc, 'note_required_on'], given: field.note_required_on },
    { at: [...loc, 'media', 'required_on'], given: field.media?.required_on ?? [] },
  ];
  for (const { at, given } of triggers)
    for (const [i, name] of given.entries())
      if (!names.has(name))
        yield report([...at, String(i)], `${JSON.stringify(name)} is no option of the field`);
}

/** A text in another language that nothing would ever show. */
function* translationProblems(index: ContentIndex): Generator<Problem> {
  for (const [i, { texts }] of index.content.translations.entries())
    for (const [j, text] of texts.entries()) {
      const loc = ['content', 'translations', String(i), 'texts', String(j)];
      const part = partOf(index, text.id);
      if (!part) {
        yield report([...loc, 'id'], 'the content has no part with this id or key');
        continue;
      }
      for (const name of ['title', 'description', 'label', 'help_text'] as const)
        if (text[name] !== null && !(name in part))
          yield report([...loc, name], `this part has no ${name}`, 'extra_forbidden');
      const values = new Set('options' in part ? part.options?.map(({ value }) => value) : []);
      for (const [k, { value }] of text.options.entries())
        if (!values.has(value))
          yield report(
            [...loc, 'options', String(k), 'value'],
            `${JSON.stringify(value)} is no option of its own`,
          );
    }
}

function* typeProblems(content: Content, previous: Content): Generator<Problem> {
  const before = indexContent(previous);
  const change = (was: FieldType | undefined, is: FieldType) =>
    was === undefined || isCompatible(was, is)
      ? undefined
      : `answers of a ${was} field are none of a ${is} field: give it a new id`;
  for (const [i, { key, type }] of content.start.fields.entries()) {
    const msg = change(before.startFields.get(key)?.type, type);
    if (msg) yield report(['content', 'start', 'fields', String(i), 'type'], msg);
  }
  for (const { section, loc } of sectionsOf(content))
    for (const [i, { id, type }] of section.fields.entries()) {
      const msg = change(before.fields.get(id)?.field.type, type);
      if (msg) yield report([...loc, 'fields', String(i), 'type'], msg);
    }
}

function* sectionProblems(index: ContentIndex, formulas: Formulas): Generator<Problem> {
  for (const { section, loc } of sectionsOf(index.content)) {
    const { repeat } = section;
    if (repeat && repeat.min > repeat.max) yield report([...loc, 'repeat', 'min'], 'min is greater than max');
    if (repeat?.label_field_id && index.fields.get(repeat.label_field_id)?.repeats.at(-1) !== section)
      yield report([...loc, 'repeat', 'label_field_id'], 'the section has no such field');
    for (const [i, field] of section.fields.entries())
      yield* fieldProblems(index, formulas, field, [...loc, 'fields', String(i)]);
  }
}

function* allProblems(content: Content, previous: Content | null): Generator<Problem> {
  yield* structureProblems(content);
  const index = indexContent(content);
  if (!index.fields.values().some(({ field }) => isAnswerable(field)))
    yield report(['content', 'sections'], 'There should be at least 1 field to answer', 'too_short', {
      min_length: 1,
    });
  for (const [i, field] of content.start.fields.entries())
    yield* questionProblems(index, field, ['content', 'start', 'fields', String(i)]);
  const formulas = formulasOf(index);
  yield* sectionProblems(index, formulas);
  for (const [i, { options }] of content.response_sets.entries())
    yield* optionProblems(options, ['content', 'response_sets', String(i), 'options']);
  for (const conditional of conditionalsOf(content)) yield* conditionProblems(index, conditional);
  yield* dependencyProblems(content, formulas);
  if (content.scoring.enabled && !canScore(index))
    yield report(['content', 'scoring', 'enabled'], 'no field has anything to score');
  yield* translationProblems(index);
  if (previous) yield* typeProblems(content, previous);
}

/**
 * Everything that keeps a content from being published, the structure included.
 * @param previous the version published before, whose fields' ids keep their meaning; null for the first.
 * @returns every problem, loc into the content, beginning with `content`; [] if it can be published.
 */
export const publishProblems = (content: Content, previous: Content | null = null): Problem[] => [
  ...allProblems(content, previous),
];
