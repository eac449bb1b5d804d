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

/** Anything that can be answered: a field of a section, or one of the start. */
export type Question = Field | StartField;

export type RepeatSection = Section & { repeat: NonNullable<Section['repeat']> };

export interface SectionPlace {
  section: Section;
  /** 1 for a section of the content itself. */
  depth: number;
  /** The repeat sections one stands in, outermost first, the section itself included. */
  repeats: RepeatSection[];
  /** Whether it, or a section around it, lets its fields be marked not applicable. */
  allowsNa: boolean;
  /** The way to the section, beginning with `content`. */
  loc: string[];
}

export interface FieldPlace {
  field: Field;
  section: Section;
  depth: number;
  repeats: RepeatSection[];
  /** Whether the field, or a section around it, lets it be marked not applicable. */
  allowsNa: boolean;
}

/** A content made ready for look-ups. Its maps iterate in document order: a section's fields before its sections. */
export interface ContentIndex {
  content: Content;
  sections: Map<string, SectionPlace>;
  fields: Map<string, FieldPlace>;
  startFields: Map<string, StartField>;
  responseSets: Map<string, ResponseSet>;
}

const repeats = (section: Section): section is RepeatSection => section.repeat !== null;

function* below(sections: Section[], parent: Omit<SectionPlace, 'section'>): Generator<SectionPlace> {
  for (const [i, section] of sections.entries()) {
    const place = {
      section,
      depth: parent.depth + 1,
      repeats: repeats(section) ? [...parent.repeats, section] : parent.repeats,
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

/** Whether a question takes an answer from people: calculated ones are derived, instructions only shown. */
export const isAnswerable = ({ type }: Question) => type !== 'calculated' && type !== 'instruction';

/** Indexes a parsed content in one pass. Of several parts with one id, which only a draft can have, the first counts. */
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

/** Anything with texts of its own. */
export type Part = Section | Question | ResponseSet;

/** The part of an id, or a start field's key. */
export const partOf = (index: ContentIndex, id: string): Part | undefined =>
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

/** The types answered by choosing, and what they offer when the content gives no options. */
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

/** Whether a choice works without options of its own. */
export const hasDefaultOptions = ({ type }: Question) => (choices[type]?.().length ?? 0) > 0;

/** What a choice field offers: its own options, its response set's, or its type's; [] for every other field. */
export const optionsOf = (index: ContentIndex, field: Question): ResponseOption[] => {
  const choice = choices[field.type];
  if (!choice) return [];
  return field.options ?? index.responseSets.get(field.response_set_id ?? '')?.options ?? choice();
};

/** The bounds of a number; null is unbounded. Ratings and sliders have some of their own. */
export const limitsOf = ({ type, min, max, step }: Question) => {
  if (type === 'rating') return { min: min ?? 1, max: max ?? 5, step: step ?? 1 };
  if (type === 'slider') return { min: min ?? 0, max: max ?? 100, step: step ?? 1 };
  return { min, max, step };
};

/** Whether the answer itself is a list of media. */
export const isMedia = ({ type }: Question) => ['photo', 'video', 'audio', 'file', 'drawing'].includes(type);

/** Where an answer belongs within repeat sections: `section_id[i]` segments, outermost first, joined by `/`. */
export interface Instance {
  /** The innermost i; 0 outside repeats. */
  instance_index: number;
  /** `""` outside repeats. */
  instance_path: string;
}

/** One level deeper: the path of instance `i` of a repeat section within `path`. */
export const instanceWithin = (path: string, sectionId: string, i: number) =>
  `${path}${path && '/'}${sectionId}[${i}]`;

/**
 * The instance that an answer to a field is meant for, from what a body says of it; undefined is what it leaves
 * out, and an empty path within a repeat counts as left out. The index alone, 0 when that is absent too, names an
 * instance of a repeat that is not nested; in a nested one only the path does.
 * @returns the instance, its path in canonical spelling, or every problem, loc `["body", "instance_…"]`.
 * @throws RangeError for a field the content does not have.
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
    return [{ loc: ['body', 'instance_path'], msg: 'Field required within nested repeats', type: 'missing' }];

  const segments = instancePath
    ? instancePath.toLowerCase().split('/')
    : repeats.map(({ id }) => `${id}[${instanceIndex ?? 0}]`);
  const indexes = repeats.map(({ id }, level) => {
    const [, section, i] = /^(.+)\[(0|[1-9]\d*)\]$/.exec(segments[level] ?? '') ?? [];
    return section === id ? Number(i) : Number.NaN;
  });
  if (segments.length !== repeats.length || indexes.some(Number.isNaN)) {
    const expected = repeats.map(({ id }) => `${id}[i]`).join('/');
    return [{ ...given, msg: `Value error, the field is answered at "${expected}"`, type: 'value_error' }];
  }

  const problems: Problem[] = repeats.flatMap(({ repeat: { max }, title }, level) =>
    indexes[level]! < max
      ? []
      : [
          {
            ...given,
            msg: `Input should be less than or equal to ${max - 1}, ${JSON.stringify(title)} repeats ${max} times at most`,
            type: 'less_than_equal',
            ctx: { le: max - 1 },
          },
        ],
  );
  const innermost = indexes.at(-1) ?? 0;
  if (instanceIndex !== undefined && instanceIndex !== innermost)
    problems.push({
      loc: ['body', 'instance_index'],
      msg: `Value error, the innermost index of instance_path is ${innermost}`,
      type: 'value_error',
      input: instanceIndex,
    });
  if (problems.length > 0) return problems;
  return {
    instance_index: innermost,
    instance_path: repeats.reduce((path, { id }, level) => instanceWithin(path, id, indexes[level]!), ''),
  };
};
