import bidi from 'bidi-js';

/** The package's types describe an ES module, but its CommonJS export is the factory itself. */
const bidiFactory = bidi as unknown as typeof bidi.default;

/** Whether fontkit draws a run from right to left: it does so for the whole run if one letter is Arabic or Hebrew. */
export const isRightToLeft = (run: string): boolean => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(run);

/**
 * Fonts expect the mark nearest to the letter first: shadda before a vowel sign, nikhahit before a tone mark. Unicode
 * normalization orders them differently. A pattern, and its replacement.
 */
const STACKED: [RegExp, string][] = [
  [/([\u064b-\u0650\u0652-\u0656\u0670])\u0651/g, '\u0651$1'],
  [/([\u0e48-\u0e4b]?)\u0e33/g, '\u0e4d$1\u0e32'],
];

/** Text of one embedding level (UAX #9): an odd level runs from right to left, an even one from left to right. */
export interface Leveled {
  text: string;
  level: number;
}

/** Puts marks in the order that fonts expect. */
export const stacked = (text: string): string =>
  STACKED.reduce((marked, [marks, order]) => marked.replace(marks, order), text);

/** The parts of the Unicode Bidirectional Algorithm (UAX #9) that a left-to-right layout needs. */
export class Bidi {
  readonly #algorithm = bidiFactory();

  /** The embedding level of each UTF-16 unit of a paragraph, and the level of the paragraph itself. */
  levels(paragraph: string): { levels: Uint8Array; base: number } {
    const { levels, paragraphs } = this.#algorithm.getEmbeddingLevels(paragraph);
    return { levels, base: paragraphs[0]?.level ?? 0 };
  }

  /**
   * The parts of a line in the order from left to right (rule L2). The characters of each part are mirrored (L4) and
   * ordered so that fontkit draws them correctly.
   */
  visual<Part extends Leveled>(line: readonly Part[]): Part[] {
    const parts = [...line];
    for (let level = Math.max(0, ...parts.map((part) => part.level)); level > 0; level -= 1) {
      for (let start = 0, end = 0; start < parts.length; start = end + 1) {
        for (end = start; (parts[end]?.level ?? -1) >= level;) end += 1;
        parts.splice(start, end - start, ...parts.slice(start, end).toReversed());
      }
    }
    return parts.map((part) => ({ ...part, text: this.#drawn(part) }));
  }

  #drawn({ text, level }: Leveled): string {
    const isReversed = level % 2 === 1;
    const characters = Array.from(
      stacked(text),
      (character) => (isReversed && this.#algorithm.getMirroredCharacter(character)) || character,
    );
    return (isRightToLeft(text) === isReversed ? characters : characters.toReversed()).join('');
  }
}
