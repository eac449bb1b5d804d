import type { Question } from '../content-index.ts';
import { MAX_LONG_TEXT_LENGTH, MAX_MATCHED_LENGTH, MAX_TEXT_LENGTH } from '../limits.ts';
import { type Check, refuse, text, type TypeRules } from './checks.ts';

const fieldText = (field: Question): Check => {
  const usual = field.type === 'long_text' ? MAX_LONG_TEXT_LENGTH : MAX_TEXT_LENGTH;
  const longest = field.max_length ?? usual;
  const { pattern } = field;
  if (pattern === null) return text(longest);
  const whole = new RegExp(`^(?:${pattern})$`, 'u');
  const check = text(Math.min(longest, MAX_MATCHED_LENGTH));
  return (input, loc) => {
    const checked = check(input, loc);
    if (Array.isArray(checked) || checked.value === '' || whole.test(checked.value as string)) return checked;
    return refuse(loc, 'string_pattern_mismatch', `String should match pattern '${pattern}'`, input, {
      pattern,
    });
  };
};

export const TEXT: TypeRules = { check: fieldText };
