import type { Problem } from '../../base/problem.ts';
import { isText } from '../../base/text.ts';
import type { Source } from './validation.ts';

/** Levels of nesting. No resource needs as many, and functions may recurse over a body of this depth. */
const MAX_DEPTH = 64;

/** Problems that are reported for one body. */
const MAX_PROBLEMS = 100;

/**
 * Values in one body, nested ones included. The largest content that can be stored has about 200,000; a schema needs
 * much more time and memory for a value than JSON does.
 */
const MAX_VALUES = 300_000;

/** DynamoDB has no empty attribute names, and `__proto__` would change an object's prototype. */
const FORBIDDEN_KEYS = new Set(['', '__proto__']);

/** The range of absolute values that DynamoDB stores, apart from 0 (Amazon DynamoDB, "Data types: Number"). */
const MAX_NUMBER = 1e125;
const MIN_NUMBER = 1e-130;

/** The message of a problem about a text that `isText` refuses. */
export const NO_TEXT = 'Value error, string contains a control character or is not valid Unicode';

/** An object or a list that is being walked through. */
interface Open {
  values: object;
  /** Of an object; undefined for a list, whose indexes would take as much memory as its values. */
  keys: readonly string[] | undefined;
  length: number;
  /** The position of the next value. */
  next: number;
}

const opened = (value: object): Open => {
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  return { values: value, keys, length: keys?.length ?? (value as unknown[]).length, next: 0 };
};

/** The key of the value that is looked at. */
const keyOf = ({ keys, next }: Open): string => keys?.[next - 1] ?? String(next - 1);

const isOutOfRange = (value: number): boolean =>
  value !== 0 && (Math.abs(value) > MAX_NUMBER || Math.abs(value) < MIN_NUMBER);

/**
 * The problems of a part of a request that the table could not store, or could not return unchanged, so that no schema
 * has to check for them. The walk does not recurse, so deep nesting cannot exhaust the stack. It remembers only the
 * objects and lists that it is in, so a long list needs no additional memory. Too many values are reported as the only
 * problem.
 */
export const unstorable = (part: unknown, source: Source = 'body'): Problem[] => {
  const problems: Problem[] = [];
  const open: Open[] = [];
  const add = (path: readonly Open[], msg: string) =>
    problems.push({ loc: [source, ...path.map(keyOf)], type: 'value_error', msg });
  const visit = (value: unknown) => {
    if (typeof value === 'string' && !isText(value)) add(open, NO_TEXT);
    else if (typeof value === 'number' && isOutOfRange(value))
      add(open, 'Value error, number is out of range');
    else if (value !== null && typeof value === 'object') {
      if (open.length >= MAX_DEPTH)
        add(open.slice(0, 7), `Value error, nested deeper than ${MAX_DEPTH} levels`);
      else open.push(opened(value));
    }
  };
  visit(part);
  for (let count = 1; open.length > 0 && problems.length < MAX_PROBLEMS;) {
    const inner = open.at(-1)!;
    if (inner.next === inner.length) {
      open.pop();
      continue;
    }
    count += 1;
    if (count > MAX_VALUES) {
      const msg = `Value error, there are more than ${MAX_VALUES.toLocaleString('en')} values`;
      return [{ loc: [source], type: 'value_error', msg }];
    }
    inner.next += 1;
    const key = keyOf(inner);
    if (inner.keys && (FORBIDDEN_KEYS.has(key) || !isText(key)))
      add(open.slice(0, -1), 'Value error, a key is not allowed');
    else visit(Reflect.get(inner.values, key));
  }
  return problems;
};
