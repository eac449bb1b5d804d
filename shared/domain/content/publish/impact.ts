import { canonicalJson } from '../../../base/encoding.ts';
import type { Content, ResponseOption } from '../../../schemas/templates/content.ts';
import type { Incompatibility, PublishImpact } from '../../../schemas/templates/publish-impact.ts';
import {
  type ContentIndex,
  type FieldPlace,
  indexContent,
  limitsOf,
  optionsOf,
  type Question,
  type SectionPlace,
} from '../content-index.ts';
import { isCompatible } from '../field-types.ts';
import { isOnStep } from '../values/numbers.ts';

/** How a part of a content differs from the published part with the same id or key. */
interface Difference {
  changes: string[];
  incompatible: Incompatibility[];
}

/** Removed options that an impact names. */
const MAX_NAMED = 10;

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || canonicalJson(one ?? null) === canonicalJson(other ?? null);

/** The names of the attributes that differ. @param apart attributes that are compared in another way */
const differing = (was: object, is: object, apart: readonly string[]): string[] => {
  const [before, after] = [was, is] as Record<string, unknown>[];
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].filter((name) => !apart.includes(name) && !isEqual(before![name], after![name]));
};

interface OptionComparison {
  isSame: boolean;
  /** Values of options that were removed. */
  removed: string[];
}

/** Compares lists of options. Many fields may share a response set, so each pair of lists is compared once. */
const optionComparison = () => {
  const known = new WeakMap<ResponseOption[], WeakMap<ResponseOption[], OptionComparison>>();
  return (was: ResponseOption[], is: ResponseOption[]) => {
    const others = known.get(was) ?? new WeakMap();
    known.set(was, others);
    const found = others.get(is);
    if (found) return found;
    const left = new Set(is.map(({ value }) => value));
    const removed = was.flatMap(({ value }) => (left.has(value) ? [] : [value]));
    const comparison = { isSame: isEqual(was, is), removed };
    others.set(is, comparison);
    return comparison;
  };
};

type Narrowing = readonly [
  attribute: string,
  from: number | string | null,
  to: number | string | null,
  isNarrower: boolean,
  reason: string,
];

/** A new expression may hold for fewer answers than the one before. */
const newExpression = (
  name: 'constraint' | 'choice_filter',
  was: Question,
  is: Question,
  reason: string,
): Narrowing => {
  const [from, to] = [was, is].map((question) => ('id' in question && question[name]) || null);
  return [name, from!, to!, to !== null && to !== from, reason];
};

/** Each limit, and whether it allows less than before. */
const narrowings = (was: Question, is: Question): Narrowing[] => {
  const [before, after] = [limitsOf(was), limitsOf(is)];
  const isTighter = (from: number | null, to: number | null, sign: 1 | -1) =>
    to !== null && (from === null || sign * to > sign * from);
  return [
    [
      'min',
      before.min,
      after.min,
      isTighter(before.min, after.min, 1),
      'smaller numbers are no longer valid answers',
    ],
    [
      'max',
      before.max,
      after.max,
      isTighter(before.max, after.max, -1),
      'greater numbers are no longer valid answers',
    ],
    [
      'step',
      before.step,
      after.step,
      after.step !== null &&
        after.step > 0 &&
        (before.step === null || !isOnStep(before.step, 0, after.step)),
      'numbers between the steps are no longer valid answers',
    ],
    [
      'max_length',
      was.max_length,
      is.max_length,
      isTighter(was.max_length, is.max_length, -1),
      'longer texts are no longer valid answers',
    ],
    [
      'pattern',
      was.pattern,
      is.pattern,
      is.pattern !== null && is.pattern !== was.pattern,
      'texts that do not match are no longer valid answers',
    ],
    newExpression('constraint', was, is, 'values that do not meet it are no longer valid answers'),
    newExpression('choice_filter', was, is, 'options that it does not offer are no longer valid answers'),
  ];
};

const questionDifference = (
  was: Question,
  is: Question,
  { isSame, removed }: OptionComparison,
): Difference => {
  const changes = differing(was, is, ['id', 'key', 'options']);
  if (!isSame) changes.push('options');
  if (!isCompatible(was.type, is.type)) {
    const reason = `answers to a ${was.type} field are not valid for a ${is.type} field`;
    return { changes, incompatible: [{ attribute: 'type', from: was.type, to: is.type, reason }] };
  }
  return {
    changes,
    incompatible: [
      ...(removed.length > 0
        ? [
            {
              attribute: 'options',
              from: removed.slice(0, MAX_NAMED),
              to: null,
              reason: `${removed.length} ${removed.length === 1 ? 'option was' : 'options were'} removed`,
            },
          ]
        : []),
      ...narrowings(was, is).flatMap(([attribute, from, to, isNarrower, reason]) =>
        isNarrower ? [{ attribute, from, to, reason }] : [],
      ),
    ],
  };
};

