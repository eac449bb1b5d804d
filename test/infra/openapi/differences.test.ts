import { changelogOf, differencesOf } from '../../../infra/openapi/differences.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { OpenApiDocument, Parameter } from '../../../infra/openapi/document/types.ts';
import { operationEntries } from '../../support/catalogue.ts';

const AREAS = new Set(['locations', 'findings', 'events']);
const document = openApiDocument({
  operations: operationEntries().filter(({ area }) => AREAS.has(area)),
  workers: [],
});

/** The differences after somebody has changed the document. */
const after = (change: (document: OpenApiDocument) => void): string[] => {
  const later = structuredClone(document);
  change(later);
  return differencesOf(document, later).map(
    ({ isBreaking, text }) => `${isBreaking ? 'breaks' : 'adds'} ${text}`,
  );
};

// A schema of the document, whatever it holds.
// oxlint-disable-next-line typescript/no-explicit-any
const schema = ({ components }: OpenApiDocument, name: string): any => components.schemas[name];

const parameterOf = (paths: OpenApiDocument['paths'], wanted: string) =>
  paths['/locations']!.get!.parameters!.find((one) => 'name' in one && one.name === wanted) as Parameter;

/** Says a component as one of two forms, of which the second one has a property less. */
const split = (later: OpenApiDocument, name: string, without: string): void => {
  const whole = schema(later, name);
  const { [without]: _, ...properties } = whole.properties;
  const second = { ...whole, properties, required: whole.required.filter((one: string) => one !== without) };
  Object.assign(later.components.schemas, {
    First: whole,
    Second: second,
    [name]: { oneOf: [ref('First'), ref('Second')] },
  });
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a body that is one of several forms later is not different, if each request fits one of them', () => {
  expect(after((later) => split(later, 'NewLocation', 'kind'))).toEqual([]);
});

test('a body that takes no other properties later breaks', () => {
  const before = structuredClone(document);
  delete schema(before, 'NewLocation').additionalProperties;
  expect(differencesOf(before, document)).toEqual([
    { isBreaking: true, text: 'NewLocation: takes no other properties' },
  ]);
});

test('a reply that is one of several forms later breaks when one of them lacks something', () => {
  expect(after((later) => split(later, 'Location', 'kind'))).toEqual([
    'breaks Location.kind: may be missing',
  ]);
});

test('the changelog names what breaks first, and each place once', () => {
  expect(
    changelogOf([
      { isBreaking: false, text: 'GET /cranes: is new' },
      { isBreaking: false, text: 'GET /locations, query.crane: is new' },
      { isBreaking: false, text: 'Location.crane: is new' },
      { isBreaking: false, text: 'Location.crane.tags[]: "old" is new' },
      { isBreaking: true, text: 'Location.name: is gone' },
      { isBreaking: false, text: 'event crane.lifted: is new' },
    ]),
  ).toBe(`#### Breaks clients

- Location.name: is gone

#### Operations

- \`GET /cranes\`: is new

#### Parameters, bodies and replies

- \`GET /locations\`: \`query.crane\` is new

#### Events

- \`event crane.lifted\`: is new

#### Fields and values

- \`Location\`: \`crane\` is new; \`crane.tags[]\` "old" is new`);
});

test('a document is not different from itself', () => {
  expect(differencesOf(document, structuredClone(document))).toEqual([]);
});

test.each<[string, (document: OpenApiDocument) => void]>([
  ['breaks GET /locations: is gone', ({ paths }) => delete paths['/locations']!.get],
  ['adds GET /cranes: is new', ({ paths }) => (paths['/cranes'] = { get: paths['/locations']!.get! })],
  ['adds GET /locations: is deprecated', ({ paths }) => (paths['/locations']!.get!.deprecated = true)],
  ['breaks NewLocation.kind: is gone', (later) => delete schema(later, 'NewLocation').properties.kind],
  ['breaks NewLocation.kind: is required', (later) => schema(later, 'NewLocation').required.push('kind')],
  [
    'breaks NewLocation.name: maxLength is 3',
    (later) => (schema(later, 'NewLocation').properties.name.maxLength = 3),
  ],
  [
    'adds NewLocation.colour: is new',
    (later) => (schema(later, 'NewLocation').properties.colour = { type: 'string' }),
  ],
  ['breaks Location.name: is gone', (later) => delete schema(later, 'Location').properties.name],
  [
    'breaks Location.name: may be missing',
    (later) =>
      schema(later, 'Location').required.splice(schema(later, 'Location').required.indexOf('name'), 1),
  ],
  [
    'breaks Location.name: may be null',
    (later) => (schema(later, 'Location').properties.name.type = ['string', 'null']),
  ],
  [
    'adds Location.colour: is new',
    (later) => (schema(later, 'Location').properties.colour = { type: 'string' }),
  ],
  [
    'breaks Severity: "major" is gone',
    (later) => schema(later, 'Severity').enum.splice(schema(later, 'Severity').enum.indexOf('major'), 1),
  ],
  ['adds Severity: "extreme" is new', (later) => schema(later, 'Severity').enum.push('extreme')],
  [
    'adds GET /locations, query.kind: takes several values',
    ({ paths }) => {
      const parameter = parameterOf(paths, 'kind');
      parameter.schema = { type: 'array', items: parameter.schema, maxItems: 50 };
    },
  ],
  [
    'breaks GET /locations, query.kind: maxLength is 3',
    ({ paths }) => (parameterOf(paths, 'kind').schema.maxLength = 3),
  ],
  ['breaks event location.created: is gone', ({ webhooks }) => delete webhooks!['location.created']],
])('it %s', (text, change) => {
  expect(after(change)).toContain(text);
});
