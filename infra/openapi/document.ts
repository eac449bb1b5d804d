import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import type { FileResponse } from '../../shared/http/file.ts';
import type { Multipart } from '../../shared/http/multipart.ts';
import { isFile, isMultipart, type Method, type Operation } from '../../shared/http/operation.ts';
import type { Catalogue, OperationEntry } from '../catalogue.ts';
import { exampleOf } from './example.ts';
import { AREAS, ERRORS, INTRODUCTION, SHOWN_WITH } from './prose.ts';
import { COMPONENT, jsonSchemas, type JsonSchema } from './schemas.ts';

type Reference = { $ref: string };

interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  encoding?: Record<string, { contentType: string }>;
}

interface Header {
  description?: string;
  schema: JsonSchema;
}

export interface Parameter extends Header {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example?: unknown;
}

interface Reply {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

interface OperationObject {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  parameters?: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Reply | Reference>;
}

/** The part of OpenAPI 3.1 that the service's document consists of. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  security: Record<string, []>[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Partial<Record<Lowercase<Method>, OperationObject>>>;
  components: {
    securitySchemes: Record<string, object>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, Reply>;
    schemas: Record<string, JsonSchema>;
  };
}

type ErrorStatus = keyof typeof ERRORS;

const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const SUCCESS = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the work runs on.',
  204: 'Deleted.',
} as const satisfies Record<Operation['success'], string>;

const ACCESS = {
  read: '',
  write: 'Needs a read & write key.',
  person: 'Needs a signed-in person: every API key is answered `403`.',
} as const satisfies Record<Operation['access'], string>;

const STANDARD: Pick<OpenApiDocument['components'], 'parameters' | 'headers' | 'schemas'> = {
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'Makes a repetition harmless for 24 hours: it gets the first reply again.',
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
      example: '6f1c2f0e-crane-7-march',
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      description:
        'The version to be changed, as an alternative to `expected_version`. Another one is a `409`.',
      schema: { type: 'string', pattern: String.raw`^"\d+"$` },
      example: '"3"',
    },
  },
  headers: {
    Link: {
      description: 'The next page, while there is one: `<…>; rel="next"`.',
      schema: { type: 'string' },
    },
    ETag: {
      description: 'The `version` of the resource, quoted, as `If-Match` takes it.',
      schema: { type: 'string' },
    },
    IdempotentReplayed: {
      description: '`true` on a reply that an earlier request with the same `Idempotency-Key` got first.',
      schema: { type: 'string', const: 'true' },
    },
  },
  schemas: {
    Error: {
      type: 'object',
      properties: { detail: { type: 'string', description: 'A diagnostic for logs.' } },
      required: ['detail'],
    },
    ValidationError: {
      type: 'object',
      properties: { detail: { type: 'array', items: { $ref: `${COMPONENT}Problem` } } },
      required: ['detail'],
    },
    Problem: {
      type: 'object',
      properties: {
        loc: {
          type: 'array',
          items: { type: 'string' },
          description: 'Where: `body`, `query`, `path` or `header`, then the names on the way to the value.',
        },
        msg: { type: 'string', description: 'What is wrong, for a human.' },
        type: { type: 'string', description: 'What is wrong, for a machine.' },
        input: { description: 'The refused value, where it helps.' },
        ctx: { type: 'object', description: 'The limit that was missed, where there is one.' },
      },
      required: ['loc', 'msg', 'type'],
    },
  },
};

const isOptional = (schema: z.ZodType) => schema.safeParse(undefined).success;

const inputsOf = ({ params, query, body }: Operation): z.ZodType[] => [
  ...Object.values(params?.shape ?? {}),
  ...Object.values(query?.shape ?? {}),
  ...(!body
    ? []
    : isMultipart(body)
      ? [...Object.values(body.fields.shape), body.json ?? []].flat()
      : [body]),
];

/** The object beneath what may wrap it, if it is one. */
const objectOf = (schema: z.core.$ZodType): z.ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema;
  const {
    innerType,
    out,
    in: from,
  } = schema._zod.def as {
    innerType?: z.core.$ZodType;
    out?: z.core.$ZodType;
    in?: z.core.$ZodType;
  };
  return [innerType, out, from].map((inner) => inner && objectOf(inner)).find((found) => found !== undefined);
};

