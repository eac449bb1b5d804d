import pdfmake from 'pdfmake';
import type { ContentText, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { FAMILIES, fontFaces, GENERAL, STYLES } from '../fonts.ts';
import type { Family } from '../fonts.ts';
import { encode } from './meaning.ts';
import type { EmbeddedFont } from './meaning.ts';

/** What fontkit, which pdfmake draws with, tells about a face. */
interface Face {
  unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  glyphForCodePoint(codePoint: number): { advanceWidth: number };
  layout(text: string, features?: Features): { advanceWidth: number };
}

type Features = NonNullable<ContentText['fontFeatures']>;

/**
 * To draw without what the font says of the places of marks. pdfmake's types know only a list of features that are
 * switched on. A new object each time, for fontkit notes in it what it did.
 */
export const withoutMarks = (): Features => ({ mark: false, mkmk: false }) as unknown as Features;

/** What pdfmake adds to the PDFKit document it hands out. */
interface FontProvider {
  provideFont(family: string, bold: boolean, italics: boolean): EmbeddedFont & { font: Face };
}

/** How far a word moves the pen, in ems, and whether its font can place the marks in it. */
export interface Shape {
  extent: number;
  isMarked: boolean;
}

/**
 * pdfmake, allowed to read its font files and nothing else: no URL and no other path that a document names is ever
 * opened (CVE-2026-26801).
 */
export const printer = (): typeof pdfmake => {
  const faces = fontFaces();
  const files = new Set(FAMILIES.flatMap((family) => STYLES.map((style) => faces[family][style])));
  pdfmake.setFonts(faces);
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => files.has(path));
  return pdfmake;
};

/** What a mark takes of a line, in ems: with thousands on one, a font would not find the place of each in time. */
const HAIR = 0.05;

/** The glyphs of the report's families, as pdfmake itself would draw them. A file is opened when first asked about. */
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

  /** Whether a family has a glyph for the character in each of its styles. */
  has(family: Family, codePoint: number): boolean {
    return this.#advance(family, codePoint) >= 0;
  }

  /** How far the characters of text move the pen, in ems, the widest of the family's styles for each. */
  extent(family: Family, text: string): number {
    let ems = 0;
    for (const character of text) ems += Math.max(HAIR, this.#advance(family, character.codePointAt(0) ?? 0));
    return ems;
  }

  /** Below 0 without a glyph. */
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

  /** A word of letters that join, whose widths beside each other are others than alone. */
  shape(family: Family, word: string): Shape {
    const key = `${family} ${word}`;
    let shape = this.#shapes.get(key);
    if (!shape) this.#shapes.set(key, (shape = this.#shaped(family, word)));
    return shape;
  }

  #shaped(family: Family, word: string): Shape {
    const extent = (features?: () => Features): number =>
      Math.max(
        word.length * HAIR,
        ...this.#facesOf(family).map(
          (face) => face.layout(word, features?.()).advanceWidth / face.unitsPerEm,
        ),
      );
    try {
      return { extent: extent(), isMarked: true };
    } catch {
      // fontkit fails where a font names no place for a mark on a letter; left to itself it finds one.
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
