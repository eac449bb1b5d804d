import * as z from 'zod';
import { ExpectedVersion, resourceFields, resourceVersion } from './common.ts';

type Schema = z.ZodType | undefined;

/** The schema of a field in a reply, a POST and a PATCH; undefined if the field is not there. */
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

type Appearance = keyof Field;

/** A single schema means that the field is the same in all three places. */
type Entry = z.ZodType | Field;

/** The fields of a resource, by their names. */
type Table = Readonly<Record<string, Entry>>;

type At<Given extends Entry, Where extends Appearance> = Given extends Field ? Given[Where] : Given;

const at = <Given extends Entry, Where extends Appearance>(given: Given, place: Where): At<Given, Where> => {
  const entry: Entry = given;
  return ('shown' in entry ? entry[place] : entry) as At<Given, Where>;
};

const field = <Shown extends Schema, Created extends Schema, Changed extends Schema>(
  shown: Shown,
  created: Created,
  changed: Changed,
): Field<Shown, Created, Changed> => ({ shown, created, changed });

/** The schema of a field in a place in which the field exists. */
type Standing<Given extends Entry, Where extends Appearance> = At<Given, Where> & z.ZodType;

/** A schema with another description for one place; undefined keeps the description. */
const described = <Schema extends z.ZodType>(schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : schema.meta({ description });

/**
 * A field that a POST may leave out: the resource then begins with this value.
 * @param description for the POST, if it differs from the description elsewhere
 */
export const initially = <Given extends Entry>(
  value: z.output<Standing<Given, 'created'>>,
  given: Given,
  description?: string,
) => {
  const created = (at(given, 'created') as z.ZodType).default(value);
  return field(
    at(given, 'shown'),
    described(created as z.ZodDefault<Standing<Given, 'created'>>, description),
    at(given, 'changed'),
  );
};

/** A field that a POST may leave out: the resource then begins with null. */
export const optional = <Given extends Entry>(
  given: Given & (null extends z.output<Standing<Given, 'created'>> ? unknown : never),
  description?: string,
) => initially<Given>(null as never, given, description);

/** A field that a POST may leave out: the service then decides its first value. */
export const omittable = <Given extends Entry>(given: Given, description?: string) => {
  const created = (at(given, 'created') as z.ZodType).optional();
  return field(
    at(given, 'shown'),
    described(created as z.ZodOptional<Standing<Given, 'created'>>, description),
    at(given, 'changed'),
  );
};

/** A field that a POST sets and no PATCH can change. */
export const once = <Given extends Entry>(given: Given) =>
  field(at(given, 'shown'), at(given, 'created'), undefined);

/**
 * A field that only a PATCH can set: the service decides its first value.
 * @param description for the PATCH, if it differs from the description elsewhere
 */
export const later = <Given extends Entry>(given: Given, description?: string) =>
  field(
    at(given, 'shown'),
    undefined,
    described(at(given, 'changed') as Standing<Given, 'changed'>, description),
  );

/** A field that requests set and replies do not show, such as a credential. */
export const unseen = <Given extends Entry>(given: Given) =>
  field(undefined, at(given, 'created'), at(given, 'changed'));

/** A field whose form in replies differs from its form in requests, such as a text that is trimmed. */
export const shownAs = <Shown extends z.ZodType, Given extends Entry>(shown: Shown, given: Given) =>
  field(shown, at(given, 'created'), at(given, 'changed'));

/** A field whose form in a PATCH differs from its form in a POST, such as a part of an object. */
export const changedAs = <Changed extends z.ZodType, Given extends Entry>(changed: Changed, given: Given) =>
  field(at(given, 'shown'), at(given, 'created'), changed);

/** Fields that replies show and no request sets: the service decides their values. */
export const derived = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, shown]) => [name, field(shown, undefined, undefined)]),
  ) as { [Name in keyof Shape]: Field<Shape[Name], undefined, undefined> };

type Shape<Fields extends Table, Where extends Appearance> = {
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

/** Fields that a resource has only if it has a version. */
type Versioned<Version, Fields> = [Version] extends [null] ? unknown : Fields;

type Shown<Fields extends Table, Version> = StrictObject<
  typeof resourceFields & Shape<Fields, 'shown'> & Versioned<Version, { version: z.ZodInt }>
>;

type New<Fields extends Table> = StrictObject<Shape<Fields, 'created'>>;

type Changes<Fields extends Table, Version> = StrictObject<
  Optional<Shape<Fields, 'changed'> & Versioned<Version, { expected_version: typeof ExpectedVersion }>>
>;

type Resource<Name extends string, Fields extends Table, Version> = Record<Name, Shown<Fields, Version>> &
  Record<`New${Name}`, New<Fields>> &
  Record<`${Name}Changes`, Changes<Fields, Version>>;

/** Further settings of a request's body, which the table of fields does not have. */
interface Body<Fields extends Table, Schema extends z.ZodType> {
  /** The fields with another position in this body. Each comes directly before the field that is named here. */
  before?: { readonly [Moved in keyof Fields]?: keyof Fields & string };
  /** Finds what is wrong with several fields together. */
  check?: z.core.CheckFn<z.output<Schema>>;
}

/** The schemas in a place, in the order of the table. @param before as in `Body` */
const shapeOf = (
  table: Table,
  place: Appearance,
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

const checked = (schema: z.ZodObject, check: z.core.CheckFn<never> | undefined): z.ZodObject =>
  check ? schema.check(check as z.core.CheckFn<unknown>) : schema;

/**
 * The three schemas of a resource, from one table of its fields: `Location` for replies, `NewLocation` for a POST and
 * `LocationChanges` for a PATCH. Their fields have the order of the table. A resource without one of these operations
 * leaves its schema unused.
 * @param version the meaning of the resource's `version`, if it does not increase with every change; null without one
 */
export const resource = <
  Name extends string,
  const Fields extends Table,
  Version extends string | null = string,
>(
  name: Name,
  table: Fields,
  {
    description,
    version,
    created = {},
    changed = {},
  }: {
    description?: string;
    version?: Version;
    created?: Body<Fields, New<Fields>>;
    changed?: Body<Fields, Changes<Fields, Version>>;
  } = {},
): Resource<Name, Fields, Version> => {
  const isVersioned = version !== null;
  const shown = z.strictObject({
    ...resourceFields,
    ...shapeOf(table, 'shown'),
    ...(isVersioned && { version: resourceVersion(version) }),
  });
  const given = z.strictObject(shapeOf(table, 'created', created.before));
  const changes = z.strictObject({
    ...shapeOf(table, 'changed', changed.before),
    ...(isVersioned && { expected_version: ExpectedVersion }),
  });
  return {
    [name]: shown.meta({ id: name, description }),
    [`New${name}`]: checked(given, created.check).meta({ id: `New${name}` }),
    [`${name}Changes`]: checked(changes.partial(), changed.check).meta({ id: `${name}Changes` }),
  } as Resource<Name, Fields, Version>;
};

/** The initial values of a resource for fields that its POST leaves out. */
export const initialValues = <Fields extends z.core.$ZodLooseShape>(schema: z.ZodObject<Fields>) =>
  Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, field.def.defaultValue]] : [],
    ),
  ) as { [Name in keyof Fields as Fields[Name] extends z.ZodDefault ? Name : never]: z.output<Fields[Name]> };
