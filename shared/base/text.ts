/** Code points that are no text: noncharacters, and C0 controls other than tab and the ends of lines. */
// oxlint-disable-next-line no-control-regex -- they are refused
const NO_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Noncharacter_Code_Point}/u;

/** Whether a text is valid Unicode that every store, queue and file format takes and gives back unchanged. */
export const isText = (text: string): boolean => text.isWellFormed() && !NO_TEXT.test(text);

/** A text from outside without the code points that are no text. Half a character becomes U+FFFD. */
export const storable = (text: string): string =>
  text.toWellFormed().replaceAll(new RegExp(NO_TEXT, 'gu'), '');

/**
 * Text that shows nothing: white space, controls, and the characters that are ignored when a text is displayed
 * (Unicode Standard Annex #44, Default_Ignorable_Code_Point), such as joiners, zero-width spaces and marks of
 * direction. Two kinds are not in that list: the annotation marks, and the empty Braille pattern.
 */
const SHOWS_NOTHING = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]*$/u;

/** Whether a text shows nothing, however many characters it has. */
export const isBlank = (text: string): boolean => SHOWS_NOTHING.test(text);

/** The text without white space around it; empty if it shows nothing. */
export const trimmed = (text: string): string => (isBlank(text) ? '' : text.trim());

/** The start of a text, in UTF-16 units. A character that does not fit as a whole is left out. */
export const cutTo = (text: string, length: number): string =>
  text.slice(0, length).replace(/\p{Surrogate}$/u, '');

/**
 * Characters that break lines, change the direction of the text around them, or are invisible; except joiners of
 * letters.
 */
const NOT_PLAIN = /[\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]|(?![\u200c\u200d])\p{Cf}/gu;

/**
 * A text of somebody else as part of a sentence of ours: one line, without controls and marks of direction. It must
 * still be escaped where it is shown, like every text.
 */
export const plain = (text: string, length: number): string =>
  cutTo(storable(text).replaceAll(NOT_PLAIN, ' ').replaceAll(/\s+/g, ' ').trim(), length);

/** What some reader takes for the end of a line. */
const LINE_END = /\r\n?|(?!\t)\p{Cc}|[\p{Zl}\p{Zp}]/u;

/** The lines of a text of somebody else, each of which is plain. */
export const plainLines = (text: string): string[] =>
  text.split(LINE_END).map((line) => plain(line, line.length));

/** Characters of a text that a message quotes. */
const MAX_QUOTED = 100;

/** A text of somebody else in quotation marks, as part of a sentence of ours. */
export const quoted = (text: string): string => JSON.stringify(plain(text, MAX_QUOTED));

/**
 * The form of a text for comparing and sorting: with compatibility forms unified (Unicode NFKC) and in lower case, so
 * that "ﬁre Exit" and "FIRE EXIT" are equal.
 */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * The form of an e-mail address for comparing: its ASCII letters in lower case. All else stays, because some signs, such
 * as that of the kelvin, have an ASCII letter as their lower case, and would make another address of one's own.
 */
export const foldedAddress = (address: string): string =>
  address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The mailbox of an e-mail address, for comparing: without what stands behind a plus sign (RFC 5233), so that nobody
 * gets past a mailbox's answer by another spelling.
 */
export const mailboxOf = (address: string): string =>
  foldedAddress(address).replace(/(?<=[^@])\+[^@]*(?=@)/, '');

/** The longest start of a text that fits into `bytes` bytes of UTF-8, without cutting a character. */
export const withinBytes = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text).subarray(0, bytes), {
    stream: true,
  });

/** A text that a shell takes as one word, in quotes. */
export const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
