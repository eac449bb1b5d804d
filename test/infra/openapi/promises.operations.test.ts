import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadCatalogue } from '../../../infra/catalogue.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import {
  COMPONENT,
  componentsIn,
  type Definitions,
  type JsonSchema,
  mapSchema,
} from '../../../infra/openapi/document/json-schema.ts';
import { ENUM_NAMES } from '../../../infra/openapi/document/names.ts';
import { isMeaning, MAY_GROW } from '../../../infra/openapi/document/schemas.ts';
import type {
  OpenApiDocument,
  OperationObject,
  Parameter,
  Reference,
} from '../../../infra/openapi/document/types.ts';
import {
  OPERATION_SENTENCES,
  PARAMETER_SENTENCES,
  PROPERTY_SENTENCES,
} from '../../../infra/openapi/sentences.ts';

// What integrators can rely on in the service's own document.

let document: OpenApiDocument;
let schemas: Definitions;
let operations: OperationObject[];
let replied: Set<string>;
let requested: Set<string>;

beforeAll(async () => {
  document = openApiDocument(await loadCatalogue());
  ({ schemas } = document.components);
  operations = Object.values(document.paths).flatMap((item) =>
    Object.values(item).filter((value): value is OperationObject => 'operationId' in value),
  );
  const events = Object.values(document.webhooks!).map(({ post }) => post.requestBody);
  replied = componentsIn([operations.map(({ responses }) => responses), events], schemas);
  const inputs = operations.map(({ parameters, requestBody }) => [parameters, requestBody]);
  requested = componentsIn(inputs, schemas);
});

/** The schemas of the given components, in themselves and in what they contain, each with its place. */
const partsOf = (names: Iterable<string>): [string, JsonSchema][] => {
  const parts: [string, JsonSchema][] = [];
  const visit = (schema: JsonSchema, place: string): void => {
    parts.push([place, schema]);
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      visit(property as JsonSchema, `${place}.${name}`);
    for (const keyword of ['items', 'additionalProperties', 'propertyNames'] as const)
      if (typeof schema[keyword] === 'object') visit(schema[keyword] as JsonSchema, `${place}[]`);
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const)
      for (const branch of (schema[keyword] as JsonSchema[] | undefined) ?? []) visit(branch, `${place}|`);
  };
  for (const name of names) visit(schemas[name]!, name);
  return parts;
};

/** The places of the schemas that meet a condition. */
const places = (names: Iterable<string>, isMeant: (schema: JsonSchema, place: string) => unknown): string[] =>
  partsOf(names).flatMap(([place, schema]) => (isMeant(schema, place) ? [place] : []));

/** Whether it lists the values of a property. One value tells a form from others, and does not grow. */
const isEnum = ({ enum: values = [] }: JsonSchema) => values.length > 1;

const isObject = ({ properties }: JsonSchema) => properties !== undefined;

