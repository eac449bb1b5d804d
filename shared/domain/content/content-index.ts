import type { Problem } from '../../base/problem.ts';
import type {
  Content,
  Field,
  FieldType,
  ResponseOption,
  ResponseSet,
  Section,
  StartField,
} from '../../schemas/templates/content.ts';
import { MEDIA } from './field-types.ts';
import { instanceWithin, readSegment, segmentsOf } from './instance-paths.ts';

/** A field of a section, or a start field. */
export type Question = Field | StartField;

/** A section that is answered once per instance. */
export type RepeatSection = Section & { repeat: NonNullable<Section['repeat']> };

export const isRepeat = (section: Section): section is RepeatSection => section.repeat !== null;

/** A section with its place in the content. */
export interface SectionPlace {
  section: Section;
  /** 1 for an outermost section. */
  depth: number;
  /** The repeat sections around its fields, outermost first, the section itself included. */
  repeats: RepeatSection[];
  /** Whether its fields may be marked not applicable, because it or a section around it allows that. */
  allowsNa: boolean;
  /** The location of the section in a request's body, beginning with `content`. */
  loc: string[];
}

/** A field with its place in the content. */
export interface FieldPlace {
  field: Field;
  section: Section;
  /** The depth of its section. */
  depth: number;
  /** The repeat sections around it, outermost first. */
  repeats: RepeatSection[];
  /** Whether it may be marked not applicable, because it or a section around it allows that. */
  allowsNa: boolean;
}

/** A content with its parts by id or key. The maps are in document order: a section's fields before its sections. */
export interface ContentIndex {
  content: Content;
  sections: Map<string, SectionPlace>;
  fields: Map<string, FieldPlace>;
  startFields: Map<string, StartField>;
  responseSets: Map<string, ResponseSet>;
}

function* below(sections: Section[], parent: Omit<SectionPlace, 'section'>): Generator<SectionPlace> {
  for (const [i, section] of sections.entries()) {
    const place = {
      section,
      depth: parent.depth + 1,
      repeats: isRepeat(section) ? [...parent.repeats, section] : parent.repeats,
      allowsNa: parent.allowsNa || section.allow_na,
      loc: [...parent.loc, 'sections', String(i)],
    };
    yield place;
    yield* below(section.sections, place);
  }
}

/** Every section of a content, nested ones included, in document order. */
export const sectionsOf = (content: Pick<Content, 'sections'>) =>
  below(content.sections, { depth: 0, repeats: [], allowsNa: false, loc: ['content'] });

/** Whether people answer the question: calculated fields are worked out, and instructions are only shown. */
export const isAnswerable = ({ type }: Question) => type !== 'calculated' && type !== 'instruction';

/** Indexes a content in one pass. When parts have the same id, as only a draft can, the first one is used. */
export const indexContent = (content: Content): ContentIndex => {
  const index: ContentIndex = {
    content,
    sections: new Map(),
    fields: new Map(),
    startFields: new Map(),
    responseSets: new Map(),
  };
  for (const place of sectionsOf(content)) {
    const { section, depth, repeats } = place;
    if (!index.sections.has(section.id)) index.sections.set(section.id, place);
    for (const field of section.fields) {
      if (index.fields.has(field.id)) continue;
      const allowsNa = place.allowsNa || field.allow_na;
      index.fields.set(field.id, { field, section, depth, repeats, allowsNa });
    }
  }
  for (const field of content.start.fields)
    if (!index.startFields.has(field.key)) index.startFields.set(field.key, field);
  for (const set of content.response_sets)
    if (!index.responseSets.has(set.id)) index.responseSets.set(set.id, set);
  return index;
};

/** Any part of a content that can be translated. */
export type ContentPart = Section | Question | ResponseSet;

/** The part with an id, or the start field with a key. */
export const partOf = (index: ContentIndex, id: string): ContentPart | undefined =>
  index.fields.get(id)?.field ??
  index.sections.get(id)?.section ??
  index.responseSets.get(id) ??
  index.startFields.get(id);

const choice = (value: string, label: string, marks: Partial<ResponseOption> = {}): ResponseOption => ({
  value,
  label,
  color: null,
  score: null,
  is_failed: false,
  is_na: false,
  ...marks,
});

/** The choice types, with their default options. */
const choices: Partial<Record<FieldType, () => ResponseOption[]>> = {
  yes_no_na: () => [
    choice('yes', 'Yes'),
    choice('no', 'No', { is_failed: true }),
    choice('na', 'N/A', { is_na: true }),
  ],
  pass_fail_na: () => [
    choice('pass', 'Pass'),
    choice('fail', 'Fail', { is_failed: true }),
    choice('na', 'N/A', { is_na: true }),
  ],
  single_select: () => [],
  multi_select: () => [],
};

export const isChoice = ({ type }: Question) => type in choices;

/** Whether a choice field may leave out its options. */
export const hasDefaultOptions = ({ type }: Question) => (choices[type]?.().length ?? 0) > 0;

