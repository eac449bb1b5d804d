/** Code points that are no text: noncharacters, and C0 controls other than tab and the ends of lines. */
// oxlint-disable-next-line no-control-regex -- they are refused
const NO_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Noncharacter_Code_Point}/u;

/** Whether a text is valid Unicode that every store, queue and file format takes and gives back unchanged. */
export const isText = (text: string): boolean => text.isWellFormed() && !NO_TEXT.test(text);

/** The text of somebody who does not keep to that, without what is no text. Half a character becomes U+FFFD. */
export const storable = (text: string): string =>
  text.toWellFormed().replaceAll(new RegExp(NO_TEXT, 'gu'), '');

/**
 * What shows nothing: white space, controls, and the characters that are ignored when a text is displayed (Unicode
 * Standard Annex #44, Default_Ignorable_Code_Point), such as joiners, zero-width spaces and marks of direction. Two
 * kinds are not in that list: the annotation marks, and the empty Braille pattern.
 */
const SHOWS_NOTHING = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]*$/u;

/** Whether a text shows nothing, however many characters it has. */
export const isBlank = (text: string): boolean => SHOWS_NOTHING.test(text);

/** The text without white space around it; empty if it shows nothing. */
export const trimmed = (text: string): string => (isBlank(text) ? '' : text.trim());

/** The start of a text, in UTF-16 units. A character that does not fit as a whole is left out. */
export const cutTo = (text: string, length: number): string =>
  text.slice(0, length).replace(/\p{Surrogate}$/u, '');

/** What changes the lines or the direction of the text around it, or hides in it: all but the joiners of letters. */
const NOT_PLAIN = /[\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]|(?![\u200c\u200d])\p{Cf}/gu;

/**
 * A text of somebody else as part of a sentence of ours: one line, without controls and marks of direction. It is still
 * to be escaped where it is shown, as every text is.
 */
export const plain = (text: string, length: number): string =>
  cutTo(storable(text).replaceAll(NOT_PLAIN, ' ').replaceAll(/\s+/g, ' ').trim(), length);

/** Characters of a text that a message quotes. */
const MAX_QUOTED = 100;

/** A text of somebody else in quotation marks, as part of a sentence of ours. */
export const quoted = (text: string): string => JSON.stringify(plain(text, MAX_QUOTED));
