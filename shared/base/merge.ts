type PlainObject = Record<string, unknown>;

const isPlainObject = (value: unknown): value is PlainObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Applies a PATCH: fields that are present are written, objects are merged, arrays are replaced, null clears a field,
 * and fields that are left out stay as they are.
 */
export const merge = <Resource>(current: Resource, changes: object): Resource => {
  const merged = { ...current } as PlainObject;
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const existing = merged[name];
    merged[name] = isPlainObject(existing) && isPlainObject(value) ? merge(existing, value) : value;
  }
  return merged as Resource;
};
