/** These fields of a resource, as far as it has them. */
export const pick = <Resource extends object, Name extends keyof Resource>(
  resource: Resource,
  names: readonly Name[],
): Pick<Resource, Name> =>
  Object.fromEntries(names.filter((name) => name in resource).map((name) => [name, resource[name]])) as Pick<
    Resource,
    Name
  >;

/** The fields of which a table says the value. */
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
