import { GENERAL } from '../fonts.ts';
import type { Family } from '../fonts.ts';
import { Bidi, stacked } from './bidi.ts';
import { lineStarts } from './breaks.ts';
import { eastAsian, languageOf, placeOf } from './scripts.ts';
import type { EastAsian, Place } from './scripts.ts';
import { withoutMarks } from './typefaces.ts';
import type { Typefaces } from './typefaces.ts';

/** Text in one font family. */
interface Run {
  text: string;
  font: Family;
  /** Set where the line was broken here, so that pdfmake does not break it again. */
  noWrap?: true;
  alignment?: 'right';
  fontFeatures?: ReturnType<typeof withoutMarks>;
}

/** The text of a pdfmake node: a string, or runs where one font family does not have all the glyphs. */
export type Inline = string | Run[];

/** The width that a text may take and its font size, both in points. */
export interface Measure {
  width: number;
  size: number;
}

/** A character with the font family that draws it. */
interface Sign {
  character: string;
  font: Family;
  /** Its embedding level (UAX #9). */
  level: number;
}

interface Paragraph {
  signs: Sign[];
  /**
   * Whether its lines are broken and ordered here. pdfmake can do that only for text from left to right with spaces
   * between words.
   */
  isSet: boolean;
  isRightToLeft: boolean;
}

interface Line extends Paragraph {
  /** The character between this line and the next. */
  glue: ' ' | '\n';
}

/** The most lines of a piece, so that a table row of one piece fits on a page, also in landscape. */
const MAX_PIECE_LINES = 16;
/** How much of a line may be filled: kerning can make text wider than the sum of its characters (TT by 4 %). */
const FILLABLE = 0.96;
/** The most characters without a glyph that are named in a warning each. */
const MAX_GLYPH_WARNINGS = 40;
/** The most letters of a word that is measured as a whole; a longer word fits on no line. */
const MAX_WORD_LETTERS = 200;
/** The most characters of a grapheme cluster: stream-safe text has at most 30 marks on a letter (UAX #15). */
const MAX_CLUSTER_CHARACTERS = 32;

const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const CONTROLS = /[[\p{Cc}\p{Bidi_Control}]--\n]/gv;

/** The scripts whose lines are broken and ordered here. */
const SET = new Set<Place['home']>(['Arabic', 'Hebrew', 'Thai', 'East Asian']);
const RIGHT_TO_LEFT = new Set<Family>(['Arabic', 'Hebrew']);
/** An empty run in this family on each line gives the lines of all scripts the same height. */
const STRUT: Family = GENERAL[0];
/** The family whose letters join, so that their width depends on their neighbours. */
const JOINED: Family = 'Arabic';

/**
 * Prepares the texts of a payload for pdfmake. Control characters and lone surrogates are removed or replaced, every
 * character gets a font that has it, every script its direction and line breaks, and no text is taller than a page.
 * Collects the characters that no font has.
 */
export class Typesetter {
  readonly #typefaces: Typefaces;
  readonly #language: EastAsian;
  readonly #bidi = new Bidi();
  readonly #places = new Map<string, Place>();
  /** The code points that no font has. */
  readonly missing = new Set<number>();

  /** @param language determines the forms of Han characters where the text's other letters do not */
  constructor(typefaces: Typefaces, language: EastAsian) {
    this.#typefaces = typefaces;
    this.#language = language;
  }

  /** A warning for each character that no font has, and one for all beyond `MAX_GLYPH_WARNINGS`. */
  get warnings(): string[] {
    const shown = [...this.missing].slice(0, MAX_GLYPH_WARNINGS);
    const more = this.missing.size - shown.length;
    return [
      ...shown.map(
        (codePoint) =>
          `The fonts do not have the character "${String.fromCodePoint(codePoint)}" (${codePointName(codePoint)}).`,
      ),
      ...(more > 0 ? [`The fonts do not have ${more} more ${more === 1 ? 'character' : 'characters'}.`] : []),
    ];
  }

  /** Text that can be drawn: a character that no font has is written as its code point ([U+1F372]). */
  clean(text: string): string {
    return this.#paragraphs(text)
      .map(({ signs }) => textOf(signs))
      .join('\n');
  }

