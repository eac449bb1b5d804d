import packageJson from '../../package.json' with { type: 'json' };
import { appOperations, type Catalogue, keyOperations } from '../catalogue.ts';
import { inReadingOrder, tagsOf } from './document/areas.ts';
import { componentsOf } from './document/components.ts';
import { inputSchemas, outputSchemas } from './document/declaration.ts';
import { pathsOf } from './document/operations.ts';
import { jsonSchemas, withDefaultsInWords } from './document/schemas.ts';
import type { OpenApiDocument } from './document/types.ts';
import { eventSchemas, webhooksOf } from './document/webhooks.ts';
import { INTRODUCTION } from './prose.ts';

/** The address of a service that nobody has named: addresses in a document are absolute. */
const NO_ADDRESS = 'https://api.example.org';

/**
 * The OpenAPI 3.1 document of the operations that are called with an API key, or by signed-in people. It leaves out the pages: a client gets their
 * URLs in replies and never builds one, and generated clients should not have functions for them. Its order does not depend on the order of the catalogue.
 * @param baseUrl the part of the service's address before `/v1`, without a slash at its end
 * @param peopleUrl the part of the address of the API for people before `/app`
 * @throws Error when JSON Schema cannot express a declared schema, or no example can be made for it
 */
export const openApiDocument = (
  catalogue: Catalogue,
  baseUrl = NO_ADDRESS,
  peopleUrl = baseUrl,
): OpenApiDocument => {
  const { operations: all } = catalogue;
  const entries = inReadingOrder([...keyOperations(all), ...appOperations(all)]);
  const operations = entries.map(({ operation }) => operation);
  const events = eventSchemas(operations);
  const schemas = jsonSchemas(operations.flatMap(inputSchemas), [
    ...operations.flatMap(outputSchemas),
    ...events.values(),
  ]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Inspection service API',
      version: packageJson.version,
      description: INTRODUCTION,
      license: { name: 'Apache License 2.0', identifier: packageJson.license },
    },
    servers: [{ url: `${baseUrl}/v1` }],
    security: [{ apiKey: [] }],
    tags: tagsOf(entries, catalogue),
    paths: pathsOf(entries, schemas, peopleUrl),
    ...(events.size > 0 && { webhooks: webhooksOf(events, schemas) }),
    // The examples above are made with the keyword.
    components: componentsOf(withDefaultsInWords(schemas.components), {
      hasWebhooks: events.size > 0,
      hasDeprecated: operations.some(({ deprecated }) => deprecated !== undefined),
    }),
  };
};
