import { loadCatalogue } from '../../../infra/catalogue.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { OperationObject } from '../../../infra/openapi/document/types.ts';
import { isFile } from '../../../shared/http/operation/operation.ts';
import { UNNOTICED } from '../../../shared/schemas/common.ts';
import { EVENTS } from '../../../shared/schemas/event-data.ts';
import { operationEntries } from '../../support/catalogue.ts';

const operations = operationEntries().map(({ operation }) => operation);

/** The names of the schemas that a GET by id answers with, by its path. */
const READABLE = new Map(
  operations.flatMap(({ method, list, path, response }) =>
    method === 'GET' && !list && !isFile(response) ? [[path, response.meta()?.id] as const] : [],
  ),
);

/** The paths of lists, in which the progress of a 202 can be followed. */
const LISTED = operations.flatMap(({ method, list, path }) => (method === 'GET' && list ? [path] : []));

const MADE = operations.filter(({ success, access }) => [201, 202].includes(success) && access !== 'person');

test.each(MADE.map((operation) => [operation.id, operation] as const))(
  '%s has a Location if a GET answers with its reply',
  (_, { location, response, success }) => {
    if (location !== undefined || success === 202)
      expect([...READABLE.keys(), ...(success === 202 ? LISTED : [])]).toContain(location);
    else if (!isFile(response)) expect([...READABLE.values()]).not.toContain(response.meta()?.id);
  },
);

test.each([
  ['ClientAccount', 'locations_count'],
  ['Document', 'used_by_count'],
  ['Report', 'is_stale'],
  ['Report', 'is_current'],
  ['Connection', 'sources_count'],
  ['Source', 'rows_count'],
  ['Webhook', 'last_failure'],
])('%s says that `updated_since` does not find changes of %s', async (schema, field) => {
  const { components } = openApiDocument(await loadCatalogue());
  const properties = components.schemas[schema]!['properties'] as Record<string, { description: string }>;
  expect(properties[field]!.description).toContain(UNNOTICED);
});

test('the reference says which operation emits an event, and what a delivery has as headers', async () => {
  const { tags, webhooks, components } = openApiDocument(await loadCatalogue());
  const { description = '' } = tags.find(({ name }) => name === 'Events')!;
  for (const type of Object.keys(EVENTS)) expect(description).toMatch(new RegExp(`\\| \`${type}\` \\| \\S`));
  expect(description).toMatch(
    /\| `inspection.approved` \| .*`POST \/v1\/inspections\/\{inspection_id\}\/advance`/,
  );
  expect(description).toContain('| `report.ready` | the service itself |');
  const names = webhooks!['report.ready']!.post.parameters!.map(
    (parameter) => '$ref' in parameter && components.parameters[parameter.$ref.split('/').at(-1)!]!.name,
  );
  expect(names).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
});

test('the reference says of a deprecated operation since when, until when, and what to call instead', () => {
  const [entry] = operationEntries();
  const deprecated = { since: '2027-03-01', sunset: '2028-03-01', instead: 'GET /v1/items' };
  const { paths, components } = openApiDocument({
    operations: [{ ...entry!, operation: { ...entry!.operation, deprecated } }],
    workers: [],
  });
  const [operation] = Object.values(Object.values(paths)[0]!) as OperationObject[];
  expect(operation!.deprecated).toBe(true);
  expect(operation!.description).toContain(
    '**Deprecated** since 2027-03-01, and gone on 2028-03-01. Call `GET /v1/items` instead.',
  );
  expect(Object.values(operation!.responses)[0]).toMatchObject({
    headers: {
      Deprecation: { $ref: '#/components/headers/Deprecation' },
      Sunset: { $ref: '#/components/headers/Sunset' },
    },
  });
  expect(components.headers).toMatchObject({ Deprecation: {}, Sunset: {} });
});
