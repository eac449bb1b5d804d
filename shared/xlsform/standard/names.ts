import { sectionsOf } from '../../domain/content/content-index.ts';
import type { Content } from '../../schemas/templates/content.ts';

/** The names that a form has already. */
export interface GivenNames {
  /** The name of a section or field by its id, or of a start field by its key. */
  part: (id: string) => string | undefined;
  /** The name of a list by the id of its response set, or by the id or key of its only question. */
  list: (id: string) => string | undefined;
}

/** The longest name that is made of a text, in characters; a number may follow it. */
const MAX_NAME_LENGTH = 40;

/** Makes a name different from all in `taken`, ignoring case, and adds it to these. */
export const unique = (name: string, taken: Set<string>): string => {
  let found = name;
  for (let i = 2; taken.has(found.toLowerCase()); i += 1) found = `${name}_${i}`;
  taken.add(found.toLowerCase());
  return found;
};

/** A text as a name of XForms: ASCII letters, digits and underscores. */
export const slug = (text: string, fallback: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/_+$/, '') || fallback;

/**
 * The names of all parts of a content, by id or key.
 * @param taken gets all names that were made
 */
export const namesOf = (content: Content, given: GivenNames, taken: Set<string>): Map<string, string> => {
  const names = new Map<string, string>();
  const add = (id: string, text: string, fallback: string) =>
    names.set(id, given.part(id) ?? unique(slug(text, fallback), taken));
  for (const { key } of content.start.fields) {
    taken.add(key);
    names.set(key, given.part(key) ?? key);
  }
  for (const { section } of sectionsOf(content)) {
    add(section.id, section.title, 'section');
    for (const field of section.fields) add(field.id, field.label, field.type);
  }
  return names;
};
