import { indexContent, type Question } from '../../../../shared/domain/content/content-index.ts';
import type { Content, ResponseOption, Section } from '../../../../shared/schemas/templates/content.ts';

/** An attribute that differs, by its name in the API. Lists of options have only those that differ. */
export interface Change {
  attribute: string;
  from: unknown;
  to: unknown;
}

/** A part of a content as a list of differences names it. */
export interface Part {
  kind: 'section' | 'question' | 'start' | 'options' | 'content';
  id: string;
  title: string;
  /** The title of the section that it is in. */
  within: string | null;
}

export interface Differences {
  added: Part[];
  removed: Part[];
  changed: (Part & { changes: Change[] })[];
  /** Whether parts that both have are in another order. */
  isReordered: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** What is left out of a content counts as null. */
export const isEqual = (one: unknown = null, other: unknown = null): boolean => {
  if (!isObject(one) || !isObject(other)) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) =>
    isEqual(one[name], other[name]),
  );
};

const optionChange = (from: ResponseOption[] | null, to: ResponseOption[] | null): Change => {
  const otherThan = (options: ResponseOption[] | null, others: ResponseOption[] | null) =>
    (options ?? []).filter(
      (option) => !others?.some((each) => each.value === option.value && isEqual(each, option)),
    );
  const [before, after] = [otherThan(from, to), otherThan(to, from)];
  // Where every option is the same, their order is not.
  const isOrder = before.length === 0 && after.length === 0;
  return { attribute: 'options', from: isOrder ? from : before, to: isOrder ? to : after };
};

/** The attributes that differ, those in objects by their path. @param apart what is compared elsewhere */
const changesOf = (was: object, is: object, apart: readonly string[], path = ''): Change[] => {
  const [before, after] = [was, is] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name): Change[] => {
    const [from, to] = [before![name], after![name]];
    if (apart.includes(name) || isEqual(from, to)) return [];
    if (name === 'options') return [optionChange(from as ResponseOption[], to as ResponseOption[])];
    const isGroup = name === 'scoring' && isObject(from) && isObject(to);
    return isGroup
      ? changesOf(from, to, [], `${name}.`)
      : [{ attribute: path + name, from: from ?? null, to: to ?? null }];
  });
};

/** A part with the attributes by which it is compared. */
interface Compared {
  part: Part;
  value: object;
}

const comparedQuestion = (kind: 'question' | 'start', question: Question, section?: Section): Compared => ({
  part: {
    kind,
    id: 'id' in question ? question.id : question.key,
    title: question.label,
    within: section?.title ?? null,
  },
  value: { ...question, section_id: section?.id },
});

const comparedSection = (section: Section, parents: ReadonlyMap<string, Section>): Compared => {
  const { fields: _fields, sections: _sections, ...value } = section;
  const parent = parents.get(section.id);
  const part: Part = {
    kind: 'section',
    id: section.id,
    title: section.title,
    within: parent?.title ?? null,
  };
  return { part, value: { ...value, parent_id: parent?.id } };
};

/** The languages of a content's translations whose texts the other one does not have as they are. */
const ownLanguages = ({ translations }: Content, other: Content): string[] =>
  translations
    .filter((each) => !other.translations.some((translation) => isEqual(translation, each)))
    .map(({ language }) => language);

/** The parts of a content in their order, each by its kind and id. */
const partsOf = (content: Content): Map<string, Compared> => {
  const { sections, fields, startFields, responseSets } = indexContent(content);
  const parents = new Map(
    [...sections.values()].flatMap(({ section }) =>
      section.sections.map((inner) => [inner.id, section] as const),
    ),
  );
  const parts: Compared[] = [
    ...[...startFields.values()].map((field) => comparedQuestion('start', field)),
    ...[...sections.values()].flatMap(({ section }) => [
      comparedSection(section, parents),
      ...section.fields
        .filter((field) => fields.get(field.id)?.field === field)
        .map((field) => comparedQuestion('question', field, section)),
    ]),
    ...[...responseSets.values()].map((set): Compared => ({
      part: { kind: 'options', id: set.id, title: set.name, within: null },
      value: set,
    })),
  ];
  return new Map(parts.map((each) => [`${each.part.kind} ${each.part.id}`, each]));
};

const APART = ['id', 'key'];

/** Changes of the content as a whole. */
const wholeChanges = (was: Content, is: Content): Change[] => {
  const [from, to] = [ownLanguages(was, is), ownLanguages(is, was)];
  const isTranslated = from.length > 0 || to.length > 0;
  return [
    ...changesOf(was, is, ['start', 'sections', 'response_sets', 'translations']),
    ...(isTranslated ? [{ attribute: 'translations', from, to }] : []),
  ];
};

/**
 * What is different in a content from an earlier one. Parts are the same when their ids or keys are, wherever they are;
 * of response sets, the sets differ and not each question that uses them.
 */
export const differencesOf = (was: Content, is: Content): Differences => {
  const [before, after] = [partsOf(was), partsOf(is)];
  const only = (parts: typeof before, others: typeof before) =>
    [...parts].flatMap(([name, { part }]) => (others.has(name) ? [] : [part]));
  const whole = wholeChanges(was, is);
  const common = [...before.keys()].filter((name) => after.has(name));
  const now = [...after.keys()].filter((name) => before.has(name));
  return {
    added: only(after, before),
    removed: only(before, after),
    changed: [
      ...(whole.length > 0
        ? [{ kind: 'content' as const, id: '', title: '', within: null, changes: whole }]
        : []),
      ...now.flatMap((name) => {
        const { part, value } = after.get(name)!;
        const changes = changesOf(before.get(name)!.value, value, APART);
        return changes.length > 0 ? [{ ...part, changes }] : [];
      }),
    ],
    isReordered: common.some((name, position) => name !== now[position]),
  };
};