test('replies may gain fields, and requests refuse unknown ones', () => {
  expect(places(replied, ({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  const open = places(requested, (schema) => isObject(schema) && schema.additionalProperties !== false);
  // RFC 6902, section 4: members that are not defined for an operation must be ignored.
  expect(open.filter((place) => !place.startsWith('PatchOperation'))).toEqual([]);
});

test('every list of values that a reply uses says that it may grow', () => {
  const mayNotGrow = (schema: JsonSchema) => isEnum(schema) && !schema.description?.includes(MAY_GROW);
  expect(places(replied, mayNotGrow)).toEqual([]);
});

test('no default is a keyword, which openapi-typescript takes for "required"', () => {
  expect(places(Object.keys(schemas), (schema) => 'default' in schema)).toEqual([]);
});

test('every enum and object has a name', () => {
  const isNamed = (place: string) => place in schemas;
  const anonymous = (schema: JsonSchema, place: string) =>
    (isEnum(schema) || isObject(schema)) && !isNamed(place);
  expect(places(Object.keys(schemas), anonymous)).toEqual([]);
  expect(Object.keys(ENUM_NAMES).filter((name) => !schemas[name]?.enum)).toEqual([]);
});

test('lists beside null and single values have the form that all generators read', () => {
  const isOther = ({ const: only, type, items }: JsonSchema) =>
    only !== undefined || (items !== undefined && Array.isArray(type));
  expect(places(Object.keys(schemas), isOther)).toEqual([]);
});

test('every operation lists its error codes, and the header names them all', () => {
  const all = schemas['ErrorCode']!.enum!;
  expect(document.components.headers['ErrorCode']!.schema).toEqual({
    $ref: '#/components/schemas/ErrorCode',
  });
  const listed = operations.map(
    (operation) => [operation.operationId, operation['x-error-codes'] ?? []] as const,
  );
  expect(listed.filter(([, codes]) => codes.length === 0).map(([id]) => id)).toEqual([]);
  expect(listed.flatMap(([, codes]) => codes).filter((code) => !all.includes(code))).toEqual([]);
  const codesOf = (id: string) => listed.find(([other]) => other === id)![1];
  expect(codesOf('deleteLocation')).toEqual(
    expect.arrayContaining(['location_scheduled', 'still_used', 'version_mismatch', 'api_key_read_only']),
  );
  expect(codesOf('deleteLocation')).not.toContain('inspection_locked');
  expect(codesOf('getLocation')).not.toContain('api_key_read_only');
  expect(codesOf('createLocation')).toEqual(
    expect.arrayContaining(['idempotency_key_invalid', 'idempotency_key_reused']),
  );
});

test('what a session changes, and nothing else, is refused without the origin of the service, and says so', () => {
  const paths = Object.values(document.paths).flatMap(({ servers: _servers, ...methods }) =>
    Object.entries(methods),
  );
  const rows = paths.map(([method, { operationId, security, responses, 'x-error-codes': codes = [] }]) => ({
    operationId,
    isChecked: method !== 'get' && security?.some((scheme) => 'session' in scheme) === true,
    isNamed: codes.includes('foreign_origin'),
    isDescribed: JSON.stringify(responses['403']).includes('/ForbiddenOrForeign'),
  }));
  expect(rows.filter(({ isChecked, isNamed }) => isChecked !== isNamed)).toEqual([]);
  expect(rows.filter(({ isChecked, isDescribed }) => isChecked !== isDescribed)).toEqual([]);
  expect(rows.some(({ isChecked }) => isChecked)).toBe(true);
  const { description } = document.components.responses['ForbiddenOrForeign']!;
  expect(description).toContain('`Origin`');
});

test('every engine of regular expressions reads the patterns', () => {
  const patterns = partsOf(Object.keys(schemas)).flatMap(([, { pattern }]) => pattern ?? []);
  // Classes of Unicode, an escaped slash, escapes of four digits, look-around, groups without a number.
  expect(patterns.filter((pattern) => /\\[pPu/]|\(\?/.test(pattern))).toEqual([]);
});

/*
 * What openapi-spec-validator checks besides the form of the document: names in paths, ids, parameters, defaults, and
 * properties that are required.
 */

const parameterOf = (parameter: Parameter | Reference): Parameter =>
  '$ref' in parameter ? document.components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter;

test('each name in a path is a parameter of its operations, which have no others in their path', () => {
  const wrong = Object.entries(document.paths).flatMap(([path, { servers: _servers, ...methods }]) =>
    Object.values(methods).flatMap(({ operationId, parameters = [] }) => {
      const inPath = parameters.map(parameterOf).filter((parameter) => parameter.in === 'path');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const isSame = new Set(named).symmetricDifference(new Set(inPath.map(({ name }) => name))).size === 0;
      return isSame && inPath.every(({ required }) => required) ? [] : [operationId];
    }),
  );
  expect(wrong).toEqual([]);
});

const isApp = (path: string): boolean => path.startsWith('/app/');

/** Every operation with its path and method. */
const operationsByPath = () =>
  Object.entries(document.paths).flatMap(([path, { servers: _servers, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('every 202 of a program says where its progress can be followed', () => {
  const silent = operationsByPath().filter(({ path, operation: { responses } }) => {
    const reply = responses['202'];
    return reply && !isApp(path) && !JSON.stringify(reply).includes('/headers/Location');
  });
  expect(silent.map(({ operation }) => operation.operationId)).toEqual([]);
});

test('a cursor is described as the reply gives it: in the Link header of an array, in a field of an object', () => {
  const described = operationsByPath().flatMap(
    ({ operation: { operationId, parameters = [], responses } }) => {
      const cursor = parameters.map(parameterOf).find(({ name }) => name === 'cursor');
      if (!cursor) return [];
      const reply = JSON.stringify(responses['200']);
      const source = reply.includes('"type":"array"') ? '`Link`' : '`next_cursor`';
      return [{ operationId, isRight: cursor.description?.includes(source) === true }];
    },
  );
  expect(described.length).toBeGreaterThan(50);
  expect(described.filter(({ isRight }) => !isRight)).toEqual([]);
});

test('the introduction explains every field of an entry of a 422, and every root of a path in a description', () => {
  const { description } = document.info;
  for (const field of Object.keys(schemas['Problem']!.properties!))
    expect(description).toContain(`- \`${field}\` `);
  const texts = operations.map((operation) => operation.description ?? '').join(' ');
  const roots = new Set([...texts.matchAll(/`(?:[A-Z]+ )?(\/(?:app\/)?v1)\b/g)].map(([, root]) => root!));
  expect([...roots].toSorted()).toEqual(['/app/v1', '/v1']);
  for (const root of roots) expect(description).toContain(`\`${root}\``);
});

test('every address in a description is one of an operation', () => {
  const known = new Set(
    operationsByPath().flatMap(({ path, method }) =>
      [path, `/v1${path}`, `/app/v1${path}`].map((each) => `${method} ${each}`),
    ),
  );
  const named = operations.flatMap(({ operationId, description = '' }) =>
    [...description.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?…\s]*)(?:\?[^`]*)?`/g)].map(
      ([, method, path]) => ({
        operationId,
        address: `${method!.toLowerCase()} ${path}`,
      }),
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ address }) => !known.has(address))).toEqual([]);
});

const repeated = (names: readonly string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

test('no two operations have one id, and no two parameters of an operation one name', () => {
  expect(repeated(operations.map(({ operationId }) => operationId))).toEqual([]);
  const parameters = operations.flatMap((operation) =>
    repeated((operation.parameters ?? []).map(parameterOf).map((one) => `${one.in} ${one.name}`)),
  );
  expect(parameters).toEqual([]);
});

test('the default of a parameter is one of its values', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  const given = operations
    .flatMap(({ parameters = [] }) => parameters.map(parameterOf))
    .filter(({ schema }) => 'default' in schema);
  expect(given.length).toBeGreaterThan(0);
  const pointed = (schema: JsonSchema): JsonSchema =>
    mapSchema(schema, (part) => (part.$ref ? { ...part, $ref: `document${part.$ref}` } : part));
  expect(given.filter(({ schema }) => !ajv.validate(pointed(schema), schema.default))).toEqual([]);
});

test('no schema requires what it does not declare', () => {
  const undeclared = ({ required = [], properties = {} }: JsonSchema) =>
    required.some((name) => !(name in properties));
  expect(places(Object.keys(schemas), undeclared)).toEqual([]);
  const bodies = operations.flatMap(({ requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((body) =>
      body && 'content' in body ? Object.values(body.content ?? {}).map(({ schema }) => schema) : [],
    ),
  );
  expect(bodies.filter(undeclared)).toEqual([]);
});

test('addresses are absolute', () => {
  const servers = [document, ...Object.values(document.paths)].flatMap((place) => place.servers ?? []);
  expect(servers.filter(({ url }) => !URL.canParse(url))).toEqual([]);
});

test('every property, parameter and operation has a sentence', () => {
  const isSaid = (schema: JsonSchema): boolean => {
    const { description, $ref, anyOf = [], items } = schema;
    if (isMeaning(description)) return true;
    if ($ref) return isMeaning(schemas[$ref.slice(COMPONENT.length)]!.description);
    return (
      anyOf.some((branch) => (branch.$ref ?? branch.items) && isSaid(branch)) ||
      (items !== undefined && '$ref' in Object(items) && isSaid(items as JsonSchema))
    );
  };
  const silent = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([property, schema]) =>
      isSaid(schema as JsonSchema) ? [] : [`${name}.${property}`],
    ),
  );
  expect(silent).toEqual([]);
  const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.flatMap((parameter) =>
      '$ref' in parameter || isMeaning(parameter.description) ? [] : [`${operationId}?${parameter.name}`],
    ),
  );
  expect(parameters).toEqual([]);
  expect(operations.filter(({ description }) => !description).map(({ operationId }) => operationId)).toEqual(
    [],
  );
});

test('every sentence of the reference is used', () => {
  const sentences = new Set([
    ...partsOf(Object.keys(schemas)).map(([, { description }]) =>
      description?.replace(/ Default: `.*`\.$/, ''),
    ),
    ...operations.flatMap(({ description, parameters = [] }) => [
      ...(description ?? '').split('\n\n'),
      ...parameters.map((parameter) => ('$ref' in parameter ? '' : parameter.description)),
    ]),
  ]);
  const written = { ...PROPERTY_SENTENCES, ...PARAMETER_SENTENCES, ...OPERATION_SENTENCES };
  expect(
    Object.entries(written)
      .filter(([, sentence]) => !sentences.has(sentence))
      .map(([name]) => name),
  ).toEqual([]);
});

/** The values of all examples with the names of their properties, and the operation or event that has them. */
const exampleValues = (): [string, string, unknown][] => {
  const values: [string, string, unknown][] = [];
  const visit = (value: unknown, name: string, id: string): void => {
    if (Array.isArray(value)) for (const entry of value) visit(entry, name.replace(/s$/, ''), id);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) visit(inner, key, id);
    else values.push([id, name, value]);
  };
  const events = Object.values(document.webhooks!).map(({ post }) => post);
  for (const { operationId, requestBody, responses } of [...operations, ...events])
    for (const part of [requestBody, ...Object.values(responses)])
      for (const { example } of Object.values((part && 'content' in part && part.content) || {}))
        visit(example, '', operationId);
  return values;
};

test('the examples tell one story: no value is made of the name of its property', () => {
  const made = exampleValues().filter(
    ([, name, value]) =>
      // A source takes a column that is called as the field is.
      name !== 'name' &&
      typeof value === 'string' &&
      value.toLowerCase() === name.replaceAll('_', ' ').toLowerCase(),
  );
  expect(made.map(([id, name]) => `${id}: ${name}`)).toEqual([]);
});

test('the examples tell one story: a resource has the same id wherever it is named', () => {
  const idsOf = (name: string) =>
    new Set(exampleValues().flatMap(([, key, value]) => (key === name && value ? [value] : [])));
  for (const name of [
    'inspection_id',
    'location_id',
    'client_account_id',
    'template_family_id',
    'finding_id',
  ])
    expect([name, idsOf(name).size]).toEqual([name, 1]);
  const { content } = document.paths['/locations/{location_id}']!.get!.responses['200'] as unknown as {
    content: Record<string, { example: { id: string } }>;
  };
  expect([...idsOf('location_id')]).toEqual([content['application/json']!.example.id]);
});

test('one thing has one name, as the rules of the reference say', () => {
  const names = new Set(
    partsOf(Object.keys(schemas)).flatMap(([, { properties = {} }]) => Object.keys(properties)),
  );
  const others = /^(location_count|content_type|file_size|md5|checksum|is_enabled|is_disabled)$/;
  expect([...names].filter((name) => others.test(name))).toEqual([]);
  const verbs = operations
    .map(({ operationId }) => operationId)
    .filter((id) => /^(app)?(fetch|add|edit|patch|remove(?!Member))[A-Z]/.test(id));
  expect(verbs).toEqual(['editTemplateWithAi']);
});
