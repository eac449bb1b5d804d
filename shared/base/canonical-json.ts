/**
 * A JSON value as canonical JSON, which is the same text for all equal values: without white space, and with members
 * sorted by the UTF-16 code units of their names (RFC 8785, JSON Canonicalization Scheme).
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .flatMap((name) => {
      const inner: unknown = Reflect.get(value, name);
      return inner === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(inner)}`];
    });
  return `{${members.join(',')}}`;
};
