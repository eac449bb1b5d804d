import { createHash } from 'node:crypto';
import { COMPONENT, type JsonSchema } from './json-schema.ts';

// Values for fields with these names, as an imaginary customer would have them.
const BY_NAME: Record<string, string | number> = {
  name: 'Harbour North',
  title: 'Guard rail loose',
  description: 'Checked by the shift lead before the first lift.',
  label: 'Guard rail',
  note: 'Second bolt missing.',
  notes: 'Report to the gate first.',
  external_ref: 'ERP-10482',
  reason: 'The photo shows another crane.',
  email: 'ana.silva@example.com',
  phone: '+351 21 000 0000',
  timezone: 'Europe/Lisbon',
  locale: 'pt-PT',
  brand_primary: '174 79% 20%',
  file_name: 'guard-rail.jpg',
  mime_type: 'image/jpeg',
  size_bytes: 248_113,
  lat: 38.7071,
  lng: -9.1355,
};

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

/** A UUIDv7 of March 2026. The same name always gives the same one. */
const uuidOf = (name: string) => {
  const digits = createHash('sha256').update(name).digest('hex');
  return `019cade0-${digits.slice(0, 4)}-7${digits.slice(4, 7)}-a${digits.slice(7, 10)}-${digits.slice(10, 22)}`;
};

const textOf = (
  name: string,
  { format, pattern, minLength = 0, maxLength = Infinity, ...schema }: JsonSchema,
) => {
  if (format === 'uuid') return uuidOf(name);
  const patterns = [{ pattern }, ...(schema.allOf ?? [])].flatMap((part) => part.pattern ?? []);
  const words = name.replaceAll('_', ' ');
  const candidates = [
    BY_FORMAT[format ?? ''],
    BY_NAME[name],
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

const numberOf = (name: string, schema: JsonSchema) => {
  const step = schema.multipleOf ?? ([schema.type].flat().includes('integer') ? 1 : 0.5);
  const min =
    schema.minimum ??
    (schema.exclusiveMinimum === undefined ? -Infinity : Number(schema.exclusiveMinimum) + step);
  const max =
    schema.maximum ??
    (schema.exclusiveMaximum === undefined ? Infinity : Number(schema.exclusiveMaximum) - step);
  const wanted = BY_NAME[name];
  const value = Math.min(Math.max(typeof wanted === 'number' ? wanted : 1, min), max);
  return schema.multipleOf ? Math.ceil(value / schema.multipleOf) * schema.multipleOf : value;
};

/** Where a value is being made. */
interface Place {
  components: Readonly<Record<string, JsonSchema>>;
  /** The references that led here. Following one of them again would never end. */
  within: readonly string[];
}

/** An example of a schema. Undefined when every one would repeat a component inside itself. */
const sample = (schema: JsonSchema, name: string, place: Place): unknown => {
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
      return numberOf(name, schema);
    case 'array':
      return arrayOf(schema, name, place);
    case 'object':
      return objectOf(schema, place);
    default:
      return textOf(name, schema);
  }
};

const referredTo = (reference: string, name: string, { components, within }: Place): unknown =>
  within.includes(reference)
    ? undefined
    : sample(components[reference.slice(COMPONENT.length)]!, name, {
        components,
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
 * one that would repeat a recursive component.
 * @throws Error for a `pattern` that no known example matches; then the declaration has to give one
 */
export const exampleOf = (
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  name: string,
): unknown => sample(schema, name, { components, within: [] });
