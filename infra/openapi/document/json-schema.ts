import type * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON schemas by their names. */
export type Definitions = Record<string, JsonSchema>;

/** How references to a component begin. */
export const COMPONENT = '#/components/schemas/';

/** Applies `change` to a schema and to every schema inside it, the innermost first. */
export const mapSchema = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema => {
  const one = (value: unknown) =>
    typeof value === 'object' && value !== null ? mapSchema(value as JsonSchema, change) : value;
  const each = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, one(value)]));
  return change(
    Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        switch (keyword) {
          case 'properties':
          case 'patternProperties':
            return [keyword, each(value as object)];
          case 'anyOf':
          case 'oneOf':
          case 'allOf':
          case 'prefixItems':
            return [keyword, (value as unknown[]).map(one)];
          case 'items':
          case 'additionalProperties':
          case 'propertyNames':
          case 'not':
            return [keyword, one(value)];
          default:
            return [keyword, value];
        }
      }),
    ),
  );
};

/** The names of the components that a part of the document refers to, in itself or through other components. */
export const componentsIn = (part: unknown, components: Readonly<Definitions>): Set<string> => {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') visit(inner);
      else if (inner.startsWith(COMPONENT)) {
        const name = inner.slice(COMPONENT.length);
        if (names.has(name)) continue;
        names.add(name);
        visit(components[name]);
      }
    }
  };
  visit(part);
  return names;
};
