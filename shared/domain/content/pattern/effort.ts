import { MAX_MATCHED_LENGTH } from '../limits.ts';
import type { PatternPart } from './parse.ts';

/** Where in a text a step can be tried: its first and its last position. */
interface Range {
  from: number;
  to: number;
}

/** A character class is tested by an expression of its own, which takes as long as this many visits. */
const VISITS_PER_TEST = 5;

const ANYWHERE: Range = { from: 0, to: MAX_MATCHED_LENGTH };

const widthOf = ({ from, to }: Range): number => to - from + 1;

const union = (ranges: Range[]): Range => ({
  from: Math.min(...ranges.map(({ from }) => from)),
  to: Math.max(...ranges.map(({ to }) => to)),
});

/** The number of steps that a part needs, without the time and memory for building them. */
export const sizeOf = (part: PatternPart): number => {
  if (part.kind === 'sequence' || part.kind === 'alternatives') {
    const branches = part.kind === 'alternatives' ? part.parts.length - 1 : 0;
    return part.parts.reduce((sum, inner) => sum + sizeOf(inner), branches);
  }
  if (part.kind === 'look') return sizeOf(part.of) + 1;
  if (part.kind !== 'repeat') return 1;
  const size = sizeOf(part.of);
  const optional = part.most === Infinity ? 1 : part.most - part.least;
  return part.least * size + optional * (size + 1);
};

/** Adds up the effort of the parts of a pattern, from the positions at which each of them can be tried. */
class Effort {
  #visits = 0;
  /** By form, the number of positions at which it can be tested. It is tested once at each. */
  readonly #tests = new Map<string, number>();

  total(): number {
    const tests = [...this.#tests.values()].map((count) => Math.min(count, MAX_MATCHED_LENGTH + 1));
    return this.#visits + VISITS_PER_TEST * tests.reduce((sum, count) => sum + count, 0);
  }

  #visit(range: Range): void {
    this.#visits += widthOf(range);
  }

  #test(source: string, range: Range): void {
    this.#visit(range);
    this.#tests.set(source, (this.#tests.get(source) ?? 0) + widthOf(range));
  }

  #addRepeated({ of, least, most }: PatternPart & { kind: 'repeat' }, range: Range): Range {
    // Parts without steps need nothing, however often they are repeated.
    if (sizeOf(of) === 0) return range;
    let at = range;
    for (let i = 0; i < least; i += 1) at = this.add(of, at);
    if (most === Infinity) {
      const all = { from: at.from, to: MAX_MATCHED_LENGTH };
      this.#visit(all);
      this.add(of, all);
      return all;
    }
    for (let i = least; i < most; i += 1) {
      this.#visit(at);
      at = union([at, this.add(of, at)]);
    }
    return at;
  }

  /** Adds the effort of a part that is tried in a range. @returns where the part after it can be tried */
  add(part: PatternPart, range: Range): Range {
    switch (part.kind) {
      case 'character': {
        this.#test(part.source, range);
        const behind = (position: number) => Math.min(position + 1, MAX_MATCHED_LENGTH);
        return { from: behind(range.from), to: behind(range.to) };
      }
      case 'position':
        this.#test(part.source, range);
        return range;
      case 'sequence':
        return part.parts.reduce((at, inner) => this.add(inner, at), range);
      case 'alternatives':
        for (let i = 1; i < part.parts.length; i += 1) this.#visit(range);
        return union(part.parts.map((inner) => this.add(inner, range)));
      case 'repeat':
        return this.#addRepeated(part, range);
      case 'look':
        this.#visit(range);
        // The end of the lookaround is a step, too.
        this.#visit(ANYWHERE);
        this.#addLook(part.of);
        return range;
    }
  }

  /** A lookaround is tried from every position at once, and each of its steps can be reached at every one. */
  #addLook(part: PatternPart): void {
    if (part.kind === 'sequence' || part.kind === 'alternatives') {
      if (part.kind === 'alternatives') this.#visits += (part.parts.length - 1) * widthOf(ANYWHERE);
      for (const inner of part.parts) this.#addLook(inner);
    } else if (part.kind === 'repeat') {
      const copies = part.most === Infinity ? part.least + 1 : part.most;
      if (sizeOf(part.of) === 0) return;
      this.#visits += (copies - part.least) * widthOf(ANYWHERE);
      for (let i = 0; i < copies; i += 1) this.#addLook(part.of);
    } else this.add(part, ANYWHERE);
  }
}

/**
 * The maximum effort of matching a text: the visits of a step at a position, and the tests of characters, each of which
 * counts as several visits. It depends only on the pattern: the text is any of MAX_MATCHED_LENGTH characters.
 * @param whole a pattern of at most MAX_PATTERN_STEPS steps
 */
export const effortOf = (whole: PatternPart): number => {
  const effort = new Effort();
  effort.add(whole, { from: 0, to: 0 });
  return effort.total();
};
