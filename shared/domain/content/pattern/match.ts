import {
  BACKWARDS,
  BRANCH,
  compilePattern,
  END,
  FORWARDS,
  NEGATIVE_LOOK,
  POSITION,
  type Program,
} from './compile.ts';

/** A position in a text fits into this many bits, because MAX_MATCHED_LENGTH is 200. */
const POSITION_BITS = 8;
const POSITIONS = 1 << POSITION_BITS;

/** A match of a program with one text, in time and memory linear in the text's length. */
class Match {
  readonly #program: Program;
  readonly #text: string;
  /** The characters of the text, as code points. */
  readonly #characters: number[] = [];
  /** Where each character begins, and the end of the text. */
  readonly #offsets: number[] = [];
  /** By step and position. No two lookarounds have a step in common. */
  readonly #isVisited: Uint8Array;
  /** By form and position: 1 where it matches, 2 where it does not. */
  readonly #formMatches: Uint8Array;
  /** By the first step of a lookaround: 1 at the positions at which its pattern is found. */
  readonly #found: (Uint8Array | undefined)[];

  constructor(program: Program, text: string) {
    this.#program = program;
    this.#text = text;
    let offset = 0;
    for (const character of text) {
      this.#characters.push(character.codePointAt(0)!);
      this.#offsets.push(offset);
      offset += character.length;
    }
    this.#offsets.push(offset);
    this.#isVisited = new Uint8Array(program.kinds.length << POSITION_BITS);
    this.#found = Array.from({ length: program.kinds.length });
    this.#formMatches = new Uint8Array(program.forms.length << POSITION_BITS);
  }

  #matchesForm(operand: number, position: number): boolean {
    if (operand < 0) return this.#characters[position] === ~operand;
    const at = (operand << POSITION_BITS) | position;
    if (this.#formMatches[at] === 0) {
      const expression = this.#program.forms[operand]!;
      expression.lastIndex = this.#offsets[position]!;
      this.#formMatches[at] = expression.test(this.#text) ? 1 : 2;
    }
    return this.#formMatches[at] === 1;
  }

  #isFound(first: number, position: number): boolean {
    const found = (this.#found[first] ??= this.#endsOf(first, [...this.#offsets.keys()]));
    return found[position] === 1;
  }

  /**
   * An array with 1 at the positions at which the steps from `first` on can end, when they begin at one of `starts`.
   */
  #endsOf(first: number, starts: number[]): Uint8Array {
    const { kinds, next, operands } = this.#program;
    const isVisited = this.#isVisited;
    const length = this.#characters.length;
    const ends = new Uint8Array(length + 1);
    const pending: number[] = [];
    const visit = (step: number, position: number) => {
      const at = (step << POSITION_BITS) | position;
      if (step === END) ends[position] = 1;
      else if (isVisited[at] === 0) {
        isVisited[at] = 1;
        pending.push(at);
      }
    };
    for (const position of starts) visit(first, position);
    while (pending.length > 0) {
      const at = pending.pop()!;
      const step = at >> POSITION_BITS;
      const position = at & (POSITIONS - 1);
      const kind = kinds[step]!;
      const operand = operands[step]!;
      if (kind === FORWARDS) {
        if (position < length && this.#matchesForm(operand, position)) visit(next[step]!, position + 1);
      } else if (kind === BACKWARDS) {
        if (position > 0 && this.#matchesForm(operand, position - 1)) visit(next[step]!, position - 1);
      } else if (kind === BRANCH) {
        visit(operand, position);
        visit(next[step]!, position);
      } else if (kind === POSITION) {
        if (this.#matchesForm(operand, position)) visit(next[step]!, position);
      } else if (this.#isFound(operand, position) !== (kind === NEGATIVE_LOOK)) visit(next[step]!, position);
    }
    return ends;
  }

  isWhole(): boolean {
    return this.#endsOf(this.#program.start, [0]).at(-1) === 1;
  }
}

/**
 * A pattern as a test of whole texts, with the meaning that `^(?:pattern)$` has in ECMAScript (flag u). No pattern and
 * no text makes it slow: its time is limited by the number of steps times the length of the text.
 * @returns a test for texts of at most MAX_MATCHED_LENGTH characters
 * @throws PatternError for a pattern that cannot be matched
 */
export const patternTest = (pattern: string): ((text: string) => boolean) => {
  const program = compilePattern(pattern);
  return (text) => new Match(program, text).isWhole();
};
