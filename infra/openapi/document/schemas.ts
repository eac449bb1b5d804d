import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Record<string, JsonSchema>;

export const COMPONENT = '#/components/schemas/';
const DEFINITION = '#/$defs/';

// For these formats, zod adds a regular expression of up to 300 characters that says the same as the format.
const FORMATS = new Set(['uuid', 'date-time', 'date', 'email', 'uri', 'duration', 'ipv4', 'ipv6']);

/** Applies `change` to a schema and to every schema inside it, the innermost first. */
const mapSchema = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema => {
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

/** Turns `anyOf: [scalar or array, null]` into one schema with two types, which all viewers show better. */
const foldNull = ({ anyOf, ...rest }: JsonSchema): JsonSchema => {
  const [schema, nothing, ...others] = anyOf ?? [];
  const folds =
    others.length === 0 &&
    typeof schema?.type === 'string' &&
    schema.const === undefined &&
    nothing?.type === 'null' &&
    Object.keys(nothing).length === 1;
  if (!folds) return anyOf ? { ...rest, anyOf } : rest;
  return {
    ...schema,
    ...rest,
    type: [schema.type, 'null'] as never,
    ...(schema.enum && { enum: [...schema.enum, null] }),
  };
};

/** Maps the tags of a tagged union to its branches, for generated clients, if every branch is a component. */
const discriminate = (schema: z.core.$ZodTypes, json: JsonSchema) => {
  if (schema._zod.def.type !== 'union' || !('discriminator' in schema._zod.def)) return;
  const propertyName = String(schema._zod.def.discriminator);
  const branches = json.oneOf as JsonSchema[];
  if (!branches.every(({ $ref }) => $ref)) return;
  const mapping = schema._zod.def.options.flatMap((option, index) =>
    [...(option._zod.propValues?.[propertyName] ?? [])].map((tag) => [String(tag), branches[index]!.$ref]),
  );
  json['discriminator'] = { propertyName, mapping: Object.fromEntries(mapping) };
};

/** Turns a record whose keys are listed into an object with these properties. */
const listKeys = (json: JsonSchema) => {
  const { propertyNames, additionalProperties } = json;
  if (typeof propertyNames !== 'object' || !propertyNames.enum || additionalProperties === undefined) return;
  delete json.propertyNames;
  json.properties = Object.fromEntries(propertyNames.enum.map((key) => [key, additionalProperties]));
  json.additionalProperties = false;
};

const convert = (schemas: z.ZodType[], io: 'input' | 'output') => {
  const { properties, $defs = {} } = z.toJSONSchema(z.object(Object.fromEntries(schemas.entries())), {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      if (FORMATS.has(jsonSchema.format ?? '')) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (isDeepStrictEqual(jsonSchema.propertyNames, { type: 'string' })) delete jsonSchema.propertyNames;
      // Replies may gain fields later, so only a schema that is declared strict forbids other fields.
      if (zodSchema._zod.def.type === 'object' && !zodSchema._zod.def.catchall)
        delete jsonSchema.additionalProperties;
      listKeys(jsonSchema);
      discriminate(zodSchema, jsonSchema);
    },
  });
  for (const [id, definition] of Object.entries($defs))
    if (id.startsWith('__schema'))
      throw new Error(
        `a recursive schema needs a name: give it .meta({ id }). It is ${JSON.stringify(definition).slice(0, 200)}`,
      );
  return {
    roots: Object.values(properties ?? {}) as JsonSchema[],
    definitions: $defs as Definitions,
  };
};

const referencesIn = (schema: JsonSchema) => {
  const ids: string[] = [];
  mapSchema(schema, (part) => {
    if (part.$ref) ids.push(part.$ref.slice(DEFINITION.length));
    return part;
  });
  return ids;
};

/** The ids whose input and output schemas differ, in themselves or in a schema that they refer to. */
const differingIds = (inputs: Definitions, outputs: Definitions) => {
  const shared = Object.keys(inputs).filter((id) => id in outputs);
  const different = new Set(shared.filter((id) => !isDeepStrictEqual(inputs[id], outputs[id])));
  const spread = (): void => {
    const reached = shared.filter(
      (id) => !different.has(id) && referencesIn(inputs[id]!).some((reference) => different.has(reference)),
    );
    if (reached.length === 0) return;
    for (const id of reached) different.add(id);
    spread();
  };
  spread();
  return different;
};

/** The JSON schemas of all declarations. */
export interface Schemas {
  /** The schemas with an id, by the name to which references point. */
  components: Definitions;
  /** The JSON schema of one of the given zod schemas. */
  of: (schema: z.ZodType, io: 'input' | 'output') => JsonSchema;
}

/**
 * Converts zod schemas to JSON Schema 2020-12. For inputs, a field with a default is optional, and transformations
 * are not applied. A schema with an id becomes a component of that name. If its input and output differ, the
 * component of the input is called `<id>Input`.
 * @throws Error for a recursive schema without an id, for an id that two schemas have, and for a schema that JSON
 * cannot express
 */
export const jsonSchemas = (inputs: z.ZodType[], outputs: z.ZodType[]): Schemas => {
  const input = convert(inputs, 'input');
  const output = convert(outputs, 'output');
  const different = differingIds(input.definitions, output.definitions);
  const inputName = (id: string) => (different.has(id) ? `${id}Input` : id);

  const finish = (schema: JsonSchema, name: (id: string) => string) =>
    mapSchema(schema, ({ $ref, ...rest }) => {
      const folded = foldNull(rest);
      const mapping = folded['discriminator'] as { mapping: Record<string, string> } | undefined;
      const refer = (reference: string) => COMPONENT + name(reference.slice(DEFINITION.length));
      if (mapping)
        folded['discriminator'] = {
          ...mapping,
          mapping: Object.fromEntries(
            Object.entries(mapping.mapping).map(([tag, reference]) => [tag, refer(reference)]),
          ),
        };
      return $ref ? { $ref: refer($ref), ...folded } : folded;
    });
  const component = (definitions: Definitions, name: (id: string) => string) =>
    Object.entries(definitions).map(([id, schema]) => [name(id), finish(schema, name)] as const);
  const same = (id: string) => id;

  const components: Definitions = {};
  for (const [id, schema] of [
    ...component(output.definitions, same),
    ...component(input.definitions, inputName),
  ]) {
    if (components[id] && !isDeepStrictEqual(components[id], schema))
      throw new Error(`two different schemas have the id ${id}`);
    components[id] = schema;
  }
  const results = {
    input: new Map(inputs.map((schema, index) => [schema, finish(input.roots[index]!, inputName)])),
    output: new Map(outputs.map((schema, index) => [schema, finish(output.roots[index]!, same)])),
  };
  return {
    components: Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    of: (schema: z.ZodType, io: 'input' | 'output') => results[io].get(schema)!,
  };
};
