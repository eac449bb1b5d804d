/** One rule of Lambda's event filtering. A field's list of rules is met when any one of them is. */
type Rule = string | { exists: boolean } | { prefix: string } | { suffix: string };

/** A pattern of Lambda's event filtering, in the part of that language which is supported here. */
export type Pattern = { readonly [name: string]: Pattern | readonly Rule[] };

const meets = (value: unknown, rule: Rule): boolean => {
  if (typeof rule === 'string') return value === rule;
  if ('exists' in rule) return (value !== undefined) === rule.exists;
  if (typeof value !== 'string') return false;
  return 'prefix' in rule ? value.startsWith(rule.prefix) : value.endsWith(rule.suffix);
};

/**
 * Whether a record matches every field of a pattern (AWS Lambda, "Control which events Lambda sends to your
 * function").
 */
export const matches = (record: unknown, pattern: Pattern): boolean =>
  Object.entries(pattern).every(([name, expected]) => {
    const value = (record as Record<string, unknown> | undefined)?.[name];
    return Array.isArray(expected)
      ? expected.some((rule: Rule) => meets(value, rule))
      : matches(value, expected as Pattern);
  });
