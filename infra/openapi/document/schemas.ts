import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { PROPERTY_SENTENCES } from '../sentences.ts';
import { COMPONENT, type Definitions, type JsonSchema, mapSchema } from './json-schema.ts';
import { newNamer, resourceName } from './names.ts';
import { patternOf, withReplyRules, withRequestRules } from './rules.ts';

const DEFINITION = '#/$defs/';

// For these formats, zod adds a regular expression of up to 300 characters that says the same as the format.
const FORMATS = new Set(['uuid', 'date-time', 'date', 'email', 'uri', 'duration', 'ipv4', 'ipv6']);

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

/** Names the property that tells the branches of a union apart, for generated clients, if every branch is a component. */
const discriminated = (schema: JsonSchema, components: Readonly<Definitions>): JsonSchema =>
  mapSchema(schema, (part) => {
    const branches = part.oneOf ?? [];
    if (branches.length < 2 || !branches.every(({ $ref }) => $ref)) return part;
    const forms = branches.map(({ $ref }) => components[$ref!.slice(COMPONENT.length)]!);
    const tagsIn = (form: JsonSchema, name: string): unknown[] => {
      const { const: value, enum: values, $ref } = (form.properties as Definitions | undefined)?.[name] ?? {};
      const listed = $ref ? components[$ref.slice(COMPONENT.length)]!.enum : values;
      return form.required?.includes(name) ? (value === undefined ? (listed ?? []) : [value]) : [];
    };
    const propertyName = Object.keys(forms[0]!.properties ?? {}).find((name) => {
      const tags = forms.map((form) => tagsIn(form, name));
      return tags.every((list) => list.length > 0) && new Set(tags.flat()).size === tags.flat().length;
    });
    if (propertyName === undefined) return part;
    const mapping = forms.flatMap((form, index) =>
      tagsIn(form, propertyName).map((tag) => [String(tag), branches[index]!.$ref!]),
    );
    return { ...part, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
  });

/**
 * Puts a list that may be null beside null. Generators that look for `type: array` do not see what the entries of
 * `type: [array, null]` refer to.
 */
const listBesideNull = (schema: JsonSchema): JsonSchema => {
  if (!schema.items || !Array.isArray(schema.type)) return schema;
  const { description, examples, type: _, ...list } = schema;
  return {
    ...(description !== undefined && { description }),
    ...(examples && { examples }),
    anyOf: [{ ...list, type: 'array' }, { type: 'null' }],
  };
};

/** Says the only value of a property as a list of one. OpenAPI 3.0 did not have `const`, and not every generator knows it. */
const onlyValue = ({ const: value, ...rest }: JsonSchema): JsonSchema =>
  value === undefined ? rest : { ...rest, enum: [value] };

/** What generated clients understand better. */
const forGenerators = (schema: JsonSchema, components: Readonly<Definitions>): JsonSchema =>
  discriminated(
    mapSchema(schema, (part) => onlyValue(listBesideNull(part))),
    components,
  );

/**
 * Schemas that say their defaults in words instead of by the keyword. Generators of types read the keyword as a promise
 * that the property is always there, and openapi-typescript then requires it in requests.
 */
export const withDefaultsInWords = (schemas: Readonly<Definitions>): Definitions =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      mapSchema(schema, (part) => {
        if (!('default' in part)) return part;
        const { default: value, ...rest } = part;
        const text = `Default: \`${JSON.stringify(value)}\`.`;
        return { ...rest, description: [rest.description, text].filter(Boolean).join(' ') };
      }),
    ]),
  );

/** Descriptions that say what a value looks like and not what it means. */
const FORMS = new Set([undefined, '', 'A UUID.', 'ISO 8601, in UTC with milliseconds.']);

/** Whether a description says what a value means. */
export const isMeaning = (description: string | undefined): boolean => !FORMS.has(description);

/** The component that a schema refers to, in itself, beside null, or in its entries. */
const referredIn = ({ $ref, anyOf, items }: JsonSchema): string | undefined =>
  $ref ??
  anyOf?.find((branch) => branch.$ref)?.$ref ??
  (typeof items === 'object' ? referredIn(items as JsonSchema) : undefined);

/** A component whose properties say what they mean. */
const explained = (name: string, schema: JsonSchema, components: Readonly<Definitions>): JsonSchema => {
  if (!schema.properties) return schema;
  const sentences = [name, resourceName(name)].map((owner) => `${owner}.`);
  const properties = Object.entries(schema.properties as Definitions).map(([property, given]) => {
    const component = referredIn(given)?.slice(COMPONENT.length);
    if (isMeaning(given.description) || (component && components[component]?.description))
      return [property, given];
    const description = [...sentences, '']
      .map((owner) => PROPERTY_SENTENCES[owner + property])
      .find((sentence) => sentence !== undefined);
    return [property, { ...given, ...(description && { description }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
};

/** What is said of every enum that replies use. */
export const MAY_GROW = 'Replies may have further values later: expect ones that you do not know.';

const growing = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  description: [schema.description, MAY_GROW].filter(Boolean).join(' '),
});

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
      const pattern = patternOf(zodSchema, jsonSchema);
      if (FORMATS.has(jsonSchema.format ?? '')) delete jsonSchema.pattern;
      else if (pattern !== undefined) jsonSchema.pattern = pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (isDeepStrictEqual(jsonSchema.propertyNames, { type: 'string' })) delete jsonSchema.propertyNames;
      listKeys(jsonSchema);
      // Replies may gain fields later. In a request, a schema that is declared strict refuses other fields.
      const isLenient = zodSchema._zod.def.type === 'object' && !zodSchema._zod.def.catchall;
      if (jsonSchema.additionalProperties === false && (io === 'output' || isLenient))
        delete jsonSchema.additionalProperties;
      // A reply always has what a request may leave out.
      if (io === 'output') delete jsonSchema.default;
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
      return $ref ? { $ref: COMPONENT + name($ref.slice(DEFINITION.length)), ...folded } : folded;
    });
  const component = (definitions: Definitions, name: (id: string) => string) =>
    Object.entries(definitions).map(([id, schema]) => [name(id), finish(schema, name)] as const);
  const same = (id: string) => id;

  const shown = withReplyRules(Object.fromEntries(component(output.definitions, same)));
  const given = withRequestRules(Object.fromEntries(component(input.definitions, inputName)));
  for (const [id, schema] of Object.entries(given))
    if (shown[id] && !isDeepStrictEqual(shown[id], schema))
      throw new Error(`two different schemas have the id ${id}`);

  const namer = newNamer({ ...shown, ...given });
  const named = (definitions: Definitions): Definitions =>
    Object.fromEntries(
      Object.entries(definitions)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, schema]) => [name, namer.inComponent(name, schema)]),
    );
  const namedShown = named(shown);
  const inReplies = new Set([...Object.keys(shown), ...Object.keys(namer.made)]);
  const all: Definitions = { ...namedShown, ...named(given), ...namer.made };
  const components = Object.fromEntries(
    Object.entries(all)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [
        name,
        forGenerators(
          schema.enum && inReplies.has(name) ? growing(schema) : explained(name, schema, all),
          all,
        ),
      ]),
  );
  const results = {
    input: new Map(
      inputs.map((schema, index) => [schema, namer.inOperation(finish(input.roots[index]!, inputName))]),
    ),
    output: new Map(outputs.map((schema, index) => [schema, finish(output.roots[index]!, same)])),
  };
  return { components, of: (schema: z.ZodType, io: 'input' | 'output') => results[io].get(schema)! };
};
