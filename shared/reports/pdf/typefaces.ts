import pdfmake from 'pdfmake';
import type { ContentText, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { FAMILIES, fontFaces, GENERAL, STYLES } from '../fonts.ts';
import type { Family } from '../fonts.ts';
import { encode } from './meaning.ts';
import type { EmbeddedFont } from './meaning.ts';

/** The parts of a fontkit font that are used here. */
interface Face {
  unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  glyphForCodePoint(codePoint: number): { advanceWidth: number };
  layout(text: string, features?: Features): { advanceWidth: number };
}

type Features = NonNullable<ContentText['fontFeatures']>;

/**
 * The font features that switch off the font's own positions of marks. pdfmake's types allow only a list of features to
 * switch on. Each call returns a new object, because fontkit changes it.
 */
export const withoutMarks = (): Features => ({ mark: false, mkmk: false }) as unknown as Features;

/** A method that pdfmake adds to the PDFKit document. */
interface FontProvider {
  provideFont(family: string, bold: boolean, italics: boolean): EmbeddedFont & { font: Face };
}

/** The width of a word in ems, and whether its font has positions for the marks in it. */
export interface Shape {
  extent: number;
  isMarked: boolean;
}

/**
 * pdfmake with access to its font files and nothing else: no URL and no other path in a document is ever opened
 * (CVE-2026-26801).
 */
export const printer = (): typeof pdfmake => {
  const faces = fontFaces();
  const files = new Set(FAMILIES.flatMap((family) => STYLES.map((style) => faces[family][style])));
  pdfmake.setFonts(faces);
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => files.has(path));
  return pdfmake;
};

/**
 * The least width that a character counts for, in ems, although a mark adds none. Otherwise thousands of marks would
 * fit on one line, and the font would take too long to position them.
 */
const MIN_ADVANCE = 0.05;

/** The fonts of a report as pdfmake draws them. A font file is opened when it is first needed. */
export class Typefaces {
  readonly #provider: FontProvider;
  readonly #faces = new Map<Family, Face[]>();
  readonly #advances = new Map<Family, Map<number, number>>();
  readonly #shapes = new Map<string, Shape>();

  private constructor(provider: FontProvider) {
    this.#provider = provider;
  }

  static async open(): Promise<Typefaces> {
    const blank: TDocumentDefinitions = { content: [], defaultStyle: { font: GENERAL[0] } };
    const provider = (await printer().createPdf(blank).getStream()) as unknown as FontProvider;
    const font: EmbeddedFont = provider.provideFont(GENERAL[0], false, false);
    (Object.getPrototypeOf(font) as EmbeddedFont).encode = encode;
    return new Typefaces(provider);
  }

  /** Whether every style of a family has a glyph for the character. */
  has(family: Family, codePoint: number): boolean {
    return this.#advance(family, codePoint) >= 0;
  }

  /** The width of a text in ems; each character counts as wide as in the family's widest style. */
  extent(family: Family, text: string): number {
    let ems = 0;
    for (const character of text)
      ems += Math.max(MIN_ADVANCE, this.#advance(family, character.codePointAt(0) ?? 0));
    return ems;
  }

  /** The width of a character in ems; -1 where a style of the family lacks it. */
  #advance(family: Family, codePoint: number): number {
    let advances = this.#advances.get(family);
    if (!advances) this.#advances.set(family, (advances = new Map<number, number>()));
    let advance = advances.get(codePoint);
    if (advance === undefined) {
      const faces = this.#facesOf(family);
      advance = faces.every((face) => face.hasGlyphForCodePoint(codePoint))
        ? Math.max(...faces.map((face) => face.glyphForCodePoint(codePoint).advanceWidth / face.unitsPerEm))
        : -1;
      advances.set(codePoint, advance);
    }
    return advance;
  }

  /** Measures a word as a whole, because letters that join have other widths than single letters. */
  shape(family: Family, word: string): Shape {
    const key = `${family} ${word}`;
    let shape = this.#shapes.get(key);
    if (!shape) this.#shapes.set(key, (shape = this.#shaped(family, word)));
    return shape;
  }

  #shaped(family: Family, word: string): Shape {
    const extent = (features?: () => Features): number =>
      Math.max(
        word.length * MIN_ADVANCE,
        ...this.#facesOf(family).map(
          (face) => face.layout(word, features?.()).advanceWidth / face.unitsPerEm,
        ),
      );
    try {
      return { extent: extent(), isMarked: true };
    } catch {
      // fontkit throws where the font has no position for a mark on a letter. Without the feature it places the mark itself.
      return { extent: extent(withoutMarks), isMarked: false };
    }
  }

  #facesOf(family: Family): Face[] {
    let faces = this.#faces.get(family);
    if (!faces) {
      const provided = STYLES.map(
        (style) => this.#provider.provideFont(family, style === 'bold', style === 'italics').font,
      );
      this.#faces.set(family, (faces = [...new Set(provided)]));
    }
    return faces;
  }
}
