import { isRightToLeft } from './bidi.ts';

/**
 * The meaning of a glyph that stands for no character: a soft hyphen, which PDF readers leave out. Without any meaning,
 * they would take the glyph's code for a letter.
 */
const NOTHING = [0xad];
const NIKHAHIT = 0xe4d;
const SARA_AA = 0xe32;
const SARA_AM = 0xe33;

/** The glyph that a font draws for a character that it lacks. */
const MISSING = 0;
/** The largest code of a glyph, because a code has two bytes. */
const MAX_CODE = 0xffff;

interface Glyph {
  id: number;
  advanceWidth: number;
  /**
   * One entry for each character that became this glyph. Only their number is reliable: fontkit keeps the characters
   * of the glyph's first use.
   */
  codePoints: number[];
}

/** A font as PDFKit embeds it: each code is a glyph of the subset, with a width and the characters it stands for. */
export interface EmbeddedFont {
  layout(text: string, features?: unknown): { glyphs: Glyph[]; positions: unknown[] };
  encode(text: string, features?: unknown): [codes: string[], positions: unknown[]];
  subset: { glyphs: number[]; includeGlyph(id: number): number };
  widths: number[];
  unicode: number[][];
  scale: number;
}

/**
 * Assigns characters to glyphs in their order: to each glyph as many as its length says. Where the lengths do not add
 * up to the number of characters, each glyph gets one, and the last gets the rest.
 */
const assign = (characters: number[], lengths: number[]): number[][] => {
  const isEven = lengths.reduce((sum, length) => sum + length, 0) === characters.length;
  let start = 0;
  return lengths.map((length, index) => {
    const end = isEven ? start + length : index === lengths.length - 1 ? characters.length : start + 1;
    const part = characters.slice(start, end);
    start = end;
    return part.length > 0 ? part : NOTHING;
  });
};

/**
 * The characters that each glyph of a text stands for when the text is copied or searched. A vowel that is drawn before
 * its letter is read after it. A character that is drawn as several glyphs is read as one. Glyphs of right-to-left text
 * are in the order in which they are drawn, and the PDF reader reverses them.
 */
export const meanings = (text: string, glyphs: readonly Pick<Glyph, 'codePoints'>[]): number[][] => {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const lengths = glyphs.map(({ codePoints }) => codePoints.length);
  if (isRightToLeft(text)) return assign(characters, lengths.toReversed()).toReversed();
  const meant = assign(characters, lengths);
  for (const [index, [codePoint]] of meant.entries()) {
    const nasal = codePoint === SARA_AA && [index - 1, index - 2].find((at) => meant[at]?.[0] === NIKHAHIT);
    if (nasal === false || nasal === undefined) continue;
    meant[nasal] = NOTHING;
    meant[index] = [SARA_AM];
  }
  return meant;
};

/** The codes that each font has so far, by glyph and meaning. */
const codesByFont = new WeakMap<EmbeddedFont, Map<string, number>>();

const codeOf = (font: EmbeddedFont, glyph: Glyph, meaning: number[]): number => {
  let codes = codesByFont.get(font);
  if (!codes) codesByFont.set(font, (codes = new Map<string, number>()));
  const key = `${glyph.id} ${meaning.join()}`;
  let code = codes.get(key);
  if (code === undefined) {
    const first = font.subset.includeGlyph(glyph.id);
    const isTaken = font.unicode[first] !== undefined && glyph.id !== MISSING;
    code = isTaken && font.subset.glyphs.length <= MAX_CODE ? font.subset.glyphs.push(glyph.id) - 1 : first;
    font.unicode[code] ??= meaning;
    font.widths[code] ??= glyph.advanceWidth * font.scale;
    codes.set(key, code);
  }
  return code;
};

/**
 * Encodes text in the codes of a font. It replaces PDFKit's method, which keeps for each glyph the characters of its
 * first use: the page looks the same, but a search or a copy finds the text as it was written.
 */
export function encode(this: EmbeddedFont, text: string, features?: unknown): [string[], unknown[]] {
  const { glyphs, positions } = this.layout(text, features);
  const meant = meanings(text, glyphs);
  const codes = glyphs.map((glyph, index) =>
    codeOf(this, glyph, meant[index]!).toString(16).padStart(4, '0'),
  );
  return [codes, positions];
}
