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

type Events = NonNullable<OpenApiDocument['webhooks']>;

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

/** A schema with all of its alternatives as one: what at least one of them allows, and what all of them demand. */
interface Form {
  types: ReadonlySet<string>;
  /** The values that are allowed, without null; undefined when all of the types are. */
  values?: ReadonlySet<string>;
  format?: string;
  limits: Readonly<Partial<Record<keyof typeof LIMITS, number>>>;
  properties: ReadonlyMap<string, readonly JsonSchema[]>;
  required: ReadonlySet<string>;
  /** Whether an object may have other properties. */
  isOpen: boolean;
  items: readonly JsonSchema[];
}

const LIMIT_NAMES = Object.keys(LIMITS) as (keyof typeof LIMITS)[];

const listsOf = (forms: readonly Pick<Form, 'properties'>[]): ReadonlyMap<string, readonly JsonSchema[]> => {
  const lists = new Map<string, JsonSchema[]>();
  for (const { properties } of forms)
    for (const [name, schemas] of properties) lists.set(name, [...(lists.get(name) ?? []), ...schemas]);
  return lists;
};

/** A schema by itself, without its alternatives. */
const ownForm = (schema: JsonSchema): Form => {
  const { type, enum: listed, const: only, properties = {}, items, format, required = [] } = schema;
  const values = only === undefined ? listed : [only];
  const given = LIMIT_NAMES.flatMap((name) =>
    typeof schema[name] === 'number' ? [[name, schema[name]] as const] : [],
  );
  return {
    types: new Set([type ?? []].flat().filter((name) => name !== 'null')),
    ...(values && { values: new Set(values.filter((value) => value !== null).map(String)) }),
    ...(format && { format }),
    limits: Object.fromEntries(given),
    properties: new Map(
      Object.entries(properties).map(([name, property]) => [name, [property as JsonSchema]]),
    ),
    required: new Set(required),
    isOpen: schema.additionalProperties !== false,
    items: typeof items === 'object' ? [items as JsonSchema] : [],
  };
};

/** What is allowed by at least one of several forms. */
const anyOf = (forms: readonly Form[]): Form => {
  const [first, ...others] = forms as [Form, ...Form[]];
  if (others.length === 0) return first;
  const formats = new Set(forms.map(({ format }) => format));
  const limits = LIMIT_NAMES.flatMap((name) => {
    const given = forms.map((form) => form.limits[name]);
    const known = given.filter((limit) => limit !== undefined);
    const loosest = LIMITS[name] === Math.min ? Math.max : Math.min;
    return known.length < given.length ? [] : [[name, loosest(...known)] as const];
  });
  const objects = forms.filter(({ types }) => types.has('object'));
  return {
    types: new Set(forms.flatMap(({ types }) => [...types])),
    ...(forms.every(({ values }) => values) && {
      values: new Set(forms.flatMap(({ values }) => [...values!])),
    }),
    ...(formats.size === 1 && first.format && { format: first.format }),
    limits: Object.fromEntries(limits),
    properties: listsOf(forms),
    required: objects.reduce(
      (all, { required }) => all.intersection(required),
      objects[0]?.required ?? new Set<string>(),
    ),
    isOpen: objects.some(({ isOpen }) => isOpen),
    items: forms.flatMap(({ items }) => items),
  };
};

/** What is allowed by all of several forms. */
const allOf = (forms: readonly Form[]): Form => {
  const [first, ...others] = forms as [Form, ...Form[]];
  return others.reduce<Form>(
    (all, one) => ({
      ...one,
      ...all,
      types: all.types.size > 0 ? all.types : one.types,
      limits: { ...one.limits, ...all.limits },
      properties: listsOf([all, one]),
      required: all.required.union(one.required),
      isOpen: all.isOpen && one.isOpen,
      items: [...all.items, ...one.items],
    }),
    first,
  );
};

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** The form of a schema, and whether it may be null. */
const formOf = (schema: JsonSchema, definitions: Definitions): { form: Form; isNullable: boolean } => {
  if (schema.$ref) return formOf(definitions[nameOf(schema.$ref)]!, definitions);
  const branches = schema.anyOf ?? schema.oneOf ?? [];
  const inner = branches.filter((branch) => !isNull(branch)).map((branch) => formOf(branch, definitions));
  const parts = (schema.allOf ?? []).map((part) => formOf(part, definitions));
  const own = ownForm(schema);
  const form = allOf([
    own,
    ...(inner.length > 0 ? [anyOf(inner.map((one) => one.form))] : []),
    ...parts.map((one) => one.form),
  ]);
  const isNullable =
    [schema.type].flat().includes('null') ||
    branches.some(isNull) ||
    [...inner, ...parts].some((one) => one.isNullable);
  return { form, isNullable };
};