/** The options of a choice field: its own, or its response set's, or its type's; `[]` for every other field. */
export const optionsOf = (index: ContentIndex, field: Question): ResponseOption[] => {
  const choice = choices[field.type];
  if (!choice) return [];
  return field.options ?? index.responseSets.get(field.response_set_id ?? '')?.options ?? choice();
};

/**
 * Whether a field's options come from a source that has not delivered them yet, as in a draft. They are unknown then.
 */
export const awaitsOptions = (index: ContentIndex, { response_set_id }: Question): boolean => {
  const set = index.responseSets.get(response_set_id ?? '');
  return set?.source_id !== undefined && set.options.length === 0;
};

/** The limits of a number field; null means no limit. Ratings and sliders have default limits. */
export const limitsOf = ({ type, min, max, step }: Question) => {
  if (type === 'rating') return { min: min ?? 1, max: max ?? 5, step: step ?? 1 };
  if (type === 'slider') return { min: min ?? 0, max: max ?? 100, step: step ?? 1 };
  return { min, max, step };
};

/** Whether the field's value is a list of media. */
export const isMedia = ({ type }: Question) => MEDIA.includes(type);

/** Where an answer belongs within repeat sections. */
export interface Instance {
  /** The index in the innermost repeat section; 0 outside repeat sections. */
  instance_index: number;
  /** As in `instance-paths.ts`; `""` outside repeat sections. */
  instance_path: string;
}

/** The index in each of the nested repeat sections, NaN where a segment does not name an instance of it. */
export const indexesIn = (repeats: readonly RepeatSection[], segments: readonly string[]): number[] =>
  repeats.map(({ id }, level) => {
    const segment = readSegment(segments[level] ?? '');
    return segment?.sectionId === id ? segment.index : Number.NaN;
  });

/** One problem for each index that is beyond the maximum of its section. */
export const beyondMax = (
  repeats: readonly RepeatSection[],
  indexes: readonly number[],
  given: Pick<Problem, 'loc' | 'input'>,
): Problem[] =>
  repeats.flatMap(({ repeat: { max }, title }, level) =>
    indexes[level]! < max
      ? []
      : [
          {
            ...given,
            msg: `Input should be less than or equal to ${max - 1}: ${JSON.stringify(title)} has at most ${max} instances`,
            type: 'less_than_equal',
            ctx: { le: max - 1 },
          },
        ],
  );

/** What is wrong with a path that does not lead to the field or, without a path, with the index. */
const formFault = (repeats: readonly RepeatSection[], path: string | undefined): string => {
  if (!path) return 'should be a whole number from 0';
  if (repeats.length === 0) return 'should be left out: the field is in no repeat section';
  return `the path of this field has the form "${repeats.map(({ id }) => `${id}[i]`).join('/')}"`;
};

/**
 * Finds the instance that a request means for an answer. Both members may be left out, and an empty path within a
 * repeat section counts as left out. `instanceIndex` alone, 0 by default, is enough in a repeat section that is not
 * nested. In a nested one the path is needed.
 * @returns the instance with its path in canonical spelling; or every problem, loc `["body", "instance_…"]`
 * @throws RangeError when the content has no such field
 */
export const resolveInstance = (
  index: ContentIndex,
  fieldId: string,
  instanceIndex?: number,
  instancePath?: string,
): Instance | Problem[] => {
  const repeats = index.fields.get(fieldId)?.repeats;
  if (!repeats) throw new RangeError(`No field ${fieldId} in this content`);

  const given = instancePath
    ? { loc: ['body', 'instance_path'], input: instancePath }
    : { loc: ['body', 'instance_index'], input: instanceIndex };
  if (!instancePath && repeats.length > 1)
    return [
      {
        loc: ['body', 'instance_path'],
        msg: 'Field required within nested repeat sections',
        type: 'missing',
      },
    ];

  const segments = instancePath
    ? segmentsOf(instancePath.toLowerCase())
    : repeats.map(({ id }) => `${id}[${instanceIndex ?? 0}]`);
  const indexes = indexesIn(repeats, segments);
  if (segments.length !== repeats.length || indexes.some(Number.isNaN))
    return [{ ...given, msg: `Value error, ${formFault(repeats, instancePath)}`, type: 'value_error' }];

  const problems = beyondMax(repeats, indexes, given);
  const innermost = indexes.at(-1) ?? 0;
  if (instanceIndex !== undefined && instanceIndex !== innermost)
    problems.push({
      loc: ['body', 'instance_index'],
      msg:
        repeats.length === 0
          ? 'Value error, should be 0: the field is in no repeat section'
          : `Value error, should be ${innermost}, the last index of instance_path`,
      type: 'value_error',
      input: instanceIndex,
    });
  if (problems.length > 0) return problems;
  return {
    instance_index: innermost,
    instance_path: repeats.reduce((path, { id }, level) => instanceWithin(path, id, indexes[level]!), ''),
  };
};