  /** The least width of a text in points, at a font size in points. */
  width(text: string, size: number): number {
    return Math.max(...this.#paragraphs(text).map(({ signs }) => this.#extent(signs))) * size;
  }

  /** A short text that is neither wrapped nor cut off. */
  inline(text: string): Inline {
    return this.#compose(this.#lines(text, { width: Infinity, size: 1 }));
  }

  /** Text on at most so many lines; a longer one is cut off and ends in an ellipsis. */
  clip(text: string, measure: Measure, lines = 1): Inline {
    const wrapped = this.#lines(text, measure);
    const last = wrapped[lines - 1];
    return last && wrapped.length > lines
      ? this.#compose([...wrapped.slice(0, lines - 1), this.#cut(last, measure)])
      : this.#compose(wrapped);
  }

  /** Whether a text needs more than so many lines. */
  overflows(text: string, measure: Measure, lines: number): boolean {
    return this.#lines(text, measure).length > lines;
  }

  /** The whole text in pieces of so many lines, so that a page can break between any two; none for a blank text. */
  pieces(text: string, measure: Measure, lines = MAX_PIECE_LINES): Inline[] {
    const wrapped = this.#lines(text, measure);
    if (!wrapped.some(({ signs }) => signs.length > 0)) return [];
    return Array.from({ length: Math.ceil(wrapped.length / lines) }, (_, piece) =>
      this.#compose(wrapped.slice(piece * lines, (piece + 1) * lines)),
    );
  }

  #paragraphs(text: string): Paragraph[] {
    const plain = text
      .toWellFormed()
      .normalize('NFC')
      .replace(LINE_ENDS, '\n')
      .replaceAll('\t', '    ')
      .replace(CONTROLS, '');
    const families = this.#eastAsian(plain);
    return plain.split('\n').map((paragraph) => this.#paragraph(paragraph, families));
  }

  /** The East Asian families for a text, beginning with the one that has all of its Han characters. */
  #eastAsian(text: string): EastAsian[] {
    const han = new Set(text.match(/\p{Script=Han}/gu));
    const families = eastAsian(languageOf(text) ?? this.#language);
    const whole =
      han.size > 0 && families.find((family) => [...han].every((character) => this.#has(family, character)));
    return whole ? eastAsian(whole) : families;
  }

  #paragraph(text: string, families: EastAsian[]): Paragraph {
    const signs: Sign[] = [];
    const places = Array.from(text, (character) => this.#placeOf(character));
    const [first] = families;
    let home: Family | undefined;
    const familyOf = (place: Place | undefined): Family | undefined =>
      place?.home === 'East Asian' ? first : place?.home;
    let index = 0;
    for (const character of text) {
      const place = places[index++]!;
      // Characters before the first letter take its family.
      home = familyOf(place) ?? home ?? familyOf(places.find((later) => later.home)) ?? GENERAL[0];
      const font = this.#fontOf(character, place, signs.at(-1)?.font, home, families);
      if (font) signs.push({ character, font, level: 0 });
      else if (!place.isInkless) {
        const codePoint = character.codePointAt(0) ?? 0;
        this.missing.add(codePoint);
        for (const letter of `[${codePointName(codePoint)}]`)
          signs.push({ character: letter, font: GENERAL[0], level: 0 });
      }
    }
    const isSet = places.some((place) => SET.has(place.home));
    return { signs, isSet, isRightToLeft: isSet && this.#level(signs) };
  }

  #fontOf(
    character: string,
    { others, isMark, isInkless }: Place,
    previous: Family | undefined,
    home: Family,
    families: EastAsian[],
  ): Family | undefined {
    const has = (family: Family): boolean => this.#has(family, character);
    if (previous && (isMark || isInkless) && has(previous)) return previous;
    if (isInkless) return undefined;
    if (has(home)) return home;
    return others.flatMap((other) => (other === 'East Asian' ? families : other)).find(has);
  }

  #has(family: Family, character: string): boolean {
    return this.#typefaces.has(family, character.codePointAt(0) ?? 0);
  }

  #placeOf(character: string): Place {
    let place = this.#places.get(character);
    if (!place) this.#places.set(character, (place = placeOf(character)));
    return place;
  }

  /** Sets the levels of the signs. Returns whether the paragraph runs from right to left. */
  #level(signs: Sign[]): boolean {
    if (!signs.some(({ font }) => RIGHT_TO_LEFT.has(font))) return false;
    const { levels, base } = this.#bidi.levels(textOf(signs));
    let place = 0;
    for (const sign of signs) {
      sign.level = levels[place] ?? base;
      place += sign.character.length;
    }
    return base % 2 === 1;
  }

  /** The width of signs in ems. */
  #extent(signs: readonly Sign[]): number {
    return stretchesOf(signs).reduce(
      (ems, { text, font }) =>
        ems +
        (font === JOINED && text.length <= MAX_WORD_LETTERS
          ? this.#typefaces.shape(font, stacked(text)).extent
          : this.#typefaces.extent(font, text)),
      0,
    );
  }

