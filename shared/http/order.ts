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
  // Not before it is needed: a shape may hold its own schema.
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
 * Brings the fields of a reply into the order in which its schema names them: the table keeps none, and a
 * reader should find a resource's id first and the same reply the same. Nothing is added or left out.
 */
export const ordererOf = (schema: z.core.$ZodType): Orderer => {
  const known = orderers.get(schema);
  if (known) return known;
  const orderer = newOrderer(schema);
  orderers.set(schema, orderer);
  return orderer;
};
