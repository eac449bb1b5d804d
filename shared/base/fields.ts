/** Some fields of a resource. A field that the resource does not have is left out. */
export const pick = <Resource extends object, Name extends keyof Resource>(
  resource: Resource,
  names: readonly Name[],
): Pick<Resource, Name> =>
  Object.fromEntries(names.filter((name) => name in resource).map((name) => [name, resource[name]])) as Pick<
    Resource,
    Name
  >;

/**
 * What a record has by a name that somebody chose; undefined without it, also for `constructor` and whatever else every
 * object inherits.
 */
export const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The names of the fields that have this value in a table. */
export type NamesWith<Table, Value> = {
  [Name in keyof Table]: Table[Name] extends Value ? Name : never;
}[keyof Table];

/** The names of these fields, in the order of the table. */
export const namesWith = <Table extends object, const Value extends Table[keyof Table]>(
  table: Table,
  value: Value,
): NamesWith<Table, Value>[] =>
  (Object.keys(table) as (keyof Table)[]).filter(
    (name): name is NamesWith<Table, Value> => table[name] === value,
  );

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
