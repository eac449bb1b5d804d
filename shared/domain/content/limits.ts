/**
 * The limits of a content and of the answers to it. The limits of a single property, such as the length of a title, are
 * in its schema. The limits for the number of sections and fields are in `content-size.ts`.
 */

/** Levels of sections, the outermost included. */
export const MAX_SECTION_DEPTH = 5;

/** Levels of one condition, the outermost included. */
export const MAX_CONDITION_DEPTH = 10;

/**
 * Steps in a chain of conditions and formulas that depend on each other, where each level of a condition counts as
 * a step. They are worked out recursively, and the stack has room for this many.
 */
export const MAX_DEPENDENCY_STEPS = 500;

/** Fields of an inspection in which every repeat section has its minimum of instances; each may need a row. */
export const MAX_INITIAL_ANSWERS = 20_000;

/** Characters of a text that is matched against a field's pattern. */
export const MAX_MATCHED_LENGTH = 200;

/**
 * Steps of a pattern: its characters and groups, with repetitions written out. A match visits each step at most once
 * at each character of the text.
 */
export const MAX_PATTERN_STEPS = 500;

/**
 * Visits of a pattern's steps at the characters of a text, for the worst text of MAX_MATCHED_LENGTH characters. A
 * request may have 500 answers, and 500 such matches take less than half a second of processor time. The limit is
 * enough for `[^]{0,200}`.
 */
export const MAX_PATTERN_EFFORT = 50_000;

/** Steps of all patterns of one content. Checking a content, or a sample of answers to it, tries all of them. */
export const MAX_ALL_PATTERN_STEPS = 200_000;

/** Characters of the answer to a text field that sets no limit of its own, and of a formula's result. */
export const MAX_TEXT_LENGTH = 1_000;

/** Characters of any text answer, and of a text within a formula. */
export const MAX_LONG_TEXT_LENGTH = 20_000;

/** Media in one answer of a field that sets no limit of its own; the schema of `MediaRule` allows no higher limit. */
export const MAX_MEDIA = 50;

/** The largest number that an answer can be, and the largest result of a formula, above or below zero. */
export const MAX_NUMBER = 1e15;

/** The number nearest to zero that an answer can be. Down to here a double keeps 15 significant digits. */
export const MIN_NUMBER = 1e-15;
