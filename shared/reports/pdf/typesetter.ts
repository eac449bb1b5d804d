import { FAMILIES } from '../fonts.ts';
import type { Family } from '../fonts.ts';
import type { Typefaces } from './typefaces.ts';

/** A stretch of text in one family. */
interface Run {
  text: string;
  font: Family;
}

/** What a pdfmake text node takes: plain text, or runs where one family does not have all the glyphs. */
export type Inline = string | Run[];

/** Room for text: its width and the size of its type in points. */
export interface Measure {
  width: number;
  size: number;
}

interface Line {
  text: string;
  /** What stood, or is put, between this line and the next. */
  glue: ' ' | '\n';
}

/** Lines a piece may have: a table row of one piece always fits on a page, in landscape too. */
const PIECE_LINES = 16;
/** Kerning may spread letters (TT by 4 %), which the sum of their advances does not know. */
const KERNED = 0.96;
const WARNED_GLYPHS = 40;

const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const CONTROLS = /[[\p{Cc}\p{Bidi_Control}]--\n]/gv;

/**
 * Prepares a payload's text for pdfmake: control characters and lone surrogates are harmless, every character has a
 * glyph, and nothing is taller than a page. It remembers which characters had no glyph.
 */
export class Typesetter {
  readonly #typefaces: Typefaces;
  readonly missing = new Set<number>();

  constructor(typefaces: Typefaces) {
    this.#typefaces = typefaces;
  }

  /** One warning for each character without a glyph, the first forty of them. */
  get warnings(): string[] {
    const shown = [...this.missing].slice(0, WARNED_GLYPHS);
    const more = this.missing.size - shown.length;
    return [
      ...shown.map(
        (codePoint) => `no glyph for ${codePointName(codePoint)} "${String.fromCodePoint(codePoint)}"`,
      ),
      ...(more > 0 ? [`no glyph for ${more} more characters`] : []),
    ];
  }

  /** Text that can be drawn: a character without a glyph is spelled as [U+0000], so that the reader can look it up. */
  clean(text: string): string {
    let clean = '';
    const plain = text.toWellFormed().normalize('NFC').replace(LINE_ENDS, '\n').replaceAll('\t', '    ');
    for (const character of plain.replace(CONTROLS, '')) {
      const codePoint = character.codePointAt(0) ?? 0;
      if (character === '\n' || this.#typefaces.familyOf(codePoint)) clean += character;
      else if (!/\p{Default_Ignorable_Code_Point}/u.test(character)) {
        this.missing.add(codePoint);
        clean += `[${codePointName(codePoint)}]`;
      }
    }
    return clean;
  }

  /** Text as runs of one family each. */
  inline(text: string): Inline {
    const runs: Run[] = [];
    for (const character of this.clean(text)) {
      const font = this.#typefaces.familyOf(character.codePointAt(0) ?? 0) ?? FAMILIES[0];
      const last = runs.at(-1);
      if (last?.font === font) last.text += character;
      else runs.push({ text: character, font });
    }
    if (runs.length > 1) return runs;
    const [only] = runs;
    return only && only.font !== FAMILIES[0] ? runs : (only?.text ?? '');
  }

  /** The width of text in points, at least. */
  width(text: string, size: number): number {
    let ems = 0;
    for (const character of text) ems += this.#typefaces.advance(character.codePointAt(0) ?? 0);
    return ems * size;
  }

  /** Text on at most so many lines, its end cut off by an ellipsis where it is longer. */
  clip(text: string, measure: Measure, lines = 1): Inline {
    const wrapped = this.#lines(this.clean(text).trim(), measure);
    if (wrapped.length <= lines) return this.inline(text.trim());
    const kept = wrapped.slice(0, lines);
    let end = kept.at(-1)?.text ?? '';
    while (end && this.width(`${end}…`, measure.size) > measure.width * KERNED) end = end.replace(/.$/su, '');
    return this.inline(
      [...kept.slice(0, -1).map((line) => line.text), `${end.trimEnd()}…`].join(lines > 1 ? ' ' : ''),
    );
  }

  /** Whether text needs more lines than these. */
  overflows(text: string, measure: Measure, lines: number): boolean {
    return this.#lines(this.clean(text).trim(), measure).length > lines;
  }

  /** The whole text in pieces of a few lines each, so that a page can end between any two; none for blank text. */
  pieces(text: string, measure: Measure, lines = PIECE_LINES): Inline[] {
    const wrapped = this.#lines(this.clean(text).trim(), measure);
    if (!wrapped.some((line) => line.text)) return [];
    return Array.from({ length: Math.ceil(wrapped.length / lines) }, (_, piece) =>
      this.inline(
        wrapped
          .slice(piece * lines, (piece + 1) * lines)
          .map((line, index, all) => (index < all.length - 1 ? line.text + line.glue : line.text))
          .join(''),
      ),
    );
  }

  #lines(text: string, { width: room, size }: Measure): Line[] {
    const width = room * KERNED;
    return text.split('\n').flatMap((paragraph) => {
      const lines: Line[] = [];
      let line = '';
      let used = 0;
      const end = (glue: Line['glue']): void => {
        lines.push({ text: line, glue });
        line = '';
        used = 0;
      };
      const space = this.width(' ', size);
      for (const word of paragraph.split(' ')) {
        const length = this.width(word, size);
        if (line && used + space + length > width) end(' ');
        if (line) {
          line += ' ';
          used += space;
        }
        if (length <= width) {
          line += word;
          used += length;
          continue;
        }
        // The layout could cut such a word too, but measures what is left of it again for every line.
        for (const character of word) {
          const advance = this.width(character, size);
          if (line && used + advance > width) end('\n');
          line += character;
          used += advance;
        }
      }
      end('\n');
      return lines;
    });
  }
}

const codePointName = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
