import type { Definitions, JsonSchema } from './document/json-schema.ts';
import type { OpenApiDocument, OperationObject, Parameter, Reference } from './document/types.ts';

/** What is different in a later document. A client of the earlier one may fail by what is breaking. */
export interface Difference {
  isBreaking: boolean;
  /** Where, and what: `POST /locations, body.name: is required`. */
  text: string;
}

/** Whether clients send a value or read it. */
type Direction = 'sent' | 'read';

type Note = (isBreaking: boolean, where: string, what: string) => void;

/** Limits by which a value that was allowed may be refused, and which of two numbers is stricter. */
const LIMITS = {
  maxLength: Math.min,
  maximum: Math.min,
  maxItems: Math.min,
  minLength: Math.max,
  minimum: Math.max,
  minItems: Math.max,
} as const;

const nameOf = (ref: string): string => ref.split('/').at(-1)!;

const operationsOf = ({ paths }: OpenApiDocument): Map<string, OperationObject> =>
  new Map(
    Object.entries(paths).flatMap(([path, { servers: _servers, ...methods }]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );

const parametersOf = ({ parameters = [] }: OperationObject, { components }: OpenApiDocument) =>
  new Map(
    parameters
      .map((one: Parameter | Reference) => ('$ref' in one ? components.parameters[nameOf(one.$ref)]! : one))
      .map((one) => [`${one.in}.${one.name}`, one] as const),
  );

/** The parts of a schema that are compared: whether it may be null, its alternatives, or itself. */
const partsOf = (schema: JsonSchema, definitions: Definitions) => {
  const resolved = (one: JsonSchema): JsonSchema =>
    one.$ref ? resolved(definitions[nameOf(one.$ref)]!) : one;
  const whole = resolved(schema);
  const branches = (whole.anyOf ?? whole.oneOf ?? [whole]).map((branch) => ({
    name: branch.$ref ? nameOf(branch.$ref) : '',
    schema: resolved(branch),
  }));
  const types = new Set(branches.flatMap(({ schema: { type } }) => (type ? [type].flat() : [])));
  const values = branches.filter(({ schema: { type } }) => type !== 'null');
  return { types, values, isUnion: values.length > 1 };
};

/** Compares two schemas, and those inside them. */
const newComparison = (before: OpenApiDocument, after: OpenApiDocument, note: Note) => {
  const seen = new Set<string>();

  const compareProperties = (
    one: JsonSchema,
    other: JsonSchema,
    where: string,
    direction: Direction,
  ): void => {
    const [former, later] = [one, other].map(({ properties = {} }) => properties as Definitions) as [
      Definitions,
      Definitions,
    ];
    for (const [name, schema] of Object.entries(former)) {
      const at = `${where}.${name}`;
      if (!later[name]) {
        if (other.properties) note(true, at, 'is gone');
        continue;
      }
      const [was, is] = [one, other].map(({ required = [] }) => required.includes(name));
      if (direction === 'sent' && is && !was) note(true, at, 'is required');
      if (direction === 'read' && was && !is) note(true, at, 'may be missing');
      compare(schema, later[name], at, direction);
    }
    if (!one.properties) return;
    for (const name of Object.keys(later).filter((name) => !former[name]))
      note(direction === 'sent' && (other.required ?? []).includes(name), `${where}.${name}`, 'is new');
  };

  const compareValues = (one: JsonSchema, other: JsonSchema, where: string, direction: Direction): void => {
    const [former, later] = [one, other].map(({ enum: values }) => values?.map(String));
    if (former && later) {
      for (const value of former.filter((value) => !later.includes(value)))
        note(direction === 'sent', where, `"${value}" is gone`);
      for (const value of later.filter((value) => !former.includes(value)))
        note(false, where, `"${value}" is new`);
    }
    if (direction === 'sent') {
      if (later && !former && one.const === undefined) note(true, where, 'has only some values');
      for (const [name, stricter] of Object.entries(LIMITS)) {
        const [was, is] = [one, other].map((schema) => schema[name] as number | undefined);
        if (is !== undefined && is !== was && (was === undefined || stricter(was, is) === is))
          note(true, where, `${name} is ${is}`);
      }
    }
    if (one.items && other.items)
      compare(one.items as JsonSchema, other.items as JsonSchema, `${where}[]`, direction);
    compareProperties(one, other, where, direction);
  };

  const compare = (one: JsonSchema, other: JsonSchema, where: string, direction: Direction): void => {
    // A component that is used in many places is compared once, and named itself.
    const names = [one.$ref, other.$ref];
    const isNamed = names.every((name) => name !== undefined);
    const key = `${names.join()} ${direction}`;
    if (isNamed && seen.has(key)) return;
    if (isNamed) seen.add(key);
    const at = isNamed ? nameOf(other.$ref!) : where;
    const [former, later] = [
      partsOf(one, before.components.schemas),
      partsOf(other, after.components.schemas),
    ];
    const [narrow, wide] = direction === 'sent' ? [former.types, later.types] : [later.types, former.types];
    const lost = [...narrow.difference(wide)].filter((type) => !(type === 'integer' && wide.has('number')));
    if (narrow.size > 0 && wide.size > 0 && lost.length > 0)
      note(true, at, direction === 'sent' ? `may not be ${lost.join()}` : `may be ${lost.join()}`);
    if (!former.isUnion && !later.isUnion && former.values[0] && later.values[0]) {
      compareValues(former.values[0].schema, later.values[0].schema, at, direction);
      return;
    }
    for (const [index, { name, schema }] of former.values.entries()) {
      const match = later.values.find((value) => name !== '' && value.name === name) ?? later.values[index];
      if (match) compareValues(schema, match.schema, name || `${at}(${index + 1})`, direction);
      else note(direction === 'sent', at, `${name || 'a form'} is gone`);
    }
  };
  return compare;
};

/**
 * What is different between two documents of the API: breaking is what refuses a request that was valid, and what takes
 * from a reply something that it always had.
 * @returns each once, in the order of the earlier document
 */
export const differencesOf = (before: OpenApiDocument, after: OpenApiDocument): Difference[] => {
  const differences = new Map<string, boolean>();
  const note: Note = (isBreaking, where, what) => {
    const text = `${where}: ${what}`;
    differences.set(text, isBreaking || differences.get(text) === true);
  };
  const compare = newComparison(before, after, note);
  const [former, later] = [operationsOf(before), operationsOf(after)];
  for (const [name, one] of former) {
    const other = later.get(name);
    if (!other) {
      note(true, name, 'is gone');
      continue;
    }
    if (other.deprecated && !one.deprecated) note(false, name, 'is deprecated');
    const [were, are] = [parametersOf(one, before), parametersOf(other, after)];
    for (const [parameter, was] of were) {
      const is = are.get(parameter);
      if (!is) note(true, `${name}, ${parameter}`, 'is gone');
      else {
        if (is.required && !was.required) note(true, `${name}, ${parameter}`, 'is required');
        compare(was.schema, is.schema, `${name}, ${parameter}`, 'sent');
      }
    }
    for (const [parameter, is] of are)
      if (!were.has(parameter)) note(is.required === true, `${name}, ${parameter}`, 'is new');
    if (other.requestBody?.required && !one.requestBody?.required) note(true, `${name}, body`, 'is required');
    for (const [type, { schema }] of Object.entries(one.requestBody?.content ?? {})) {
      const content = other.requestBody?.content[type];
      if (content) compare(schema, content.schema, `${name}, body`, 'sent');
      else note(true, name, `does not take ${type}`);
    }
    for (const [status, reply] of Object.entries(one.responses).filter(([status]) =>
      status.startsWith('2'),
    )) {
      const now = other.responses[status];
      if (!now) note(true, name, `does not answer ${status}`);
      else if ('content' in reply)
        for (const [type, { schema }] of Object.entries(reply.content ?? {})) {
          const content = 'content' in now ? now.content?.[type] : undefined;
          if (content) compare(schema, content.schema, `${name}, reply`, 'read');
          else note(true, name, `does not answer with ${type}`);
        }
    }
  }
  for (const name of later.keys()) if (!former.has(name)) note(false, name, 'is new');
  return [...differences].map(([text, isBreaking]) => ({ isBreaking, text }));
};
