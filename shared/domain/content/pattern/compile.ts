import { MAX_PATTERN_EFFORT, MAX_PATTERN_STEPS } from '../limits.ts';
import { effortOf, sizeOf } from './effort.ts';
import { type PatternPart, PatternError, parsePattern } from './parse.ts';

export const END = 0;
export const FORWARDS = 1;
export const BACKWARDS = 2;
export const POSITION = 3;
export const BRANCH = 4;
export const LOOK = 5;
export const NEGATIVE_LOOK = 6;

/**
 * The steps of a pattern, as columns of numbers, because matching reads them very often. A step is identified by its
 * index. Step 0 is the end of the pattern, and of the pattern in each lookaround.
 */
export interface Program {
  kinds: Uint8Array;
  next: Int32Array;
  /**
   * For FORWARDS, BACKWARDS and POSITION the form to match, as an index in `forms`, or `~` of the one code point that
   * matches. For BRANCH another next step. For lookarounds their first step.
   */
  operands: Int32Array;
  /** Sticky expressions for one character or one position. */
  forms: RegExp[];
  start: number;
}

const isLiteral = (source: string): boolean => /^[^.\\[]$/u.test(source);

/** Collects the steps of a program. Parts are added from their end to their beginning. */
class Builder {
  readonly #steps: [kind: number, next: number, operand: number][] = [[END, 0, 0]];
  readonly #forms = new Map<string, number>();

  #add(kind: number, next: number, operand: number): number {
    return this.#steps.push([kind, next, operand]) - 1;
  }

  #formOf(source: string): number {
    const form = this.#forms.get(source) ?? this.#forms.size;
    this.#forms.set(source, form);
    return form;
  }

  /** A literal character is compared directly, which takes much less time than an expression. */
  #characterOf(source: string): number {
    return isLiteral(source) ? ~source.codePointAt(0)! : this.#formOf(source);
  }

  #addRepeated(
    { of, least, most }: PatternPart & { kind: 'repeat' },
    next: number,
    direction: typeof FORWARDS | typeof BACKWARDS,
  ): number {
    let first = next;
    if (most === Infinity) {
      first = this.#add(BRANCH, next, next);
      this.#steps[first]![2] = this.add(of, first, direction);
    } else
      for (let i = least; i < most; i += 1) first = this.#add(BRANCH, next, this.add(of, first, direction));
    for (let i = 0; i < least; i += 1) {
      const earlier = this.add(of, first, direction);
      // The part has no steps, so repeating it adds none. Nested repetitions of it would take very long.
      if (earlier === first) break;
      first = earlier;
    }
    return first;
  }

  /** Adds the steps of a part. @returns the first of them; after the last comes `next` */
  add(part: PatternPart, next: number, direction: typeof FORWARDS | typeof BACKWARDS): number {
    switch (part.kind) {
      case 'character':
        return this.#add(direction, next, this.#characterOf(part.source));
      case 'position':
        return this.#add(POSITION, next, this.#formOf(part.source));
      case 'sequence': {
        const fromEnd = direction === FORWARDS ? part.parts.toReversed() : part.parts;
        return fromEnd.reduce((first, inner) => this.add(inner, first, direction), next);
      }
      case 'alternatives':
        return part.parts
          .map((inner) => this.add(inner, next, direction))
          .reduce((first, other) => this.#add(BRANCH, first, other));
      case 'repeat':
        return this.#addRepeated(part, next, direction);
      case 'look': {
        // A lookahead is matched backwards from all positions, and a lookbehind forwards.
        const first = this.add(part.of, END, part.isBehind ? FORWARDS : BACKWARDS);
        return this.#add(part.isNegative ? NEGATIVE_LOOK : LOOK, next, first);
      }
    }
  }

  program(start: number): Program {
    return {
      kinds: Uint8Array.from(this.#steps, ([kind]) => kind),
      next: Int32Array.from(this.#steps, ([, next]) => next),
      operands: Int32Array.from(this.#steps, ([, , operand]) => operand),
      forms: [...this.#forms.keys()].map((source) => RegExp(source, 'uy')),
      start,
    };
  }
}

/** Reads a pattern and its size. @throws PatternError for a pattern that cannot be matched */
const readPattern = (pattern: string): { whole: PatternPart; size: number } => {
  const whole = parsePattern(pattern);
  const size = sizeOf(whole);
  if (size > MAX_PATTERN_STEPS)
    throw new PatternError(
      `the pattern is too large: with its repetitions written out, it may have at most ${MAX_PATTERN_STEPS} characters and groups`,
    );
  if (effortOf(whole) > MAX_PATTERN_EFFORT)
    throw new PatternError(
      'the pattern can take too long to match; use fewer repetitions without a limit, lookarounds or alternatives',
    );
  return { whole, size };
};

/** Why no text can be matched against a pattern, which a draft can have; undefined when the pattern is fine. */
export const patternFault = (pattern: string): string | undefined => {
  try {
    readPattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
};

/** The steps that a pattern needs; 0 for one that cannot be matched, because it is never tried. */
export const patternSize = (pattern: string): number => {
  try {
    return readPattern(pattern).size;
  } catch (error) {
    if (error instanceof PatternError) return 0;
    throw error;
  }
};

/**
 * Compiles a pattern into steps of a nondeterministic automaton (K. Thompson, "Regular expression search algorithm",
 * 1968). Lookarounds are programs of their own that are run the other way round, from every position at once, so
 * that the time of matching stays linear in the length of the text.
 * @throws PatternError for a pattern that is not valid, has back-references or needs too many steps
 */
export const compilePattern = (pattern: string): Program => {
  const { whole } = readPattern(pattern);
  const builder = new Builder();
  return builder.program(builder.add(whole, END, FORWARDS));
};
