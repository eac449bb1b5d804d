import { MAX_MATCHED_LENGTH } from '../limits.ts';

/** The ways to try a pattern with three `*` on one text; each way takes some nanoseconds. */
const MAX_WAYS = (MAX_MATCHED_LENGTH + 1) ** 3;

/** A pattern that is being read, for a text of `length` characters. */
interface Reader {
  pattern: string;
  length: number;
  at: number;
}

/** Matches the pattern at the current position and moves behind the match. @param form a sticky expression */
const take = (reader: Reader, form: RegExp) => {
  form.lastIndex = reader.at;
  const found = form.exec(reader.pattern);
  reader.at += found?.[0].length ?? 0;
  return found;
};

/** Reads a quantifier. @returns the fewest and the most repetitions; one of each without a quantifier */
const readQuantifier = (reader: Reader): [least: number, most: number] => {
  const [written, symbol, least, comma, most] = take(reader, /(?:([*+?])|\{(\d+)(,)?(\d+)?\})\??/y) ?? [];
  if (written === undefined) return [1, 1];
  if (symbol) return [Number(symbol === '+'), symbol === '?' ? 1 : reader.length];
  return [Number(least), most ? Number(most) : comma ? reader.length : Number(least)];
};

/** The ways to repeat something that can match in so many ways itself. */
const waysToRepeat = (ways: number, [least, most]: [number, number], length: number): number => {
  const counts = Math.min(most, length) - Math.min(least, length);
  return ways <= 1 ? counts + 1 : ways ** Math.min(most, length) * (counts > 0 ? 2 : 1);
};

/** Reads alternatives up to the end of their group. @returns the ways to match them */
const readAlternatives = (reader: Reader): number => {
  let sum = 0;
  let ways = 1;
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== ')') {
    const [atom] = take(
      reader,
      /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|[^]/suy,
    )!;
    if (atom === '|') {
      sum += ways;
      ways = 1;
      continue;
    }
    let inner = 1;
    if (atom.startsWith('(')) {
      inner = readAlternatives(reader);
      reader.at += 1;
    }
    ways *= waysToRepeat(inner, readQuantifier(reader), reader.length);
  }
  return sum + ways;
};

/**
 * An upper bound of the ways in which a backtracking matcher can divide a text by a pattern: alternatives add up, a
 * sequence multiplies, and a quantifier adds up its possible counts. Nested quantifiers grow exponentially, up to
 * Infinity. Takes time linear in the length of the pattern.
 * @param pattern a pattern that compiles with flag u
 * @param length of the text, in characters
 */
export const waysToMatch = (pattern: string, length: number): number =>
  readAlternatives({ pattern, length, at: 0 });

/** Why no text may be matched against a pattern, as a draft can have one; undefined when it is fine. */
export const patternFault = (pattern: string): string | undefined => {
  try {
    RegExp(pattern, 'u');
  } catch (error) {
    return (error as Error).message;
  }
  return waysToMatch(pattern, MAX_MATCHED_LENGTH) > MAX_WAYS
    ? 'the pattern could take too long to match: use at most three unbounded quantifiers, and none on a group that can match in several ways'
    : undefined;
};