/** What an earlier document says at a place, or a later one: one schema, or those of all alternatives. */
const together = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? schemas[0]! : { anyOf: [...schemas] };

/** The component that a schema is, in itself or beside null. */
const componentOf = ({ $ref, anyOf: branches = [] }: JsonSchema): string | undefined => {
  const given = branches.filter((branch) => !isNull(branch));
  return $ref ?? (given.length === 1 ? given[0]!.$ref : undefined);
};

/** Compares two schemas, and those inside them. */
const newComparison = (before: OpenApiDocument, after: OpenApiDocument, note: Note) => {
  const seen = new Set<string>();

  const compareProperties = (former: Form, later: Form, where: string, direction: Direction): void => {
    for (const [name, schemas] of former.properties) {
      const at = `${where}.${name}`;
      const now = later.properties.get(name);
      if (!now) {
        note(true, at, 'is gone');
        continue;
      }
      const [was, is] = [former.required.has(name), later.required.has(name)];
      if (direction === 'sent' && is && !was) note(true, at, 'is required');
      if (direction === 'read' && was && !is) note(true, at, 'may be missing');
      compare(together(schemas), together(now), at, direction);
    }
    for (const name of later.properties.keys()) {
      const isDemanded = direction === 'sent' && later.required.has(name);
      // What named no properties could have had any.
      const isNew = !former.properties.has(name) && (former.properties.size > 0 || isDemanded);
      if (isNew) note(isDemanded, `${where}.${name}`, 'is new');
    }
    if (direction === 'sent' && former.types.has('object') && former.isOpen && !later.isOpen)
      note(true, where, 'takes no other properties');
  };

  const compareValues = (former: Form, later: Form, where: string, direction: Direction): void => {
    if (former.values && later.values) {
      for (const value of former.values.difference(later.values))
        note(direction === 'sent', where, `"${value}" is gone`);
      for (const value of later.values.difference(former.values)) note(false, where, `"${value}" is new`);
    }
    if (direction === 'read') return;
    if (later.values && !former.values) note(true, where, 'has only some values');
    if (later.format && later.format !== former.format) note(true, where, `has the form ${later.format}`);
    for (const name of LIMIT_NAMES) {
      const [was, is] = [former.limits[name], later.limits[name]];
      if (is !== undefined && is !== was && (was === undefined || LIMITS[name](was, is) === is))
        note(true, where, `${name} is ${is}`);
    }
  };

  const compareTypes = (
    [former, later]: readonly ReturnType<typeof formOf>[],
    where: string,
    direction: Direction,
  ): void => {
    const [was, is] = [former!, later!].map(({ form, isNullable }) =>
      // What names no type may be anything.
      form.types.size === 0 ? undefined : new Set([...form.types, ...(isNullable ? ['null'] : [])]),
    );
    const [narrow, wide] = direction === 'sent' ? [was, is] : [is, was];
    if (!narrow || !wide) return;
    const lost = [...narrow.difference(wide)].filter((type) => !(type === 'integer' && wide.has('number')));
    if (lost.length > 0)
      note(true, where, `${direction === 'sent' ? 'may not be' : 'may be'} ${lost.join()}`);
  };

  const compare = (one: JsonSchema, other: JsonSchema, where: string, direction: Direction): void => {
    // A component that is used in many places is compared once, and named itself.
    const names = [componentOf(one), componentOf(other)];
    const isNamed = names.every((name) => name !== undefined);
    const forms = [formOf(one, before.components.schemas), formOf(other, after.components.schemas)];
    compareTypes(forms, where, direction);
    const key = `${JSON.stringify(isNamed ? names : [one, other])} ${direction}`;
    if (seen.has(key)) return;
    seen.add(key);
    const at = isNamed ? nameOf(names[1]!) : where;
    const [former, later] = forms.map(({ form }) => form) as [Form, Form];
    compareValues(former, later, at, direction);
    compareProperties(former, later, at, direction);
    if (former.items.length > 0 && later.items.length > 0)
      compare(together(former.items), together(later.items), `${at}[]`, direction);
  };

  /** Compares two parameters. One value of a list in a query is sent like a single one. */
  const compareParameters = (one: JsonSchema, other: JsonSchema, where: string): void => {
    const [{ form: former }, { form: later }] = [
      formOf(one, before.components.schemas),
      formOf(other, after.components.schemas),
    ];
    const isListNow = later.types.has('array') && !former.types.has('array');
    if (isListNow) note(false, where, 'takes several values');
    compare(one, isListNow ? together(later.items) : other, where, 'sent');
  };

  return { compare, compareParameters };
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
  const { compare, compareParameters } = newComparison(before, after, note);
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
        compareParameters(was.schema, is.schema, `${name}, ${parameter}`);
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
  const [sent, sentNow] = [before, after].map(({ webhooks = {} }) => webhooks) as [Events, Events];
  for (const [event, { post }] of Object.entries(sent)) {
    const now = sentNow[event]?.post;
    const [schema, schemaNow] = [post, now].map(
      (one) => one?.requestBody?.content['application/json']?.schema,
    );
    if (schema && schemaNow) compare(schema, schemaNow, `event ${event}`, 'read');
    else note(true, `event ${event}`, 'is gone');
  }
  for (const event of Object.keys(sentNow)) if (!(event in sent)) note(false, `event ${event}`, 'is new');
  return [...differences].map(([text, isBreaking]) => ({ isBreaking, text }));
};

