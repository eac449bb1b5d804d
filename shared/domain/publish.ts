import type { Condition, Content, Field, FieldType } from '../schemas/content.ts';
import { PATTERN_LENGTH, checkAnswer } from './answers.ts';
import type { ContentIndex, Question } from './content.ts';
import { hasDefaultOptions, indexContent, isChoice, limitsOf, optionsOf, sectionsOf } from './content.ts';
import type { Problem, ProblemType } from './problem.ts';

const DEEPEST_SECTION = 5;
const DEEPEST_CONDITION = 10;
const MOST_FIELDS = 5_000;
const MOST_SECTIONS = 300;

/** Answers that the least instances of all repeats ask for: every one of them is a row of an empty inspection. */
const MOST_LEAST_ANSWERS = 20_000;

/** Ways in which a pattern may be tried on one text; each takes some nanoseconds. */
const MOST_WAYS = 8e6;

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

/**
 * What must hold for every saved content, a draft's too: ids unique across sections, fields and response sets,
 * start keys unique, and sizes and depths bounded, so that all else can be walked without a second thought.
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

function* conditionProblems(index: ContentIndex, conditional: Conditional): Generator<Problem> {
  for (const { condition, loc } of conditionsOf(conditional)) {
    if (!('op' in condition)) continue;
    const [member, target] =
      'field_id' in condition
        ? (['field_id', index.fields.get(condition.field_id)?.field] as const)
        : (['start_key', index.startFields.get(condition.start_key)] as const);
    if (!target) {
      yield report(
        [...loc, member],
        `the content has no such ${member === 'field_id' ? 'field' : 'start field'}`,
      );
      continue;
    }
    if (target.type === 'instruction') yield report([...loc, member], 'an instruction has no answer');
    if (!isChoice(target) || !['eq', 'ne', 'in', 'not_in'].includes(condition.op)) continue;
    const names = new Set<unknown>(optionsOf(index, target).map(({ value }) => value));
    for (const value of [condition.value].flat())
      if (!names.has(value))
        yield report([...loc, 'value'], `${JSON.stringify(value)} is none of the field's options`);
  }
}

/**
 * The conditions whose visibility depends on itself, through other fields and the sections around them. Only
 * visibility counts: nothing asks whether a field is required, so "either phone or e-mail" is no cycle.
 */
const cycleProblems = (content: Content): Problem[] => {
  const conditionals = [...conditionalsOf(content)];
  const needs = new Map<string, Set<string>>();
  for (const { node, parent, visible_if } of conditionals) {
    const targets = needs.get(node) ?? new Set();
    needs.set(node, targets);
    if (parent) targets.add(parent);
    for (const { condition } of visible_if ? within(visible_if, []) : []) {
      if ('field_id' in condition) targets.add(condition.field_id);
      if ('start_key' in condition) targets.add(condition.start_key);
    }
  }
  // What is left when everything without a dependency, and everything that nothing depends on, is taken away
  // again and again, lies on a cycle or between two.
  const peel = (edges: Map<string, Set<string>>) => {
    const waiting = new Map(
      [...edges].map(([node, targets]) => [node, [...targets].filter((t) => edges.has(t)).length]),
    );
    const dependents = Map.groupBy(
      [...edges].flatMap(([node, targets]) => [...targets].map((target) => [target, node] as const)),
      ([target]) => target,
    );
    const free = [...waiting].filter(([, count]) => count === 0).map(([node]) => node);
    for (const node of free) {
      waiting.delete(node);
      for (const [, dependent] of dependents.get(node) ?? []) {
        const left = waiting.get(dependent)! - 1;
        waiting.set(dependent, left);
        if (left === 0) free.push(dependent);
      }
    }
    return new Set(waiting.keys());
  };
  const downstream = peel(needs);
  const reversed = new Map<string, Set<string>>([...downstream].map((node) => [node, new Set()]));
  for (const node of downstream) for (const target of needs.get(node)!) reversed.get(target)?.add(node);
  const cyclic = peel(reversed);
  return conditionals
    .filter(({ node, visible_if }) => visible_if && cyclic.has(node))
    .map(({ loc }) => report([...loc, 'visible_if'], 'the condition depends on itself'));
};

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

const patternFault = (pattern: string): string | undefined => {
  try {
    RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message;
  }
  return waysToMatch(pattern, PATTERN_LENGTH) > MOST_WAYS
    ? 'the pattern could take too long: use at most three unbounded quantifiers, and none on a group that varies'
    : undefined;
};

const numeric: FieldType[] = ['number', 'slider', 'rating', 'temperature'];
const textual: FieldType[] = ['text', 'long_text', 'barcode'];

/** Types whose answers have one form, so that a field may change between them and keep its id. */
const compatible: FieldType[][] = [
  textual,
  numeric,
  ['yes_no', 'checkbox'],
  ['yes_no_na', 'pass_fail_na', 'single_select'],
  ['photo', 'video', 'audio', 'file', 'drawing'],
];

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

function* fieldProblems(index: ContentIndex, field: Field, loc: string[]): Generator<Problem> {
  yield* questionProblems(index, field, loc);
  if (field.type === 'calculated' && !field.formula?.trim())
    yield report([...loc, 'formula'], 'A calculated field needs a formula', 'missing');
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

function* typeProblems(content: Content, previous: Content): Generator<Problem> {
  const before = indexContent(previous);
  const change = (was: FieldType | undefined, is: FieldType) =>
    was === undefined || was === is || compatible.some((group) => group.includes(was) && group.includes(is))
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

/** Whether a field can contribute to the score by a method: by points, or by being able to fail. */
const isScorable = (index: ContentIndex, field: Field, method: Content['scoring']['method']) => {
  const options = optionsOf(index, field);
  const canFail = field.fail_if !== null || options.some(({ is_failed }) => is_failed);
  if (method === 'count') return canFail;
  const hasPoints = (field.max_score ?? 0) > 0 || options.some(({ score }) => (score ?? 0) > 0);
  return field.weight > 0 && (hasPoints || canFail);
};

function* sectionProblems(index: ContentIndex): Generator<Problem> {
  for (const { section, loc } of sectionsOf(index.content)) {
    const { repeat } = section;
    if (repeat && repeat.min > repeat.max) yield report([...loc, 'repeat', 'min'], 'min is greater than max');
    if (repeat?.label_field_id && index.fields.get(repeat.label_field_id)?.repeats.at(-1) !== section)
      yield report([...loc, 'repeat', 'label_field_id'], 'the section has no such field');
    for (const [i, field] of section.fields.entries())
      yield* fieldProblems(index, field, [...loc, 'fields', String(i)]);
  }
}

function* allProblems(content: Content, previous: Content | null): Generator<Problem> {
  yield* structureProblems(content);
  const index = indexContent(content);
  if (index.counts.total === 0)
    yield report(['content', 'sections'], 'There should be at least 1 field to answer', 'too_short', {
      min_length: 1,
    });
  for (const [i, field] of content.start.fields.entries())
    yield* questionProblems(index, field, ['content', 'start', 'fields', String(i)]);
  yield* sectionProblems(index);
  for (const [i, { options }] of content.response_sets.entries())
    yield* optionProblems(options, ['content', 'response_sets', String(i), 'options']);
  for (const conditional of conditionalsOf(content)) yield* conditionProblems(index, conditional);
  yield* cycleProblems(content);
  const { enabled, method } = content.scoring;
  if (enabled && !index.fields.values().some(({ field }) => isScorable(index, field, method)))
    yield report(['content', 'scoring', 'enabled'], 'no field has anything to score');
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
