import { createHash } from 'node:crypto';
import { COMPONENT, type JsonSchema } from './schemas.ts';

// What a field of this name holds in the field inspections of an imaginary customer.
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

// Tried in turn where a pattern has to be met.
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

/** A UUIDv7 of March 2026 that is always the same for the same name. */
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
    throw new Error(`no example of ${name} fits ${patterns.join(' and ')}: give it .meta({ examples: […] })`);
  return text;
};

/** Whether a default makes an example: null and the empty object do not. */
const saysSomething = (value: unknown) =>
  typeof value === 'object'
    ? Array.isArray(value) || Object.keys(value ?? {}).length > 0
    : value !== undefined;

const numberOf = (name: string, schema: JsonSchema) => {
  const step = schema.multipleOf ?? ([schema.type].flat().includes('integer') ? 1 : 0.5);
  const least =
    schema.minimum ??
    (schema.exclusiveMinimum === undefined ? -Infinity : Number(schema.exclusiveMinimum) + step);
  const most =
    schema.maximum ??
    (schema.exclusiveMaximum === undefined ? Infinity : Number(schema.exclusiveMaximum) - step);
  const wanted = BY_NAME[name];
  const value = Math.min(Math.max(typeof wanted === 'number' ? wanted : 1, least), most);
  return schema.multipleOf ? Math.ceil(value / schema.multipleOf) * schema.multipleOf : value;
};

/**
 * A value that the schema accepts, always the same one: its own first example or its default where it has one
 * that says something, else made from its constraints and its field's name. Every optional field is filled in, but for what would
 * repeat a recursive component. Throws where only the author can know a value (a rare `pattern`).
 */
export const exampleOf = (
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
  name: string,
): unknown => {
  // `undefined` is "none without repeating a component": an optional field is left out, a union takes another branch.
  const sample = (schema: JsonSchema, name: string, within: readonly string[]): unknown => {
    if (schema.examples?.length) return schema.examples[0];
    if (saysSomething(schema.default)) return schema.default;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (schema.$ref)
      return within.includes(schema.$ref)
        ? undefined
        : sample(components[schema.$ref.slice(COMPONENT.length)]!, name, [...within, schema.$ref]);
    const branches = schema.anyOf ?? schema.oneOf;
    if (branches && !schema.type)
      return branches
        .toSorted((a, b) => Number(a.type === 'null') - Number(b.type === 'null'))
        .reduce<unknown>((found, branch) => found ?? sample(branch, name, within), undefined);
    if (schema.allOf && !schema.type)
      return Object.assign({}, ...schema.allOf.map((part) => sample(part, name, within)));

    switch (String([schema.type].flat()[0])) {
      case 'null':
        return null;
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return numberOf(name, schema);
      case 'array':
        return list(schema, name, within);
      case 'object':
        return object(schema, within);
      default:
        return textOf(name, schema);
    }
  };

  const list = (schema: JsonSchema, name: string, within: readonly string[]) => {
    const fixed = (schema.prefixItems as JsonSchema[] | undefined)?.map((item) => sample(item, name, within));
    if (fixed) return fixed;
    const item = sample(schema.items as JsonSchema, name.replace(/s$/u, ''), within);
    if (item === undefined) return schema.minItems ? undefined : [];
    return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => item);
  };

  const object = (schema: JsonSchema, within: readonly string[]) => {
    const { properties = {}, required = [], propertyNames, additionalProperties } = schema;
    const fields = { ...properties } as Record<string, JsonSchema>;
    if (typeof propertyNames === 'object' && typeof additionalProperties === 'object')
      fields[String(sample(propertyNames, 'key', within))] = additionalProperties;
    const filled = Object.entries(fields)
      .map(([key, value]) => [key, sample(value, key, within)] as const)
      .filter(([, value]) => value !== undefined);
    const hasAll = (names: readonly string[]) => names.every((name) => filled.some(([key]) => key === name));
    if (!hasAll(required)) return undefined;

    // Branches of an object say by `required` which of its fields exclude each other.
    const branches = (schema.oneOf ?? []).map((branch) => branch.required ?? []);
    const branch = branches.find(hasAll);
    const excluded = new Set(branches.flat().filter((key) => !branch?.includes(key)));
    return Object.fromEntries(filled.filter(([key]) => !excluded.has(key)));
  };

  return sample(schema, name, []);
};
