import * as z from 'zod';
import { ExpectedVersion, resourceFields, resourceVersion } from './common.ts';

type Schema = z.ZodType | undefined;

/** What a field of a resource is in each of three places; undefined where it does not stand. */
interface Field<
  Shown extends Schema = Schema,
  Created extends Schema = Schema,
  Changed extends Schema = Schema,
> {
  /** In replies and events. */
  shown: Shown;
  /** In the POST that creates the resource. */
  created: Created;
  /** In the PATCH that changes it. */
  changed: Changed;
}

type Place = keyof Field;

/** One schema alone is a field that is the same in all places. */
type Entry = z.ZodType | Field;

/** The fields of a resource, by their names. */
type Table = Readonly<Record<string, Entry>>;

type At<Given extends Entry, Where extends Place> = Given extends Field ? Given[Where] : Given;

const at = <Given extends Entry, Where extends Place>(given: Given, place: Where): At<Given, Where> => {
  const entry: Entry = given;
  return ('shown' in entry ? entry[place] : entry) as At<Given, Where>;
};

const field = <Shown extends Schema, Created extends Schema, Changed extends Schema>(
  shown: Shown,
  created: Created,
  changed: Changed,
): Field<Shown, Created, Changed> => ({ shown, created, changed });

/** The schema of a field in the POST, where it stands there. */
type Created<Given extends Entry> = At<Given, 'created'> & z.ZodType;

/** A field that a POST may leave out: the resource then begins with this value. */
export const initially = <Given extends Entry>(value: z.output<Created<Given>>, given: Given) => {
  const created = (at(given, 'created') as z.ZodType).default(value);
  return field(at(given, 'shown'), created as z.ZodDefault<Created<Given>>, at(given, 'changed'));
};

/** The same, where it begins with null. */
export const optional = <Given extends Entry>(
  given: Given & (null extends z.output<Created<Given>> ? unknown : never),
) => initially<Given>(null as never, given);

/** A field that stays as it was given in the POST. */
export const once = <Given extends Entry>(given: Given) =>
  field(at(given, 'shown'), at(given, 'created'), undefined);

/** A field that only a PATCH gives: the service decides with which value the resource begins. */
export const later = <Given extends Entry>(given: Given) =>
  field(at(given, 'shown'), undefined, at(given, 'changed'));

/** A field that is given and not shown, such as a credential. */
export const unseen = <Given extends Entry>(given: Given) =>
  field(undefined, at(given, 'created'), at(given, 'changed'));

/** A field that is shown in another form than it is given in, such as a text that is trimmed. */
export const shownAs = <Shown extends z.ZodType, Given extends Entry>(shown: Shown, given: Given) =>
  field(shown, at(given, 'created'), at(given, 'changed'));

/** A field that a PATCH gives in another form, such as a part of an object. */
export const changedAs = <Changed extends z.ZodType, Given extends Entry>(changed: Changed, given: Given) =>
  field(at(given, 'shown'), at(given, 'created'), changed);

/** Fields that are shown and never given: the service decides them. */
export const derived = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, shown]) => [name, field(shown, undefined, undefined)]),
  ) as { [Name in keyof Shape]: Field<Shape[Name], undefined, undefined> };

type Shape<Fields extends Table, Where extends Place> = {
  [Name in keyof Fields as At<Fields[Name], Where> extends z.ZodType ? Name : never]: At<
    Fields[Name],
    Where
  > &
    z.ZodType;
};

type Optional<Fields extends Record<string, z.ZodType>> = {
  [Name in keyof Fields]: z.ZodOptional<Fields[Name]>;
};

type StrictObject<Fields extends z.core.$ZodLooseShape> = z.ZodObject<Fields, z.core.$strict>;

type Resource<Name extends string, Fields extends Table> = Record<
  Name,
  StrictObject<typeof resourceFields & Shape<Fields, 'shown'> & { version: z.ZodInt }>
> &
  Record<`New${Name}`, StrictObject<Shape<Fields, 'created'>>> &
  Record<
    `${Name}Changes`,
    StrictObject<Optional<Shape<Fields, 'changed'> & { expected_version: typeof ExpectedVersion }>>
  >;

/** The schemas in a place, in the order of the table. @param before fields that stand before another one there */
const shapeOf = (
  table: Table,
  place: Place,
  before: Readonly<Record<string, string | undefined>> = {},
): Record<string, z.ZodType> => {
  const shape: Record<string, z.ZodType> = {};
  const add = (name: string): void => {
    for (const [moved, next] of Object.entries(before)) if (next === name) add(moved);
    const schema = at(table[name]!, place);
    if (schema) shape[name] = schema;
  };
  for (const name of Object.keys(table)) if (!(name in before)) add(name);
  return shape;
};

/**
 * The three schemas of a resource, from one table of its fields: what is shown of it (`Location`), what a POST takes
 * (`NewLocation`) and what a PATCH takes (`LocationChanges`). Their fields have the order of the table.
 * @param version what the resource's `version` means, unless it increases with every change
 * @param createdBefore fields that stand before another one in the POST
 */
export const resource = <Name extends string, const Fields extends Table>(
  name: Name,
  table: Fields,
  {
    description,
    version,
    createdBefore,
  }: {
    description: string;
    version?: string;
    createdBefore?: { readonly [Moved in keyof Fields]?: keyof Fields & string };
  },
): Resource<Name, Fields> => {
  const shown = { ...resourceFields, ...shapeOf(table, 'shown'), version: resourceVersion(version) };
  const created = shapeOf(table, 'created', createdBefore);
  const changed = { ...shapeOf(table, 'changed'), expected_version: ExpectedVersion };
  return {
    [name]: z.strictObject(shown).meta({ id: name, description }),
    [`New${name}`]: z.strictObject(created).meta({ id: `New${name}` }),
    [`${name}Changes`]: z
      .strictObject(changed)
      .partial()
      .meta({ id: `${name}Changes` }),
  } as Resource<Name, Fields>;
};

/** The values with which a resource begins where its POST says nothing of them. */
export const initialValues = <Fields extends z.core.$ZodLooseShape>(schema: z.ZodObject<Fields>) =>
  Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, field.def.defaultValue]] : [],
    ),
  ) as { [Name in keyof Fields as Fields[Name] extends z.ZodDefault ? Name : never]: z.output<Fields[Name]> };
