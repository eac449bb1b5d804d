import { isRightToLeft } from './bidi.ts';

/** Says nothing: readers leave out a soft hyphen, but would take the code of a glyph without a meaning for a letter. */
const NOTHING = [0xad];
const NIKHAHIT = 0xe4d;
const SARA_AA = 0xe32;
const SARA_AM = 0xe33;

/** The glyph that a font draws for want of another. */
const MISSING = 0;
/** A code has two bytes. */
const MOST_CODES = 0xffff;

interface Glyph {
  id: number;
  advanceWidth: number;
  /** As many as characters became this glyph; which they are fontkit only knows for the first time it is used. */
  codePoints: number[];
}

/** A font as PDFKit embeds it: each code of its text is a glyph of the subset, with a width and a meaning. */
export interface EmbeddedFont {
  layout(text: string, features?: unknown): { glyphs: Glyph[]; positions: unknown[] };
  encode(text: string, features?: unknown): [codes: string[], positions: unknown[]];
  subset: { glyphs: number[]; includeGlyph(id: number): number };
  widths: number[];
  unicode: number[][];
  scale: number;
}

/** Characters dealt out in their order: to each glyph as many as became it, or one where that does not come out even. */
const dealt = (said: number[], lengths: number[]): number[][] => {
  const isEven = lengths.reduce((sum, length) => sum + length, 0) === said.length;
  let start = 0;
  return lengths.map((length, index) => {
    const end = isEven ? start + length : index === lengths.length - 1 ? said.length : start + 1;
    const part = said.slice(start, end);
    start = end;
    return part.length > 0 ? part : NOTHING;
  });
};

/**
 * What is read at each glyph of a text. A vowel that stands before its letter is drawn there but read after it, and
 * what is taken apart to be drawn is read as the one character it is; a reader puts right to left in order itself.
 */
export const meanings = (text: string, glyphs: readonly Pick<Glyph, 'codePoints'>[]): number[][] => {
  const said = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const lengths = glyphs.map(({ codePoints }) => codePoints.length);
  if (isRightToLeft(text)) return dealt(said, lengths.toReversed()).toReversed();
  const meant = dealt(said, lengths);
  for (const [index, [codePoint]] of meant.entries()) {
    const nasal = codePoint === SARA_AA && [index - 1, index - 2].find((at) => meant[at]?.[0] === NIKHAHIT);
    if (nasal === false || nasal === undefined) continue;
    meant[nasal] = NOTHING;
    meant[index] = [SARA_AM];
  }
  return meant;
};

/** The codes that a font's glyphs have by now, each with one meaning. */
const written = new WeakMap<EmbeddedFont, Map<string, number>>();

const codeOf = (font: EmbeddedFont, glyph: Glyph, meaning: number[]): number => {
  let codes = written.get(font);
  if (!codes) written.set(font, (codes = new Map<string, number>()));
  const key = `${glyph.id} ${meaning.join()}`;
  let code = codes.get(key);
  if (code === undefined) {
    const first = font.subset.includeGlyph(glyph.id);
    const isTaken = font.unicode[first] !== undefined && glyph.id !== MISSING;
    code = isTaken && font.subset.glyphs.length <= MOST_CODES ? font.subset.glyphs.push(glyph.id) - 1 : first;
    font.unicode[code] ??= meaning;
    font.widths[code] ??= glyph.advanceWidth * font.scale;
    codes.set(key, code);
  }
  return code;
};

/**
 * Writes text in the codes of a font, in place of PDFKit's own method, which gives a glyph the meaning it first had for
 * good. It looks the same, and is found and copied as it was written.
 */
export function encode(this: EmbeddedFont, text: string, features?: unknown): [string[], unknown[]] {
  const { glyphs, positions } = this.layout(text, features);
  const meant = meanings(text, glyphs);
  const codes = glyphs.map((glyph, index) =>
    codeOf(this, glyph, meant[index]!).toString(16).padStart(4, '0'),
  );
  return [codes, positions];
}
