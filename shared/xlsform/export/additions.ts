import { isDeepStrictEqual } from 'node:util';
import { sectionsOf } from '../../domain/content/content-index.ts';
import type { Content, ResponseOption } from '../../schemas/templates/content.ts';
import {
  fieldAttributes,
  optionAttributes,
  sectionAttributes,
  startAttributes,
} from '../form/own-columns.ts';
import type { FormList } from '../standard/lists.ts';
import type { Part, StandardForm } from '../standard/standard-form.ts';

/** The values that need a column of this service's own because importing the standard columns does not restore them. */
export interface Additions {
  /** The attributes of sections and fields by id, of start fields by key. */
  parts: ReadonlyMap<string, ReadonlySet<string>>;
  /** The attributes of options. */
  options: ReadonlyMap<ResponseOption, ReadonlySet<string>>;
  /** All translations, where cells cannot say some of them; otherwise empty. */
  translations: Content['translations'];
}

export const NO_ADDITIONS: Additions = { parts: new Map(), options: new Map(), translations: [] };

/** The id of a section or field, or the key of a start field. */
export const partId = (part: Part): string => ('id' in part ? part.id : part.key);

/** The value of an attribute; undefined where there is no part, or no such attribute. */
export const valueOf = (part: object | undefined, attribute: string): unknown =>
  (part as Record<string, unknown> | undefined)?.[attribute];

const attributesOf = (part: Part): readonly string[] =>
  'sections' in part ? sectionAttributes : 'id' in part ? fieldAttributes() : startAttributes();

/** The parts of a content by id or key. */
const partsOf = (content: Content): Map<string, Part> => {
  const parts = new Map<string, Part>(content.start.fields.map((field) => [field.key, field]));
  for (const { section } of sectionsOf(content)) {
    parts.set(section.id, section);
    for (const field of section.fields) parts.set(field.id, field);
  }
  return parts;
};

/** The attributes of a part that differ from the imported ones. */
const differentAttributes = (part: Part, imported: Part | undefined): string[] =>
  attributesOf(part).filter((attribute) => {
    const value = valueOf(part, attribute);
    const found = valueOf(imported, attribute);
    // Options have their own rows and columns in the choices sheet.
    const isListed = attribute === 'options' && Array.isArray(value) && Array.isArray(found);
    return !isListed && !isDeepStrictEqual(value, found);
  });

/** The imported options of a list. */
const importedOptions = (
  { of }: FormList,
  parts: ReadonlyMap<string, Part>,
  sets: ReadonlyMap<string, readonly ResponseOption[]>,
): readonly ResponseOption[] | null | undefined =>
  of &&
  ('set' in of
    ? sets.get(of.set)
    : (valueOf(parts.get(of.field), 'options') as ResponseOption[] | null | undefined));

const differentOptions = (
  { options }: FormList,
  imported: readonly ResponseOption[] | null | undefined,
): [ResponseOption, string[]][] =>
  options.map(({ option }, i) => [
    option,
    optionAttributes.filter((name) => !isDeepStrictEqual(option[name], valueOf(imported?.[i], name))),
  ]);

/** Adds names to those of their keys; undefined where all are there already. */
const withNames = <Key>(
  known: ReadonlyMap<Key, ReadonlySet<string>>,
  added: readonly [Key, string[]][],
): ReadonlyMap<Key, ReadonlySet<string>> | undefined => {
  const more = added.filter(([key, names]) => names.some((name) => !known.get(key)?.has(name)));
  return more.length === 0
    ? undefined
    : new Map([
        ...known,
        ...more.map(([key, names]) => [key, new Set([...(known.get(key) ?? []), ...names])] as const),
      ]);
};

/**
 * The additions by which a form restores a content, as far as one import of it shows.
 * @param imported what the form with the present additions is imported as
 * @returns undefined where nothing more is missing
 */
export const moreAdditions = (
  { parts, options, translations }: Additions,
  { survey, lists }: StandardForm,
  content: Content,
  imported: Content,
): Additions | undefined => {
  const found = partsOf(imported);
  const sets = new Map(imported.response_sets.map((set) => [set.id, set.options]));
  const moreParts = withNames(
    parts,
    survey.flatMap(({ part }): [string, string[]][] =>
      part ? [[partId(part), differentAttributes(part, found.get(partId(part)))]] : [],
    ),
  );
  const moreOptions = withNames(
    options,
    lists
      .filter(({ of }) => of)
      .flatMap((list) => differentOptions(list, importedOptions(list, found, sets))),
  );
  const moreTranslations =
    translations.length === 0 && !isDeepStrictEqual(content.translations, imported.translations)
      ? content.translations
      : undefined;
  return moreParts || moreOptions || moreTranslations
    ? {
        parts: moreParts ?? parts,
        options: moreOptions ?? options,
        translations: moreTranslations ?? translations,
      }
    : undefined;
};
