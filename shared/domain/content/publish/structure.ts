import type { Problem } from '../../../base/problem.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import { type SectionPlace, sectionsOf } from '../content-index.ts';
import {
  MAX_ALL_PATTERN_STEPS,
  MAX_CONDITION_DEPTH,
  MAX_INITIAL_ANSWERS,
  MAX_SECTION_DEPTH,
} from '../limits.ts';
import { patternSize } from '../pattern/compile.ts';
import { conditionalsOf, conditionsOf } from './conditionals.ts';
import { atMost, duplicates, problemAt } from './problems.ts';

const SECTIONS = ['content', 'sections'];

/** The fields of an inspection in which every repeat section has its minimum of instances, and at least one. */
const initialAnswers = (sections: readonly SectionPlace[]): number =>
  sections.reduce(
    (sum, { section, repeats }) =>
      sum +
      section.fields.length * repeats.reduce((product, { repeat }) => product * Math.max(repeat.min, 1), 1),
    0,
  );

/** The steps of the patterns of all fields and start fields. */
const patternSteps = ({ start }: Content, sections: readonly SectionPlace[]): number =>
  [...start.fields, ...sections.flatMap(({ section }) => section.fields)].reduce(
    (sum, { pattern }) => sum + (pattern === null ? 0 : patternSize(pattern)),
    0,
  );

const sizeProblems = (content: Content, sections: readonly SectionPlace[]): Problem[] => {
  const initial = initialAnswers(sections);
  const repeated = 'fields to answer when every repeat section has its min of instances';
  return [
    ...atMost(SECTIONS, repeated, MAX_INITIAL_ANSWERS, initial),
    ...atMost(
      SECTIONS,
      'characters and groups in all patterns',
      MAX_ALL_PATTERN_STEPS,
      patternSteps(content, sections),
    ),
  ];
};

/** One problem for each section on the first level beyond the limit. */
const sectionDepthProblems = (sections: readonly SectionPlace[]): Problem[] =>
  sections
    .filter(({ depth }) => depth === MAX_SECTION_DEPTH + 1)
    .map(({ loc }) => problemAt(loc, `sections can be nested at most ${MAX_SECTION_DEPTH} levels deep`));

/** One problem for each condition on the first level beyond the limit. */
const conditionDepthProblems = (content: Content): Problem[] =>
  [...conditionalsOf(content)].flatMap((conditional) =>
    [...conditionsOf(conditional)]
      .filter(({ depth }) => depth === MAX_CONDITION_DEPTH + 1)
      .map(({ loc }) =>
        problemAt(loc, `conditions can be nested at most ${MAX_CONDITION_DEPTH} levels deep`),
      ),
  );

/** The ids of sections, fields and response sets, which must be unique together. */
function* idsOf(content: Content): Generator<[string, string[]]> {
  for (const { section, loc } of sectionsOf(content)) {
    yield [section.id, [...loc, 'id']];
    for (const [i, { id }] of section.fields.entries()) yield [id, [...loc, 'fields', String(i), 'id']];
  }
  for (const [i, { id }] of content.response_sets.entries())
    yield [id, ['content', 'response_sets', String(i), 'id']];
}

const keysOf = ({ start }: Content): [string, string[]][] =>
  start.fields.map(({ key }, i) => [key, ['content', 'start', 'fields', String(i), 'key']]);

/** The languages of a content, in lower case, because requests for a form in a language ignore case. */
const languagesOf = ({ language, translations }: Content): [string, string[]][] => [
  ...(language === null ? [] : [[language.toLowerCase(), ['content', 'language']] as [string, string[]]]),
  ...translations.map(({ language }, i): [string, string[]] => [
    language.toLowerCase(),
    ['content', 'translations', String(i), 'language'],
  ]),
];

const translationDuplicates = (content: Content): Problem[] => [
  ...duplicates(languagesOf(content)),
  ...content.translations.flatMap(({ texts }, i) => {
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
 * Finds what is wrong with a content by the rules for every saved content, drafts included. Sizes and depths are
 * limited, ids are unique across sections, fields and response sets, start keys are unique, and nothing is translated
 * twice. All other code relies on these rules.
 * @returns every problem, loc beginning with `content`
 */
export const structureProblems = (content: Content): Problem[] => {
  const sections = [...sectionsOf(content)];
  return [
    ...sizeProblems(content, sections),
    ...sectionDepthProblems(sections),
    ...duplicates(idsOf(content)),
    ...duplicates(keysOf(content)),
    ...translationDuplicates(content),
    ...conditionDepthProblems(content),
  ];
};