const AREAS: readonly [title: string, isOf: (where: string) => boolean][] = [
  ['Operations', (where) => /^[A-Z]+ \S+$/.test(where)],
  ['Parameters, bodies and replies', (where) => /^[A-Z]+ /.test(where)],
  ['Events', (where) => where.startsWith('event ')],
  ['Fields and values', () => true],
];

/** Where a difference is, and what. */
const partsOf = (text: string): [where: string, what: string] => {
  const end = text.lastIndexOf(': ');
  return [text.slice(0, end), text.slice(end + 2)];
};

/** The differences as a section of a changelog, in Markdown: the breaking ones first, then a line for each place. */
export const changelogOf = (differences: readonly Difference[]): string => {
  const breaking = differences.filter(({ isBreaking }) => isBreaking).map(({ text }) => `- ${text}`);
  const others = differences.filter(({ isBreaking }) => !isBreaking).map(({ text }) => partsOf(text));
  const sections = [...Map.groupBy(others, ([where]) => AREAS.find(([, isOf]) => isOf(where))![0])];
  const linesOf = (parts: readonly (readonly [string, string])[]): string[] => {
    // Fields of one component share a line.
    const named = parts.map(([where, what]) => {
      const [owner = where, ...rest] = where.split(/, |(?<=^[A-Z]\w*)\./);
      const place = rest.join(', ');
      return [owner, place ? `\`${place}\` ${what}` : what] as const;
    });
    return [...Map.groupBy(named, ([owner]) => owner)].map(
      ([owner, list]) => `- \`${owner}\`: ${list.map(([, what]) => what).join('; ')}`,
    );
  };
  return [
    ...(breaking.length > 0 ? ['#### Breaks clients', '', ...breaking, ''] : []),
    ...AREAS.flatMap(([title]) => {
      const parts = sections.find(([name]) => name === title)?.[1] ?? [];
      return parts.length === 0 ? [] : [`#### ${title}`, '', ...linesOf(parts), ''];
    }),
  ]
    .join('\n')
    .trimEnd();
};

type Version = Pick<OpenApiDocument['info'], 'version'>;

const majorOf = ({ version }: Version): string => version.split('.')[0]!;

/** Whether differences break clients to whom that was not said by another major number. */
export const breaksClients = (differences: readonly Difference[], before: Version, now: Version): boolean =>
  differences.some(({ isBreaking }) => isBreaking) && majorOf(before) === majorOf(now);