  #lines(text: string, { width, size }: Measure): Line[] {
    const room = (width * FILLABLE) / size;
    return this.#paragraphs(text.trim()).flatMap((paragraph) => {
      const lines: Line[] = [];
      let line: Sign[] = [];
      let used = 0;
      const end = (glue: Line['glue']): void => {
        lines.push({ ...paragraph, signs: withoutEnd(line), glue });
        line = [];
        used = 0;
      };
      for (const word of wordsOf(paragraph)) {
        const inked = withoutEnd(word);
        const length = this.#extent(inked);
        if (line.length > 0 && used + length > room) end(paragraph.isSet ? '\n' : ' ');
        if (length <= room) {
          line.push(...word);
          used += length + this.#extent(word.slice(inked.length));
          continue;
        }
        // pdfmake could break such a word too, but measures the rest of it again for every line.
        for (const cluster of clustersOf(word)) {
          const advance = this.#extent(cluster);
          if (line.length > 0 && used + advance > room) end('\n');
          line.push(...cluster);
          used += advance;
        }
      }
      end('\n');
      return lines;
    });
  }

  /** Shortens a line so that an ellipsis fits at its end. */
  #cut(line: Line, { width, size }: Measure): Line {
    const font = line.signs.at(-1)?.font ?? GENERAL[0];
    const level = line.isRightToLeft ? 1 : 0;
    const ellipsis: Sign = { character: '…', font: this.#has(font, '…') ? font : GENERAL[0], level };
    const clusters = clustersOf(line.signs);
    const kept = (): Sign[] => [...withoutEnd(clusters.flat()), ellipsis];
    while (clusters.length > 0 && this.#extent(kept()) * size > width * FILLABLE) clusters.pop();
    return { ...line, signs: kept() };
  }

  #compose(lines: readonly Line[]): Inline {
    const runs: Run[] = [];
    const add = (text: string, font: Family): void => {
      const last = runs.at(-1);
      if (last?.font === font && !last.noWrap) last.text += text;
      else runs.push({ text, font });
    };
    for (const [index, line] of lines.entries()) {
      if (line.isSet) runs.push(...this.#set(line));
      else for (const { character, font } of line.signs) add(character, font);
      const isLast = index === lines.length - 1;
      if (!isLast) add(line.glue, line.glue === '\n' ? STRUT : (runs.at(-1)?.font ?? STRUT));
      else if (line.isSet) add('', STRUT);
    }
    const [first] = runs;
    if (runs.length <= 1 && (!first || first.font === STRUT)) return first?.text ?? '';
    return first?.noWrap || first?.font === STRUT ? runs : [{ text: '', font: STRUT }, ...runs];
  }

  /** The runs of a line in the order from left to right. */
  #set({ signs, isRightToLeft }: Line): Run[] {
    const stretches = stretchesOf(signs).map((stretch) => ({
      ...stretch,
      isMarked: stretch.font !== JOINED || this.#typefaces.shape(JOINED, stacked(stretch.text)).isMarked,
    }));
    return this.#bidi.visual(stretches).map(({ text, font, isMarked }) => ({
      text,
      font,
      noWrap: true,
      ...(isRightToLeft && { alignment: 'right' }),
      ...(!isMarked && { fontFeatures: withoutMarks() }),
    }));
  }
}

/** The text of neighbouring signs that the font shapes together. */
interface Stretch {
  text: string;
  font: Family;
  level: number;
}

const textOf = (signs: readonly Sign[]): string => signs.map(({ character }) => character).join('');

/** PDFKit puts the words of a run from left to right, so each right-to-left word is a run of its own. */
const stretchesOf = (signs: readonly Sign[]): Stretch[] => {
  const stretches: Stretch[] = [];
  let wasSpace = false;
  for (const { character, font, level } of signs) {
    const isSpace = level % 2 === 1 && character === ' ';
    const last = stretches.at(-1);
    if (last && last.font === font && last.level === level && isSpace === wasSpace) last.text += character;
    else stretches.push({ text: character, font, level });
    wasSpace = isSpace;
  }
  return stretches;
};

/** Without the spaces at the end. */
const withoutEnd = (signs: Sign[]): Sign[] =>
  signs.slice(0, signs.findLastIndex(({ character }) => character !== ' ') + 1);

/** The words of a paragraph, each with the spaces after it; a line can break between any two. */
const wordsOf = ({ signs, isSet }: Paragraph): Sign[][] => {
  const characters = signs.map(({ character }) => character);
  const starts = isSet
    ? lineStarts(characters)
    : characters.map((character, index) => character !== ' ' && characters[index - 1] === ' ');
  const words: Sign[][] = [];
  for (const [index, sign] of signs.entries()) {
    if (starts[index] || words.length === 0) words.push([sign]);
    else words.at(-1)!.push(sign);
  }
  return words;
};

/** The grapheme clusters of a text; one that is too long is divided. */
const clustersOf = (signs: readonly Sign[]): Sign[][] => {
  let place = 0;
  return Array.from(new Intl.Segmenter().segment(textOf(signs))).flatMap(({ segment }) => {
    const cluster = signs.slice(place, (place += Array.from(segment).length));
    return Array.from({ length: Math.ceil(cluster.length / MAX_CLUSTER_CHARACTERS) }, (_, part) =>
      cluster.slice(part * MAX_CLUSTER_CHARACTERS, (part + 1) * MAX_CLUSTER_CHARACTERS),
    );
  });
};

const codePointName = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
