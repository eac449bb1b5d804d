import { idOf, LEFT_OUT, STORY } from '../story.ts';
import { COMPONENT, type JsonSchema } from './json-schema.ts';
import { resourceName } from './names.ts';

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-03-02T09:30:00.000Z',
  date: '2026-03-02',
  time: '09:30:00Z',
  duration: 'P1D',
  email: 'ana.silva@example.com',
  uri: 'https://example.com/guard-rail.jpg',
  binary: '(the bytes of the file)',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

// Tried in this order for a field with a pattern.
const BY_PATTERN = [
  '#1A73E8',
  '09:30',
  '2026-03-02T09:30',
  'P1D',
  'en',
  'EUR',
  'guard_rail',
  '1',
  'a'.repeat(64),
];

const textOf = (
  name: string,
  owner: string,
  { format, pattern, minLength = 0, maxLength = Infinity, ...schema }: JsonSchema,
) => {
  const isId = format === undefined && pattern === undefined && /^id$|_id$|_by$/.test(name);
  if (format === 'uuid' || isId) return idOf(name, owner);
  const patterns = [{ pattern }, ...(schema.allOf ?? [])].flatMap((part) => part.pattern ?? []);
  const words = name.replaceAll('_', ' ');
  const candidates = [
    BY_FORMAT[format ?? ''],
    (words.charAt(0).toUpperCase() + words.slice(1)).padEnd(minLength, '.').slice(0, maxLength),
    ...BY_PATTERN,
  ];
  const text = candidates.find(
    (candidate) =>
      typeof candidate === 'string' &&
      candidate.length >= minLength &&
      candidate.length <= maxLength &&
      patterns.every((source) => new RegExp(source, 'u').test(candidate)),
  );
  if (text === undefined)
    throw new Error(
      `no known example of ${name} matches ${patterns.join(' and ')}: give it .meta({ examples: […] })`,
    );
  return text;
};

/** Whether a default is useful as an example: null and `{}` are not. */
const isInformative = (value: unknown) =>
  typeof value === 'object'
    ? Array.isArray(value) || Object.keys(value ?? {}).length > 0
    : value !== undefined;

const numberOf = (schema: JsonSchema) => {
  const step = schema.multipleOf ?? ([schema.type].flat().includes('integer') ? 1 : 0.5);
  const min =
    schema.minimum ??
    (schema.exclusiveMinimum === undefined ? -Infinity : Number(schema.exclusiveMinimum) + step);
  const max =
    schema.maximum ??
    (schema.exclusiveMaximum === undefined ? Infinity : Number(schema.exclusiveMaximum) - step);
  const value = Math.min(Math.max(1, min), max);
  return schema.multipleOf ? Math.ceil(value / schema.multipleOf) * schema.multipleOf : value;
};

/** Where a value is being made. */
interface Place {
  /** The component that the value is a property of; empty outside components. */
  owner: string;
  components: Readonly<Record<string, JsonSchema>>;
  /** The references that led here. Following one of them again would never end. */
  within: readonly string[];
}

/** What the story says of a property, the most exact first. */
const toldOf = (name: string, { owner }: Place): unknown[] =>
  [`${owner}.${name}`, `${resourceName(owner)}.${name}`, name].map((key) => STORY[key]);

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Whether a value of the story may stand here. Only texts, numbers, booleans, null and lists of them are told. */
const isValid = (schema: JsonSchema, value: unknown, { components }: Pick<Place, 'components'>): boolean => {
  if (schema.$ref) return isValid(components[schema.$ref.slice(COMPONENT.length)]!, value, { components });
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches && !schema.type) return branches.some((branch) => isValid(branch, value, { components }));
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum && !schema.enum.includes(value as string)) return false;
  if (!schema.type) return true;
  const types = new Set([schema.type].flat().map(String));
  if (!types.has(typeOf(value)) && !(types.has('integer') && Number.isInteger(value))) return false;
  if (Array.isArray(value))
    return (
      value.length >= (schema.minItems ?? 0) &&
      value.every((item) => isValid(schema.items as JsonSchema, item, { components }))
    );
  if (typeof value === 'number')
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  if (typeof value !== 'string') return true;
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema;
  const isFormed =
    format === 'date-time'
      ? value.endsWith('Z')
      : format === undefined || format === 'date' || format === 'email' || format === 'uri';
  return (
    isFormed &&
    value.length >= minLength &&
    value.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, 'u').test(value))
  );
};

