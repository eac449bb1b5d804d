import { differencesOf } from '../../../infra/openapi/differences.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { OpenApiDocument } from '../../../infra/openapi/document/types.ts';
import { operationEntries } from '../../support/catalogue.ts';

const AREAS = new Set(['locations', 'findings']);
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
])('it %s', (text, change) => {
  expect(after(change)).toContain(text);
});
