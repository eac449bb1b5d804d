import pdfmake from 'pdfmake';
import type { TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { FAMILIES, fontFaces, STYLES } from '../fonts.ts';
import type { Family } from '../fonts.ts';

/** What fontkit, which pdfmake draws with, tells about a face. */
interface Face {
  unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  glyphForCodePoint(codePoint: number): { advanceWidth: number };
}

/** What pdfmake adds to the PDFKit document it hands out. */
interface FontProvider {
  provideFont(family: string, bold: boolean, italics: boolean): { font: Face };
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

/** The glyphs of the report's families, as pdfmake itself would draw them. */
export class Typefaces {
  readonly #faces: { family: Family; styles: Face[] }[];
  readonly #families = new Map<number, Family | null>();
  readonly #advances = new Map<number, number>();

  private constructor(faces: { family: Family; styles: Face[] }[]) {
    this.#faces = faces;
  }

  static async open(): Promise<Typefaces> {
    const blank: TDocumentDefinitions = { content: [], defaultStyle: { font: FAMILIES[0] } };
    const document = (await printer().createPdf(blank).getStream()) as unknown as FontProvider;
    return new Typefaces(
      FAMILIES.map((family) => ({
        family,
        styles: STYLES.map(
          (style) => document.provideFont(family, style === 'bold', style === 'italics').font,
        ),
      })),
    );
  }

  /** The first family that has a glyph for the character in each of its styles, or null. */
  familyOf(codePoint: number): Family | null {
    let family = this.#families.get(codePoint);
    if (family === undefined) {
      family =
        this.#faces.find(({ styles }) => styles.every((face) => face.hasGlyphForCodePoint(codePoint)))
          ?.family ?? null;
      this.#families.set(codePoint, family);
    }
    return family;
  }

  /** How far the character moves the pen, in ems: the widest of its family's styles, 0 without a glyph. */
  advance(codePoint: number): number {
    let advance = this.#advances.get(codePoint);
    if (advance === undefined) {
      const family = this.familyOf(codePoint);
      const styles = this.#faces.find((faces) => faces.family === family)?.styles ?? [];
      advance = Math.max(
        0,
        ...styles.map((face) => face.glyphForCodePoint(codePoint).advanceWidth / face.unitsPerEm),
      );
      this.#advances.set(codePoint, advance);
    }
    return advance;
  }
}
