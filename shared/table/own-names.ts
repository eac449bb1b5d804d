const isMap = (value: object): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]';

const hasNamed = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasNamed);
  return isMap(value) && (Object.hasOwn(value, 'constructor') || Object.values(value).some(hasNamed));
};

const asMaps = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asMaps);
  if (!hasNamed(value)) return value;
  const members = Object.entries(value as object).map(([name, member]): [string, unknown] => [
    name,
    asMaps(member),
  ]);
  return Object.hasOwn(value as object, 'constructor') ? new Map(members) : Object.fromEntries(members);
};

/**
 * A value whose objects may have a member `constructor`, which a client has named, in the form in which the SDK stores
 * it: the SDK takes an object for what its `constructor` says, unless it is a `Map`.
 * @returns the value itself, unless there is such a member
 */
export const withOwnNames = <Value>(value: Value): Value =>
  hasNamed(value) ? (asMaps(value) as Value) : value;