const repeatsAround = ({ repeats }: FieldPlace): string[] => repeats.map(({ id }) => id);

const fieldDifference = (was: FieldPlace, is: FieldPlace, inside: Difference): Difference => {
  const [from, to] = [repeatsAround(was), repeatsAround(is)];
  const isElsewhere = !isEqual(from, to);
  return {
    changes: [
      ...inside.changes,
      ...(was.section.id === is.section.id ? [] : ['section_id']),
      ...(isElsewhere ? ['repeats'] : []),
    ],
    incompatible: [
      ...inside.incompatible,
      ...(isElsewhere
        ? [
            {
              attribute: 'repeats',
              from,
              to,
              reason: 'its answers belong to other instances of repeat sections',
            },
          ]
        : []),
    ],
  };
};

const parentIds = ({ sections }: ContentIndex): Map<string, string> =>
  new Map(
    sections
      .values()
      .flatMap(({ section }) => section.sections.map((inner): [string, string] => [inner.id, section.id])),
  );

const sectionDifference = ({ section: was }: SectionPlace, { section: is }: SectionPlace): Difference => {
  const [from, to] = [was.repeat, is.repeat];
  const given = { attribute: 'repeat', from, to };
  return {
    changes: differing(was, is, ['id', 'fields', 'sections']),
    incompatible: [
      ...((from === null) === (to === null)
        ? []
        : [{ ...given, reason: 'its answers belong to other instances of repeat sections' }]),
      ...(from && to && to.max < from.max
        ? [
            {
              ...given,
              reason: `a section has at most ${to.max} instances now, and further ones are no longer valid`,
            },
          ]
        : []),
    ],
  };
};

/** Compares parts by their ids or keys. @param show what the impact says about a part */
const compared = <Part, Shown extends object>(
  before: ReadonlyMap<string, Part>,
  after: ReadonlyMap<string, Part>,
  show: (part: Part) => Shown,
  differenceOf: (was: Part, is: Part) => Difference,
) => ({
  added: [...after].flatMap(([id, part]) => (before.has(id) ? [] : [show(part)])),
  removed: [...before].flatMap(([id, part]) => (after.has(id) ? [] : [show(part)])),
  changed: [...after].flatMap(([id, part]) => {
    const was = before.get(id);
    const difference = was && differenceOf(was, part);
    return difference && difference.changes.length > 0 ? [{ ...show(part), ...difference }] : [];
  }),
});

/** The parts of an empty content. */
const NOTHING: Pick<Content, 'start' | 'sections' | 'response_sets'> = {
  start: { fields: [] },
  sections: [],
  response_sets: [],
};

/**
 * How a content differs from the published one that it would replace. Parts are matched by their id or key; their
 * order makes no difference.
 * @param previous null when nothing is published yet: then all parts are new
 */
export const publishImpact = (
  content: Content,
  previous: Content | null,
): Pick<PublishImpact, 'fields' | 'sections' | 'start_fields'> => {
  const after = indexContent(content);
  const before = indexContent(previous ?? { ...content, ...NOTHING });
  const [parentsBefore, parentsAfter] = [parentIds(before), parentIds(after)];
  const compareOptions = optionComparison();
  const insideOf = (was: Question, is: Question) =>
    questionDifference(was, is, compareOptions(optionsOf(before, was), optionsOf(after, is)));
  return {
    fields: compared(
      before.fields,
      after.fields,
      ({ field: { id, label, type }, section }) => ({ field_id: id, section_id: section.id, label, type }),
      (was, is) => fieldDifference(was, is, insideOf(was.field, is.field)),
    ),
    sections: compared(
      before.sections,
      after.sections,
      ({ section: { id, title } }) => ({ section_id: id, title }),
      (was, is) => {
        const { changes, incompatible } = sectionDifference(was, is);
        const isMoved = parentsBefore.get(is.section.id) !== parentsAfter.get(is.section.id);
        return { changes: [...changes, ...(isMoved ? ['parent_id'] : [])], incompatible };
      },
    ),
    start_fields: compared(
      before.startFields,
      after.startFields,
      ({ key, label, type }) => ({ key, label, type }),
      insideOf,
    ),
  };
};
