import type { Question } from '../content-index.ts';
import { MAX_LONG_TEXT_LENGTH, MAX_MATCHED_LENGTH, MAX_TEXT_LENGTH } from '../limits.ts';
import { patternTest } from '../pattern/match.ts';
import { PatternError } from '../pattern/parse.ts';
import { type Check, refuse, text, type TypeRules } from './checks.ts';

/** Like `patternTest`. A draft can have any pattern, and so can versions that were published under other limits. */
const testOrFault = (pattern: string): ReturnType<typeof patternTest> | PatternError => {
  try {
    return patternTest(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
};

const patterned = (pattern: string, longest: number): Check => {
  const check = text(Math.min(longest, MAX_MATCHED_LENGTH));
  const test = testOrFault(pattern);
  return (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked) || checked.value === '') return checked;
    if (test instanceof PatternError)
      return refuse(
        loc,
        'value_error',
        `Value error, the pattern of the field cannot be used: ${test.message}`,
      );
    if (test(checked.value as string)) return checked;
    const msg = `String should match pattern '${pattern}'`;
    return refuse(loc, 'string_pattern_mismatch', msg, input, { pattern });
  };
};

const limited = ({ type, max_length, pattern }: Question): Check => {
  const longest = max_length ?? (type === 'long_text' ? MAX_LONG_TEXT_LENGTH : MAX_TEXT_LENGTH);
  return pattern === null ? text(longest) : patterned(pattern, longest);
};

/** The checks of fields with a pattern, so that many answers to a field in a repeat section compile it once. */
const checks = new WeakMap<Question, Check>();

const fieldText = (field: Question): Check => {
  if (field.pattern === null) return limited(field);
  const check = checks.get(field) ?? limited(field);
  checks.set(field, check);
  return check;
};

export const TEXT: TypeRules = { check: fieldText };