const hasField = (schema: z.ZodType | FileResponse | undefined, name: string) =>
  schema !== undefined && !isFile(schema) && name in (objectOf(schema)?.shape ?? {});

const takesVersion = ({ body, guarded = false }: Operation) =>
  guarded || (body !== undefined && hasField(isMultipart(body) ? body.fields : body, 'expected_version'));

const fileContent = ({ mediaTypes, description }: FileResponse): Record<string, MediaType> =>
  Object.fromEntries(
    mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary', description } }]),
  );

/** The statuses of an operation's failures: those of its form, and those it declares. */
const errorStatuses = (operation: Operation): ErrorStatus[] => {
  const { method, params, body, errors = [] } = operation;
  const statuses: [ErrorStatus, boolean][] = [
    [400, body !== undefined],
    [401, true],
    [403, true],
    [404, params !== undefined],
    [409, method === 'POST' || takesVersion(operation)],
    [422, true],
    [429, true],
    [500, true],
    [503, true],
  ];
  return statuses.flatMap(([status, applies]) =>
    applies || (errors as readonly number[]).includes(status) ? [status] : [],
  );
};

const errorReplies = (): Record<string, Reply> =>
  Object.fromEntries(
    Object.values(ERRORS).map(({ name, description, detail }) => [
      name,
      {
        description,
        content: {
          'application/json': {
            schema: { $ref: COMPONENT + (typeof detail === 'string' ? 'Error' : 'ValidationError') },
            example: { detail },
          },
        },
      },
    ]),
  );

/** The area under which the reference shows an operation. */
const shownArea = ({ area }: OperationEntry): string => SHOWN_WITH[area] ?? area;

const inReadingOrder = (operations: OperationEntry[]) => {
  const areas = [...new Set([...Object.keys(AREAS), ...operations.map(shownArea)])];
  return operations.toSorted(
    (a, b) =>
      areas.indexOf(shownArea(a)) - areas.indexOf(shownArea(b)) ||
      (a.operation.path < b.operation.path ? -1 : Number(a.operation.path > b.operation.path)) ||
      METHODS.indexOf(a.operation.method) - METHODS.indexOf(b.operation.method),
  );
};

/**
 * The OpenAPI 3.1 document of the declared operations, always in the same order. `baseUrl` is what stands before
 * `/v1`: nothing where the document is served by the service itself. Throws where a declaration's schema cannot
 * be expressed or shown by an example; the text says what the schema lacks.
 */
