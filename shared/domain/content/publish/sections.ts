import type { Problem } from '../../../base/problem.ts';
import type { Field } from '../../../schemas/templates/content.ts';
import { IN_CHOICE_FILTERS, IN_CONSTRAINTS } from '../conditions/dependencies.ts';
import {
  awaitsOptions,
  type ContentIndex,
  isAnswerable,
  isChoice,
  optionsOf,
  type SectionPlace,
  sectionsOf,
} from '../content-index.ts';
import { type Formula, FormulaError, givenIn } from '../formula/parse.ts';
import { comparisonProblems } from './comparisons.ts';
import { dueProblems, placeholderProblems, repeatFieldProblems } from './findings.ts';
import { formulaProblems, type Formulas, parsedOrFault } from './formulas.ts';
import { problemAt } from './problems.ts';
import { questionProblems } from './questions.ts';

/** The names of the answers for which a note or media can be required: `failed`, and the field's options. */
const triggersOf = (index: ContentIndex, field: Field): ReadonlySet<string> => {
  const isBoolean = field.type === 'yes_no' || field.type === 'checkbox';
  const options = isBoolean ? ['true', 'false'] : optionsOf(index, field).map(({ value }) => value);
  return new Set(['failed', ...options]);
};

function* triggerProblems(index: ContentIndex, field: Field, loc: string[]): Generator<Problem> {
  if (awaitsOptions(index, field)) return;
  const known = triggersOf(index, field);
  const lists = [
    { at: [...loc, 'note_required_on'], given: field.note_required_on },
    { at: [...loc, 'media', 'required_on'], given: field.media?.required_on ?? [] },
  ];
  for (const { at, given } of lists)
    for (const [i, name] of given.entries())
      if (!known.has(name))
        yield problemAt([...at, String(i)], `${JSON.stringify(name)} is not an option of the field`);
}

function* constraintProblems(index: ContentIndex, field: Field, loc: string[]): Generator<Problem> {
  if (!isAnswerable(field)) {
    yield problemAt(loc, `a ${field.type} field has no constraint`, 'extra_forbidden');
    return;
  }
  const constraint = parsedOrFault(field.constraint!, IN_CONSTRAINTS);
  yield* formulaProblems(index, index.fields.get(field.id)!, constraint, loc);
}

function* holdProblems({ section, repeats }: SectionPlace, loc: string[]): Generator<Problem> {
  if (!section.hold) return;
  if (!section.fields.some(({ type }) => type === 'signature'))
    yield problemAt(loc, 'a section that holds needs a signature field of its own');
  if (repeats.length > 0) yield problemAt(loc, 'a section in a repeat section cannot hold');
}

/** The attributes of options that a filter refers to, and that no option has. */
function* attributeProblems(
  index: ContentIndex,
  field: Field,
  filter: Formula,
  loc: string[],
): Generator<Problem> {
  const known = new Set(optionsOf(index, field).flatMap(({ attributes = {} }) => Object.keys(attributes)));
  for (const name of new Set(givenIn(filter).map((given) => given.slice('option.'.length))))
    if (name !== 'value' && !known.has(name))
      yield problemAt(loc, `no option of the field has the attribute ${name}`);
}

function* filterProblems(index: ContentIndex, field: Field, loc: string[]): Generator<Problem> {
  if (!isChoice(field)) {
    yield problemAt(loc, `a ${field.type} field has no choice_filter`, 'extra_forbidden');
    return;
  }
  const filter = parsedOrFault(field.choice_filter!, IN_CHOICE_FILTERS);
  yield* formulaProblems(index, index.fields.get(field.id)!, filter, loc);
  if (!(filter instanceof FormulaError)) yield* attributeProblems(index, field, filter, loc);
}

function* fieldProblems(
  index: ContentIndex,
  formulas: Formulas,
  field: Field,
  loc: string[],
): Generator<Problem> {
  yield* questionProblems(index, field, loc);
  if (field.type === 'calculated' && !field.formula?.trim())
    yield problemAt([...loc, 'formula'], 'A calculated field needs a formula', 'missing');
  const formula = formulas.get(field.id);
  if (formula) yield* formulaProblems(index, index.fields.get(field.id)!, formula, [...loc, 'formula']);
  if (field.constraint !== undefined) yield* constraintProblems(index, field, [...loc, 'constraint']);
  if (field.choice_filter !== undefined) yield* filterProblems(index, field, [...loc, 'choice_filter']);
  if (field.fail_if) yield* comparisonProblems(index, field, field.fail_if, [...loc, 'fail_if']);
  if (field.type === 'reference' && !field.reference)
    yield problemAt([...loc, 'reference'], 'A reference field needs a target', 'missing');
  if (field.media && field.media.min > field.media.max)
    yield problemAt([...loc, 'media', 'min'], 'min is greater than max');
  yield* triggerProblems(index, field, loc);
}

/** What is wrong with the sections and their fields, conditions aside. */
export function* sectionProblems(index: ContentIndex, formulas: Formulas): Generator<Problem> {
  for (const place of sectionsOf(index.content)) {
    const { section, repeats, loc } = place;
    const { repeat } = section;
    if (repeat && repeat.min > repeat.max)
      yield problemAt([...loc, 'repeat', 'min'], 'min is greater than max');
    yield* holdProblems(place, [...loc, 'hold']);
    yield* repeatFieldProblems(index, place);
    for (const [i, field] of section.fields.entries()) {
      const at = [...loc, 'fields', String(i)];
      yield* fieldProblems(index, formulas, field, at);
      yield* placeholderProblems(index, { field, repeats }, at);
      yield* dueProblems(field, at);
    }
  }
}
