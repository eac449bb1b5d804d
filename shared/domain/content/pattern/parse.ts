import { MAX_MATCHED_LENGTH } from '../limits.ts';

/** A part of a pattern. */
export type PatternPart =
  /** One character or one assertion about a position, such as `[a-z]` or `\b`, as a pattern of its own. */
  | { kind: 'character' | 'position'; source: string }
  | { kind: 'sequence' | 'alternatives'; parts: PatternPart[] }
  /** `most` is Infinity where the pattern sets no limit. */
  | { kind: 'repeat'; of: PatternPart; least: number; most: number }
  | { kind: 'look'; of: PatternPart; isBehind: boolean; isNegative: boolean };

/** A pattern that cannot be matched. The message says why. */
export class PatternError extends Error {
  override name = 'PatternError';
}

/** A pattern that is being read. */
interface PatternReader {
  pattern: string;
  at: number;
}

/** One token, longest first: a surrogate pair that is escaped is one character. */
const TOKEN =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|k<[^>]*>|[1-9]\d*|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|[^]/suy;

const QUANTIFIER = /(?:([*+?])|\{(\d+)(,)?(\d+)?\})\??/y;

const BACK_REFERENCE = /^\\(?:[1-9]|k)/;

const POSITION = /^(?:[$^]|\\b)$/i;

/** Matches at the current position and moves behind the match. @param form a sticky expression */
const take = (reader: PatternReader, form: RegExp) => {
  form.lastIndex = reader.at;
  const found = form.exec(reader.pattern);
  reader.at += found?.[0].length ?? 0;
  return found;
};

/** One more than the longest text: further repetitions could only be empty, and change nothing. */
const MAX_COUNT = MAX_MATCHED_LENGTH + 1;

/** A part with the quantifier that follows it. */
const quantified = (reader: PatternReader, of: PatternPart): PatternPart => {
  const [written, symbol, from, comma, to] = take(reader, QUANTIFIER) ?? [];
  if (written === undefined) return of;
  if (symbol)
    return { kind: 'repeat', of, least: Number(symbol === '+'), most: symbol === '?' ? 1 : Infinity };
  const least = Number(from);
  const most = to === undefined ? (comma ? Infinity : least) : Number(to);
  return {
    kind: 'repeat',
    of,
    least: Math.min(least, MAX_COUNT),
    most: most > MAX_COUNT && most > least ? Infinity : Math.min(most, MAX_COUNT),
  };
};

/** The modifiers that apply within a group such as `(?i-m:`, from those around it. */
const modified = (modifiers: string, written: string): string => {
  const [added = '', removed = ''] = written.split('-');
  return ['i', 'm', 's']
    .filter((flag) => (modifiers.includes(flag) || added.includes(flag)) && !removed.includes(flag))
    .join('');
};

/** Reads the content of a group and its closing parenthesis. */
const readGroup = (reader: PatternReader, opening: string, modifiers: string): PatternPart => {
  const look = /^\(\?(<?)([=!])$/.exec(opening);
  const flags = /^\(\?([a-z-]*):$/.exec(opening)?.[1] ?? '';
  const of = readAlternatives(reader, modified(modifiers, flags));
  reader.at += 1;
  return look ? { kind: 'look', of, isBehind: look[1] === '<', isNegative: look[2] === '!' } : of;
};

/** Reads alternatives up to the end of their group. */
const readAlternatives = (reader: PatternReader, modifiers: string): PatternPart => {
  const alternatives: PatternPart[][] = [[]];
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== ')') {
    const [token] = take(reader, TOKEN)!;
    if (token === '|') {
      alternatives.push([]);
      continue;
    }
    if (BACK_REFERENCE.test(token)) throw new PatternError('the pattern must not refer back to a group');
    const part: PatternPart = token.startsWith('(')
      ? readGroup(reader, token, modifiers)
      : {
          kind: POSITION.test(token) ? 'position' : 'character',
          source: modifiers ? `(?${modifiers}:${token})` : token,
        };
    alternatives.at(-1)!.push(quantified(reader, part));
  }
  const parts = alternatives.map((sequence): PatternPart => ({ kind: 'sequence', parts: sequence }));
  return parts.length === 1 ? parts[0]! : { kind: 'alternatives', parts };
};

/**
 * Reads an ECMAScript regular expression (flag u; ECMA-262, section 22.2.1).
 * @throws PatternError for one that is not valid, and for one with back-references
 */
export const parsePattern = (pattern: string): PatternPart => {
  try {
    RegExp(pattern, 'u');
  } catch (error) {
    throw new PatternError((error as Error).message, { cause: error });
  }
  return readAlternatives({ pattern, at: 0 }, '');
};