/** An example of a schema. Undefined when every one would repeat a component inside itself. */
const sample = (schema: JsonSchema, name: string, place: Place): unknown => {
  const told = toldOf(name, place).find((value) => value !== undefined && isValid(schema, value, place));
  return told === undefined ? made(schema, name, place) : told;
};

/** A value that the story does not tell, made from the schema. */
const made = (schema: JsonSchema, name: string, place: Place): unknown => {
  if (schema.examples?.length) return schema.examples[0];
  if (isInformative(schema.default)) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.$ref) return referredTo(schema.$ref, name, place);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches && !schema.type)
    return branches
      .toSorted((a, b) => Number(a.type === 'null') - Number(b.type === 'null'))
      .reduce<unknown>((found, branch) => found ?? sample(branch, name, place), undefined);
  if (schema.allOf && !schema.type)
    return Object.assign({}, ...schema.allOf.map((part) => sample(part, name, place)));

  switch (String([schema.type].flat()[0])) {
    case 'null':
      return null;
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'array':
      return arrayOf(schema, name, place);
    case 'object':
      return objectOf(schema, place);
    default:
      return textOf(name, place.owner, schema);
  }
};

const referredTo = (reference: string, name: string, { components, within }: Place): unknown =>
  within.includes(reference)
    ? undefined
    : made(components[reference.slice(COMPONENT.length)]!, name, {
        components,
        owner: reference.slice(COMPONENT.length),
        within: [...within, reference],
      });

const arrayOf = (schema: JsonSchema, name: string, place: Place): unknown[] | undefined => {
  const fixed = (schema.prefixItems as JsonSchema[] | undefined)?.map((item) => sample(item, name, place));
  if (fixed) return fixed;
  const item = sample(schema.items as JsonSchema, name.replace(/s$/u, ''), place);
  if (item === undefined) return schema.minItems ? undefined : [];
  return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => item);
};

const objectOf = (schema: JsonSchema, place: Place): Record<string, unknown> | undefined => {
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema;
  const fields = { ...properties } as Record<string, JsonSchema>;
  if (typeof propertyNames === 'object' && typeof additionalProperties === 'object')
    fields[String(sample(propertyNames, 'key', place))] = additionalProperties;
  const filled = Object.entries(fields)
    .filter(([key]) => !LEFT_OUT.has(`${place.owner}.${key}`))
    // An example shows the name that stays, and a former one only where a reply always has it.
    .filter(([key, value]) => value['deprecated'] !== true || required.includes(key))
    .map(([key, value]) => [key, sample(value, key, place)] as const)
    .filter(([, value]) => value !== undefined);
  const hasAll = (names: readonly string[]) => names.every((name) => filled.some(([key]) => key === name));
  if (!hasAll(required)) return undefined;

  // Branches of an object exclude each other's fields by their `required`.
  const branches = (schema.oneOf ?? []).map((branch) => branch.required ?? []);
  const branch = branches.find(hasAll);
  const excluded = new Set(branches.flat().filter((key) => !branch?.includes(key)));
  return Object.fromEntries(filled.filter(([key]) => !excluded.has(key)));
};

/**
 * A value that the schema accepts. The same schema and name always give the same one. It is the schema's first
 * example, or its default, or it is made from the constraints and the name. Every optional field is present, except
 * those that the story leaves out, and one that would repeat a recursive component.
 * @throws Error for a `pattern` that no known example matches; then the declaration has to give one
 */
export const exampleOf = (
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  name: string,
): unknown => sample(schema, name, { components, owner: '', within: [] });
