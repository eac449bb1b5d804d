import bidi from 'bidi-js';

/** The package is typed as an ES module, but what CommonJS hands out is the factory itself. */
const bidiFactory = bidi as unknown as typeof bidi.default;

/** Whether fontkit lays a run from right to left: all of it, for a letter that is written so. */
export const isRightToLeft = (run: string): boolean => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(run);

/** Marks stack outwards from the letter: shadda below a vowel, nikhahit below a tone. Unicode orders them otherwise. */
const STACKED: [RegExp, string][] = [
  [/([\u064b-\u0650\u0652-\u0656\u0670])\u0651/g, '\u0651$1'],
  [/([\u0e48-\u0e4b]?)\u0e33/g, '\u0e4d$1\u0e32'],
];

/** Text of one level: odd from right to left, even from left to right (UAX #9). */
export interface Leveled {
  text: string;
  level: number;
}

/** Marks in the order in which a font expects them. */
export const stacked = (text: string): string =>
  STACKED.reduce((marked, [marks, order]) => marked.replace(marks, order), text);

/** The Unicode Bidirectional Algorithm (UAX #9), as far as a layout from left to right needs it. */
export class Bidi {
  readonly #algorithm = bidiFactory();

  /** The level of each UTF-16 unit of a paragraph, and that of the paragraph itself. */
  levels(paragraph: string): { levels: Uint8Array; base: number } {
    const { levels, paragraphs } = this.#algorithm.getEmbeddingLevels(paragraph);
    return { levels, base: paragraphs[0]?.level ?? 0 };
  }

  /** The parts of a line from left to right (rule L2), each such that fontkit draws it in its direction (L4). */
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
