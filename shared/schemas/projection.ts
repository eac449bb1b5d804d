import type * as z from 'zod';

type Projection = (value: unknown) => unknown;

const asIs: Projection = (value) => value;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectProjection = ({ shape }: z.core.$ZodObjectDef): Projection => {
  const names = Object.keys(shape);
  // Made at the first use, because a shape may contain its own schema.
  let fields: Projection[] | undefined;
  return (value) => {
    if (!isObject(value)) return value;
    fields ??= names.map((name) => projectionOf(shape[name]!));
    const projected: Record<string, unknown> = {};
    for (let position = 0; position < names.length; position += 1) {
      const name = names[position]!;
      if (Object.hasOwn(value, name)) projected[name] = fields[position]!(value[name]);
    }
    return projected;
  };
};

const arrayProjection = ({ element }: z.core.$ZodArrayDef): Projection => {
  const each = projectionOf(element);
  return each === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(each) : value);
};

/** Records have any keys, or only those that the schema lists. */
const recordProjection = ({ keyType, valueType }: z.core.$ZodRecordDef): Projection => {
  const listed = keyType._zod.values && [...keyType._zod.values].map(String);
  const each = projectionOf(valueType);
  if (!listed && each === asIs) return asIs;
  return (value) => {
    if (!isObject(value)) return value;
    const keys = listed ? listed.filter((key) => Object.hasOwn(value, key)) : Object.keys(value);
    return Object.fromEntries(keys.map((key) => [key, each(value[key])]));
  };
};

/**
 * An object belongs to the option of the union that its discriminator names, or else to the option that declares most
 * of its names.
 */
const unionProjection = ({
  options,
  discriminator = '',
}: z.core.$ZodUnionDef & { discriminator?: string }): Projection => {
  const ofType = (type: string) => options.filter(({ _zod }) => _zod.def.type === type);
  const objects = ofType('object').map((option) => ({
    names: Object.keys((option._zod.def as z.core.$ZodObjectDef).shape),
    kinds: option._zod.propValues?.[discriminator],
    project: projectionOf(option),
  }));
  const arrays = ofType('array').map(projectionOf);
  const optionOf = (value: Record<string, unknown>) => {
    const named = objects.find(({ kinds }) => kinds?.has(value[discriminator] as string));
    if (named) return named;
    const known = objects.map(({ names }) => names.filter((name) => Object.hasOwn(value, name)).length);
    return objects[known.indexOf(Math.max(...known))];
  };
  return (value) => {
    const project = isObject(value) ? optionOf(value)?.project : Array.isArray(value) ? arrays[0] : asIs;
    return project ? project(value) : undefined;
  };
};

const newProjection = (schema: z.core.$ZodType): Projection => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return objectProjection(def);
  if (def.type === 'array') return arrayProjection(def);
  if (def.type === 'record') return recordProjection(def);
  if (def.type === 'union') return unionProjection(def);
  return 'innerType' in def ? projectionOf(def.innerType) : asIs;
};

const projections = new WeakMap<z.core.$ZodType, Projection>();

/**
 * Makes a function that returns exactly the declared names of a value, in the schema's order. Other attributes of a
 * row never leave the service. A resource's id comes first, and equal replies are equal texts. A declared name that
 * the value lacks is not added. Values of a free form, and results of a transformation, are returned as they are.
 */
export const projectionOf = (schema: z.core.$ZodType): Projection => {
  const known = projections.get(schema);
  if (known) return known;
  const projection = newProjection(schema);
  projections.set(schema, projection);
  return projection;
};

declare const PRESENTED: unique symbol;

/** A value that `present` has made. It has only names that its schema declares. */
export type Presented<Shown> = Shown & { readonly [PRESENTED]: true };

/** The names that the row lacks, or whose values in the row have another type than the values to show. */
export type Lacking<Shown, Row> = {
  [Name in keyof Shown]-?: Name extends keyof Row ? (Row[Name] extends Shown[Name] ? never : Name) : Name;
}[keyof Shown];

type Computed<Shown, Row> = Pick<Shown, Lacking<Shown, Row>> & Partial<Shown>;

/**
 * A resource as everybody outside sees it: exactly the declared names, from its row and from computed values. A name
 * that the row lacks must be computed. A computed value replaces that of the row.
 */
export const present = <Schema extends z.ZodObject, Row extends object>(
  schema: Schema,
  row: Row,
  ...[computed]: object extends Computed<z.output<Schema>, Row>
    ? [computed?: Computed<z.output<Schema>, Row>]
    : [computed: Computed<z.output<Schema>, Row>]
): Presented<z.output<Schema>> =>
  projectionOf(schema)({ ...row, ...computed }) as Presented<z.output<Schema>>;