export const openApiDocument = (catalogue: Catalogue, baseUrl = ''): OpenApiDocument => {
  const entries = inReadingOrder(catalogue.operations);
  const operations = entries.map(({ operation }) => operation);
  const schemas = jsonSchemas(
    operations.flatMap(inputsOf),
    operations.flatMap(({ response }) => (isFile(response) ? [] : [response])),
  );
  for (const name of Object.keys(STANDARD.schemas))
    if (name in schemas.components) throw new Error(`the schema id ${name} is taken by the error replies`);

  const json = (schema: JsonSchema, name: string, declared: unknown): Record<string, MediaType> => ({
    'application/json': {
      schema,
      example: declared === undefined ? exampleOf(schema, schemas.components, name) : declared,
    },
  });

  const parametersIn = (place: 'path' | 'query', object: z.ZodObject | undefined): Parameter[] =>
    Object.entries((object?.shape ?? {}) as Record<string, z.ZodType>).map(([name, type]) => {
      const { description, ...schema } = schemas.of(type, 'input');
      return {
        name,
        in: place,
        ...(description && { description }),
        ...((place === 'path' || !isOptional(type)) && { required: true }),
        schema,
        ...(place === 'path' && { example: exampleOf(schema, schemas.components, name) }),
      };
    });

  const form = ({ fields, files }: Multipart, declared: unknown): Record<string, MediaType> => {
    const texts = Object.entries(fields.shape);
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          Object.entries(files).map(([name, { maxBytes, mediaTypes, description }]) => [
            name,
            {
              type: 'string',
              format: 'binary',
              description: `${description} At most ${maxBytes.toLocaleString('en')} bytes.`,
              maxLength: maxBytes,
              ...(mediaTypes?.length === 1 && { contentMediaType: mediaTypes[0] }),
            },
          ]),
        ),
        ...Object.fromEntries(texts.map(([name, type]) => [name, schemas.of(type, 'input')])),
      },
      required: [
        ...Object.entries(files).flatMap(([name, { required }]) => (required ? [name] : [])),
        ...texts.flatMap(([name, type]) => (isOptional(type) ? [] : [name])),
      ],
      additionalProperties: false,
    };
    const encoding = Object.entries(files).flatMap(([name, { mediaTypes }]) =>
      mediaTypes ? [[name, { contentType: mediaTypes.join(', ') }]] : [],
    );
    return {
      'multipart/form-data': {
        schema,
        example: declared ?? exampleOf(schema, schemas.components, 'form'),
        ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
      },
    };
  };

  const requestBody = ({ id, body, example }: Operation) => {
    if (!body) return {};
    if (isMultipart(body)) {
      const instead = body.json && json(schemas.of(body.json, 'input'), id, example?.body);
      const content = { ...form(body, instead ? undefined : example?.body), ...instead };
      return { requestBody: { required: true, content } };
    }
    const content = json(schemas.of(body, 'input'), id, example?.body);
    return { requestBody: { required: !isOptional(body), content } };
  };

  const reply = (
    { id, method, list, query, success, response, example }: Operation,
    description: string = SUCCESS[success],
  ): Reply => {
    const headers = {
      ...(list && hasField(query, 'cursor') && { Link: { $ref: '#/components/headers/Link' } }),
      ...(hasField(response, 'version') && { ETag: { $ref: '#/components/headers/ETag' } }),
      ...(method === 'POST' && {
        'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' },
      }),
    };
    return {
      description,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(success !== 204 && {
        content: isFile(response)
          ? fileContent(response)
          : json(schemas.of(response, 'output'), id, example?.response),
      }),
    };
  };

  const operationObject = (entry: OperationEntry): OperationObject => {
    const { operation } = entry;
    const area = shownArea(entry);
    const description = [operation.description, ACCESS[operation.access]].filter(Boolean).join('\n\n');
    const parameters = [
      ...parametersIn('path', operation.params),
      ...parametersIn('query', operation.query),
      ...(operation.method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(takesVersion(operation) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ];
    return {
      operationId: operation.id,
      summary: operation.summary,
      ...(description && { description }),
      tags: [AREAS[area]?.name ?? area],
      ...(parameters.length > 0 && { parameters }),
      ...requestBody(operation),
      responses: {
        [operation.success]: reply(operation),
        ...(operation.existing && {
          [operation.existing]: reply(operation, operation.existingMeans ?? 'It was there already.'),
        }),
        ...Object.fromEntries(
          errorStatuses(operation).map((status) => [
            status,
            { $ref: `#/components/responses/${ERRORS[status].name}` },
          ]),
        ),
      },
    };
  };

  const paths: OpenApiDocument['paths'] = {};
  for (const entry of entries) {
    const { path, method } = entry.operation;
    (paths[path] ??= {})[method.toLowerCase() as Lowercase<Method>] = operationObject(entry);
  }

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
    tags: [...new Set(entries.map(shownArea))].map((area) => AREAS[area] ?? { name: area }),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'ak_…',
          description: 'An API key of the organization, created in the admin app.',
        },
      },
      parameters: STANDARD.parameters,
      headers: STANDARD.headers,
      responses: errorReplies(),
      schemas: { ...schemas.components, ...STANDARD.schemas },
    },
  };
};
