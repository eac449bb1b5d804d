import { GENERAL } from '../fonts.ts';
import type { Family } from '../fonts.ts';
import { Bidi, stacked } from './bidi.ts';
import { lineStarts } from './breaks.ts';
import { eastAsian, languageOf, placeOf } from './scripts.ts';
import type { EastAsian, Place } from './scripts.ts';
import { withoutMarks } from './typefaces.ts';
import type { Typefaces } from './typefaces.ts';

/** A stretch of text in one family. */
interface Run {
  text: string;
  font: Family;
  /** On a line that is set here: pdfmake is not to break it. */
  noWrap?: true;
  alignment?: 'right';
  fontFeatures?: ReturnType<typeof withoutMarks>;
}

/** What a pdfmake text node takes: plain text, or runs where one family does not have all the glyphs. */
export type Inline = string | Run[];

/** Room for text: its width and the size of its type in points. */
export interface Measure {
  width: number;
  size: number;
}

/** A character as it is drawn. */
interface Sign {
  character: string;
  font: Family;
  /** Of its direction (UAX #9). */
  level: number;
}

interface Paragraph {
  signs: Sign[];
  /** Whether lines are broken and ordered here: pdfmake knows spaces and hyphens, and goes from left to right. */
  isSet: boolean;
  isRightToLeft: boolean;
}

interface Line extends Paragraph {
  /** What stood, or is put, between this line and the next. */
  glue: ' ' | '\n';
}

/** Lines a piece may have: a table row of one piece always fits on a page, in landscape too. */
const PIECE_LINES = 16;
/** Kerning may spread letters (TT by 4 %), which the sum of their advances does not know. */
const KERNED = 0.96;
const WARNED_GLYPHS = 40;
/** Letters of the longest word that is measured as it joins: a longer one fits on no line. */
const LONGEST_WORD = 200;
/** Characters of what a reader takes for one: 30 marks make text stream-safe (UAX #15). */
const LONGEST_CLUSTER = 32;

const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const CONTROLS = /[[\p{Cc}\p{Bidi_Control}]--\n]/gv;

const SET = new Set<Place['home']>(['Arabic', 'Hebrew', 'Thai', 'East Asian']);
const RIGHT_TO_LEFT = new Set<Family>(['Arabic', 'Hebrew']);
/** Lines stand as high in every script: that of the labels beside them is on each, with nothing to draw. */
const STRUT: Family = GENERAL[0];
/** Letters join, and are as wide as their neighbours make them. */
const JOINED: Family = 'Arabic';

/**
 * Prepares a payload's text for pdfmake: control characters and lone surrogates are harmless, every character has a
 * glyph, every script its direction and its line breaks, and nothing is taller than a page. It remembers which
 * characters had no glyph.
 */
export class Typesetter {
  readonly #typefaces: Typefaces;
  readonly #language: EastAsian;
  readonly #bidi = new Bidi();
  readonly #places = new Map<string, Place>();
  readonly missing = new Set<number>();

  /** The language is the one in which Han characters are read where a text's own letters do not say. */
  constructor(typefaces: Typefaces, language: EastAsian) {
    this.#typefaces = typefaces;
    this.#language = language;
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
    return this.#paragraphs(text)
      .map(({ signs }) => textOf(signs))
      .join('\n');
  }

  /** The width of text in points, at least. */
  width(text: string, size: number): number {
    return Math.max(...this.#paragraphs(text).map(({ signs }) => this.#extent(signs))) * size;
  }

  /** A short text whole, on as many lines as it has. */
  inline(text: string): Inline {
    return this.#compose(this.#lines(text, { width: Infinity, size: 1 }));
  }

  /** Text on at most so many lines, its end cut off by an ellipsis where it is longer. */
  clip(text: string, measure: Measure, lines = 1): Inline {
    const wrapped = this.#lines(text, measure);
    const last = wrapped[lines - 1];
    return last && wrapped.length > lines
      ? this.#compose([...wrapped.slice(0, lines - 1), this.#cut(last, measure)])
      : this.#compose(wrapped);
  }

  /** Whether text needs more lines than these. */
  overflows(text: string, measure: Measure, lines: number): boolean {
    return this.#lines(text, measure).length > lines;
  }

  /** The whole text in pieces of a few lines each, so that a page can end between any two; none for blank text. */
  pieces(text: string, measure: Measure, lines = PIECE_LINES): Inline[] {
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

  /** The East Asian families for a text, first the one that has all of its Han characters. */
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
      // What comes before the first letter goes with it.
      home = familyOf(place) ?? home ?? familyOf(places.find((later) => later.home)) ?? GENERAL[0];
      const font = this.#fontOf(character, place, signs.at(-1)?.font, home, families);
      if (font) signs.push({ character, font, level: 0 });
      else if (!place.isInkless) {
        const codePoint = character.codePointAt(0) ?? 0;
        this.missing.add(codePoint);
        for (const spelled of `[${codePointName(codePoint)}]`)
          signs.push({ character: spelled, font: GENERAL[0], level: 0 });
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

  /** Gives signs their levels. Returns whether the paragraph is one from right to left. */
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

  /** How far signs move the pen, in ems. */
  #extent(signs: readonly Sign[]): number {
    return stretchesOf(signs).reduce(
      (ems, { text, font }) =>
        ems +
        (font === JOINED && text.length <= LONGEST_WORD
          ? this.#typefaces.shape(font, stacked(text)).extent
          : this.#typefaces.extent(font, text)),
      0,
    );
  }

  #lines(text: string, { width, size }: Measure): Line[] {
    const room = (width * KERNED) / size;
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
        // The layout could cut such a word too, but measures what is left of it again for every line.
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

  /** As much of a line as leaves room for an ellipsis. */
  #cut(line: Line, { width, size }: Measure): Line {
    const font = line.signs.at(-1)?.font ?? GENERAL[0];
    const level = line.isRightToLeft ? 1 : 0;
    const ellipsis: Sign = { character: '…', font: this.#has(font, '…') ? font : GENERAL[0], level };
    const clusters = clustersOf(line.signs);
    const kept = (): Sign[] => [...withoutEnd(clusters.flat()), ellipsis];
    while (clusters.length > 0 && this.#extent(kept()) * size > width * KERNED) clusters.pop();
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

  /** The runs of a line from left to right. */
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

/** Signs that are shaped together. */
interface Stretch {
  text: string;
  font: Family;
  level: number;
}

const textOf = (signs: readonly Sign[]): string => signs.map(({ character }) => character).join('');

/** PDFKit lays the words of a run from left to right, so those from right to left are runs of their own. */
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

const withoutEnd = (signs: Sign[]): Sign[] =>
  signs.slice(0, signs.findLastIndex(({ character }) => character !== ' ') + 1);

/** What a line breaks between, each with the spaces behind it. */
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

/** What a reader takes for single characters, but none without end. */
const clustersOf = (signs: readonly Sign[]): Sign[][] => {
  let place = 0;
  return Array.from(new Intl.Segmenter().segment(textOf(signs))).flatMap(({ segment }) => {
    const cluster = signs.slice(place, (place += Array.from(segment).length));
    return Array.from({ length: Math.ceil(cluster.length / LONGEST_CLUSTER) }, (_, part) =>
      cluster.slice(part * LONGEST_CLUSTER, (part + 1) * LONGEST_CLUSTER),
    );
  });
};

const codePointName = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
