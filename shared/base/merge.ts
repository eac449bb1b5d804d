type PlainObject = Record<string, unknown>;

const isPlainObject = (value: unknown): value is PlainObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * A PATCH: what is present is written, objects merge, arrays are replaced, null clears, and what is left out
 * stays.
 */
export const merge = <Resource>(current: Resource, changes: object): Resource => {
  const merged = { ...current } as PlainObject;
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const standing = merged[name];
    merged[name] = isPlainObject(standing) && isPlainObject(value) ? merge(standing, value) : value;
  }
  return merged as Resource;
};
