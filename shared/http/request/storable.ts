import type { Problem } from '../../base/problem.ts';
import { isText } from '../../base/text.ts';
import type { Source } from './problems.ts';

/** Levels of nesting. No resource needs as many, and functions may recurse over a body of this depth. */
const MAX_DEPTH = 64;

/** Problems that are reported for one body. */
const MAX_PROBLEMS = 100;

/** DynamoDB has no empty attribute names, and `__proto__` would change an object's prototype. */
const FORBIDDEN_KEYS = new Set(['', '__proto__']);

/** The range of absolute values that DynamoDB stores, apart from 0 (Amazon DynamoDB, "Data types: Number"). */
const MAX_NUMBER = 1e125;
const MIN_NUMBER = 1e-130;

/** What `isText` refuses, as a problem says it. */
export const NO_TEXT = 'Value error, string contains a control character or is not valid Unicode';

/**
 * The problems of a part of a request that the table could not store, or could not return unchanged, so that no schema
 * has to check for them. The walk does not recurse, so deep nesting cannot exhaust the stack.
 */
export const unstorable = (part: unknown, source: Source = 'body'): Problem[] => {
  const problems: Problem[] = [];
  const add = (loc: string[], msg: string) => problems.push({ loc, type: 'value_error', msg });
  const pending: { value: unknown; loc: string[] }[] = [{ value: part, loc: [source] }];
  while (pending.length > 0 && problems.length < MAX_PROBLEMS) {
    const { value, loc } = pending.pop()!;
    if (typeof value === 'string' && !isText(value)) {
      add(loc, NO_TEXT);
    } else if (typeof value === 'number' && value !== 0) {
      const size = Math.abs(value);
      if (size > MAX_NUMBER || size < MIN_NUMBER) add(loc, 'Value error, number is out of range');
    } else if (value !== null && typeof value === 'object') {
      if (loc.length > MAX_DEPTH) {
        add(loc.slice(0, 8), `Value error, nested deeper than ${MAX_DEPTH} levels`);
        continue;
      }
      for (const [key, inner] of Object.entries(value)) {
        if (FORBIDDEN_KEYS.has(key) || !isText(key)) add(loc, 'Value error, a key is not allowed');
        else pending.push({ value: inner, loc: [...loc, key] });
      }
    }
  }
  return problems;
};
