import type * as z from 'zod';

type Orderer = (value: unknown) => unknown;

const asIs: Orderer = (value) => value;

const orderers = new WeakMap<z.core.$ZodType, Orderer>();

interface Definition {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
}

const newOrderer = (schema: z.core.$ZodType): Orderer => {
  const { type, shape, element, innerType } = schema._zod.def as Definition;
  if (innerType) return ordererOf(innerType);
  if (type === 'array' && element) {
    const each = ordererOf(element);
    return (value) => (Array.isArray(value) && each !== asIs ? value.map(each) : value);
  }
  if (type !== 'object' || !shape) return asIs;
  const names = Object.keys(shape);
  // Made at the first use, because a shape may contain its own schema.
  let fields: Orderer[] | undefined;
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    fields ??= names.map((name) => ordererOf(shape[name]!));
    const given = value as Record<string, unknown>;
    const ordered: Record<string, unknown> = {};
    for (const [position, name] of names.entries()) {
      if (Object.hasOwn(given, name)) ordered[name] = fields[position]!(given[name]);
    }
    return { ...ordered, ...given, ...ordered };
  };
};

/**
 * A function that puts a reply's fields into the order of its schema, because the table does not keep their order.
 * So a resource's id comes first, and equal replies are equal texts. No field is added or left out.
 */
export const ordererOf = (schema: z.core.$ZodType): Orderer => {
  const known = orderers.get(schema);
  if (known) return known;
  const orderer = newOrderer(schema);
  orderers.set(schema, orderer);
  return orderer;
};
