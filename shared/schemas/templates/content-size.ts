/** Sections in one content, nested ones included. */
export const MAX_SECTIONS = 300;

/** Fields in all sections of one content. */
export const MAX_FIELDS = 5_000;

/**
 * Levels of nesting of the JSON. They are checked before the schemas parse it, because the schemas are recursive, and a
 * stack overflow would be a 500. A JSON Patch of a few lines can build deeper JSON.
 */
const MAX_DEPTH = 64;

/** Items of all lists together. Each wrong item is a problem of its own, and finding millions would take minutes. */
const MAX_ITEMS = 100_000;

/**
 * Parts that lack required members. To refuse a part, a schema needs ten times longer than to accept it, and one or two
 * kilobytes of memory, while an empty part has only three bytes.
 */
const MAX_INCOMPLETE = 1_000;

/**
 * The members that each part of a list needs, by the name of the list: each of `all` as a text, or any one of `any`.
 */
const NEEDED: Readonly<Record<string, { all: readonly string[] } | { any: readonly string[] }>> = {
  sections: { all: ['id', 'title'] },
  fields: { all: ['label'] },
  response_sets: { all: ['id', 'name'] },
  options: { all: ['value', 'label'] },
  translations: { all: ['language'] },
  texts: { all: ['id'] },
  all: { any: ['all', 'any', 'field_id', 'start_key'] },
  any: { any: ['all', 'any', 'field_id', 'start_key'] },
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isIncomplete = (part: unknown, needed: (typeof NEEDED)[string]): boolean => {
  if (!isObject(part)) return true;
  return 'all' in needed
    ? needed.all.some((name) => typeof part[name] !== 'string')
    : needed.any.every((name) => part[name] === undefined);
};

/** How many parts of a list are incomplete; 0 for any other value. */
const incompleteIn = (name: string, value: unknown): number => {
  const needed = Array.isArray(value) && Object.hasOwn(NEEDED, name) ? NEEDED[name] : undefined;
  return needed ? (value as unknown[]).filter((part) => isIncomplete(part, needed)).length : 0;
};

/** Which limit of nesting and of lists a JSON value exceeds; undefined when it exceeds none. */
const excessOf = (json: unknown): string | undefined => {
  let [items, incomplete] = [0, 0];
  let level = [json];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    for (const value of level) if (Array.isArray(value)) items += value.length;
    if (items > MAX_ITEMS) return `all lists together have more than ${MAX_ITEMS} items`;
    level = level.filter(isObject).flatMap((value) => {
      if (Array.isArray(value)) return value as unknown[];
      const members = Object.entries(value);
      for (const [name, inner] of members) incomplete += incompleteIn(name, inner);
      return members.map(([, inner]) => inner);
    });
    if (incomplete > MAX_INCOMPLETE)
      return `more than ${MAX_INCOMPLETE} sections, fields, options, texts and conditions have not all that they need`;
  }
  return undefined;
};

/** Whether a JSON value is nested deeper, or has more in its lists, than a content may. */
export const isTooDeep = (json: unknown): boolean => excessOf(json) !== undefined;

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = isObject(value) ? value[name] : undefined;
  return Array.isArray(list) ? list : [];
};

/** A limit that a content exceeds. */
export interface Excess {
  path: string[];
  message: string;
  /** The limit and the number, where both are known. */
  limit?: { max_length: number; actual_length: number };
}

const atMost = (what: string, max_length: number, actual_length: number): Excess[] =>
  actual_length <= max_length
    ? []
    : [
        {
          path: ['sections'],
          message: `There should be at most ${max_length} ${what}, not ${actual_length}`,
          limit: { max_length, actual_length },
        },
      ];

/**
 * Checks by counting whether a JSON value is too large for a content. A schema would need seconds and hundreds of
 * megabytes to find the same.
 */
export const contentExcess = (json: unknown): Excess[] => {
  const excess = excessOf(json);
  if (excess !== undefined) return [{ path: [], message: `Value error, ${excess}` }];
  let [sections, fields] = [0, 0];
  for (let level = listIn(json, 'sections'); level.length > 0;) {
    sections += level.length;
    for (const section of level) fields += listIn(section, 'fields').length;
    level = level.flatMap((section) => listIn(section, 'sections'));
  }
  return [...atMost('sections', MAX_SECTIONS, sections), ...atMost('fields', MAX_FIELDS, fields)];
};
