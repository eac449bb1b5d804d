import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { keyOperations, loadCatalogue, ROOT, type Catalogue } from '../../../infra/catalogue.ts';
import { docsPages } from '../../../infra/openapi/docs.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import { MAY_GROW } from '../../../infra/openapi/document/schemas.ts';
import type { OpenApiDocument, Parameter } from '../../../infra/openapi/document/types.ts';
import { multipart } from '../../../shared/http/operation/forms.ts';
import { defineOperation, isFile, type Operation } from '../../../shared/http/operation/operation.ts';
import {
  listQuery,
  NullableText,
  resourceFields,
  resourceVersion,
  Uuid,
} from '../../../shared/schemas/common.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';

const Address = z
  .object({ street: z.string(), country: z.string().length(2).default('PT') })
  .meta({ id: 'CraneAddress' });
const Part = z
  .strictObject({
    name: z.string().min(1).max(40).describe('As on the label.'),
    get parts() {
      return z.array(Part);
    },
  })
  .meta({ id: 'CranePart' });
const Crane = z
  .object({
    ...resourceFields,
    name: z.string(),
    lifted_at: z.iso.datetime().nullable(),
    condition: z.enum(['good', 'worn']).nullable(),
    address: Address,
    root: Part.nullable(),
    limits: z.record(z.enum(['load', 'reach']), z.number().min(2).multipleOf(0.5)),
    wear: z.record(Uuid, z.number().max(1)),
    anything: z.unknown(),
    archived_at: z.iso.date().optional(),
    version: resourceVersion(),
  })
  .meta({ id: 'Crane' });
const Move = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('lift'), metres: z.number().positive() }).meta({ id: 'CraneLift' }),
    z.strictObject({ kind: z.literal('turn'), degrees: z.int().max(-5) }).meta({ id: 'CraneTurn' }),
  ])
  .meta({ id: 'CraneMove' });

const crane = { crane_id: Uuid.describe('The crane.') };
const samples = [
  defineOperation({
    id: 'listCranes',
    method: 'GET',
    path: '/cranes',
    summary: 'List cranes',
    access: 'read',
    query: listQuery({
      condition: z
        .array(z.enum(['good', 'worn']))
        .optional()
        .describe('Any of these.'),
      archived: z.boolean().default(false),
      within: z.number(),
    }),
    success: 200,
    response: z.array(Crane),
    list: true,
  }),
  defineOperation({
    id: 'createCrane',
    method: 'POST',
    path: '/cranes',
    summary: 'Create a crane',
    description: 'Cranes are **heavy**.',
    access: 'write',
    body: z.strictObject({
      name: z.string().trim().min(1),
      description: NullableText.optional(),
      address: Address,
      moves: z.array(Move).min(2),
      code: z
        .string()
        .regex(/^[A-Z]{3}-\d$/)
        .meta({ examples: ['ABC-1'] }),
      content: Content.optional(),
    }),
    success: 201,
    response: Crane,
    errors: [409],
  }),
  defineOperation({
    id: 'getCrane',
    method: 'GET',
    path: '/cranes/{crane_id}',
    summary: 'Get a crane',
    access: 'read',
    params: z.strictObject(crane),
    success: 200,
    response: Crane,
  }),
  defineOperation({
    id: 'updateCrane',
    method: 'PATCH',
    path: '/cranes/{crane_id}',
    summary: 'Update a crane',
    access: 'write',
    params: z.strictObject(crane),
    body: z.strictObject({ name: z.string().optional(), expected_version: z.int().min(1).optional() }),
    success: 200,
    response: Crane,
    example: { body: { name: 'Crane 7', expected_version: 3 } },
  }),
  defineOperation({
    id: 'deleteCrane',
    method: 'DELETE',
    path: '/cranes/{crane_id}',
    summary: 'Delete a crane',
    access: 'write',
    params: z.strictObject(crane),
    success: 204,
    response: z.null(),
  }),
  defineOperation({
    id: 'stopCrane',
    method: 'POST',
    path: '/cranes/{crane_id}/stop',
    summary: 'Stop a crane',
    access: 'write',
    params: z.strictObject(crane),
    body: z.strictObject({ reason: z.string().max(12) }).optional(),
    guarded: true,
    actsFor: ['admin', 'inspector'],
    success: 200,
    response: z.null(),
  }),
  defineOperation({
    id: 'paintCrane',
    method: 'POST',
    path: '/cranes/{crane_id}/paint',
    summary: 'Paint a crane',
    access: 'person',
    params: z.strictObject(crane),
    success: 202,
    response: z.object({ id: Uuid, status: z.literal('queued') }),
  }),
  defineOperation({
    id: 'uploadCranePhoto',
    method: 'PUT',
    path: '/cranes/{crane_id}/photo',
    summary: 'Upload a photo',
    access: 'write',
    params: z.strictObject(crane),
    body: multipart(z.strictObject({ title: z.string().min(1), tags: z.array(z.string()).optional() }), {
      file: {
        required: true,
        maxBytes: 2_000_000,
        mediaTypes: ['image/png', 'image/jpeg'],
        description: 'The photo.',
      },
      thumbnail: { required: false, maxBytes: 100_000, description: 'A small one.' },
    }),
    success: 200,
    response: Crane,
  }),
];

const catalogueOf = (operations: readonly Operation[]): Catalogue => ({
  operations: operations.map((operation) => ({
    file: `functions/locations/${operation.id}.ts`,
    area: 'locations',
    operation,
    handler: async () => null,
  })),
  workers: [],
});

const document = openApiDocument(catalogueOf(samples));
const operationOf = (method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string) =>
  document.paths[path]![method]!;
const bodyOf = (method: 'post' | 'put' | 'patch', path: string) => operationOf(method, path).requestBody!;
const successOf = (method: 'get' | 'post' | 'delete', path: string, status: number) =>
  operationOf(method, path).responses[status] as {
    content?: Record<string, { schema: unknown; example: unknown }>;
    headers?: object;
  };

/** Checks every example of the document against its schema. @returns what is wrong, and how many it checked */
const wrongExamples = (document: OpenApiDocument) => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, strictTypes: false });
  addFormats.default(ajv);
  ajv.addVocabulary(['discriminator', 'example']);
  // The document itself is added as a schema, because the schemas refer to its components.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema({ $id: 'document', ...document });
  const wrong: string[] = [];
  let seen = 0;
  const check = (pointer: string, value: unknown) => {
    seen += 1;
    const validate = ajv.getSchema(`document#${pointer}`)!;
    if (!validate(value)) wrong.push(`${pointer}: ${ajv.errorsText(validate.errors)}`);
  };
  const walk = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('schema' in node && 'example' in node) check(`${pointer}/schema`, node.example);
    if ('examples' in node && Array.isArray(node.examples))
      for (const example of node.examples) check(pointer, example);
    for (const [key, value] of Object.entries(node))
      if (key !== 'example' && key !== 'examples')
        walk(value, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
  };
  walk(document, '');
  return { wrong, seen };
};

/** The examples of request bodies and replies that the zod schemas of the declarations refuse. */
const refusedExamples = (document: OpenApiDocument, operations: readonly Operation[]) =>
  operations.flatMap(({ id, path, method, body, response, success }) => {
    const shown = document.paths[path]![method.toLowerCase() as Lowercase<typeof method>]!;
    const json = (of: unknown) =>
      (of as { content?: Record<string, { example: unknown }> } | undefined)?.content?.['application/json']
        ?.example;
    return [
      body && !('kind' in body) ? body.safeParse(json(shown.requestBody)) : undefined,
      success === 204 || isFile(response) ? undefined : response.safeParse(json(shown.responses[success])),
    ].flatMap((result) => (result?.error ? [`${id}: ${z.prettifyError(result.error)}`] : []));
  });

describe('openApiDocument', () => {
  test('has only examples that are valid against their schemas', () => {
    const { wrong, seen } = wrongExamples(document);
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(20);
    expect(refusedExamples(document, samples)).toEqual([]);
  });

  test('does not depend on the order in which the operations are found', () => {
    const again = openApiDocument(catalogueOf(samples.toReversed()));
    expect(JSON.stringify(again)).toBe(JSON.stringify(document));
    expect(Object.keys(document.paths)[0]).toBe('/cranes');
    expect(Object.keys(document.paths['/cranes']!)).toEqual(['get', 'post']);
  });

  test('has two components for a schema whose input and output differ, else one', () => {
    const { schemas } = document.components;
    expect(schemas).toMatchObject({
      CraneAddress: { required: ['street', 'country'] },
      CraneAddressInput: { required: ['street'] },
      CranePart: { properties: { parts: { items: { $ref: '#/components/schemas/CranePart' } } } },
      Section: { properties: { sections: { items: { $ref: '#/components/schemas/Section' } } } },
    });
    expect(schemas).not.toHaveProperty('CranePartInput');
    expect(bodyOf('post', '/cranes').content['application/json']!.schema).toMatchObject({
      properties: { address: { $ref: '#/components/schemas/CraneAddressInput' } },
    });
  });

  test('maps the tags of a tagged union to its components', () => {
    expect(document.components.schemas['CraneMove']).toMatchObject({
      oneOf: [{ $ref: '#/components/schemas/CraneLift' }, { $ref: '#/components/schemas/CraneTurn' }],
      discriminator: {
        propertyName: 'kind',
        mapping: { lift: '#/components/schemas/CraneLift', turn: '#/components/schemas/CraneTurn' },
      },
    });
  });

  test('has one schema with two types for a nullable scalar', () => {
    expect(document.components.schemas['Crane']!.properties).toMatchObject({
      lifted_at: { type: ['string', 'null'], format: 'date-time' },
      limits: { $ref: '#/components/schemas/CraneLimits' },
    });
  });

  test('has a component for an enum and for an object in a component, named after their place', () => {
    const { Crane, CraneCondition, CraneLimits } = document.components.schemas;
    expect(Crane!.properties).toMatchObject({
      condition: { anyOf: [{ $ref: '#/components/schemas/CraneCondition' }, { type: 'null' }] },
    });
    expect(CraneCondition).toEqual({ type: 'string', enum: ['good', 'worn'], description: MAY_GROW });
    expect(CraneLimits!.properties).toMatchObject({ load: { minimum: 2 }, reach: { minimum: 2 } });
  });

  test('says defaults in words, because generators take the keyword for a promise', () => {
    expect(document.components.schemas['CraneAddressInput']!.properties).toEqual({
      street: { type: 'string' },
      country: expect.objectContaining({ description: expect.stringMatching(/ Default: `"PT"`\.$/) }),
    });
    expect(document.components.schemas['CraneAddress']!.properties!['country']).not.toHaveProperty('default');
    expect(document.components.schemas['CraneAddressInput']!.properties!['country']).not.toHaveProperty(
      'default',
    );
  });

  test('allows new fields in a reply, but not in a strict body', () => {
    expect(document.components.schemas['Crane']).not.toHaveProperty('additionalProperties');
    expect(bodyOf('post', '/cranes').content['application/json']!.schema).toHaveProperty(
      'additionalProperties',
      false,
    );
  });

  test('has query parameters with types and defaults, required or not', () => {
    const { parameters } = operationOf('get', '/cranes') as { parameters: Parameter[] };
    expect(parameters.map(({ name, required = false, schema }) => [name, required, schema])).toEqual([
      ['limit', false, { type: 'integer', minimum: 1, maximum: 200 }],
      ['cursor', false, { type: 'string', maxLength: 2_000 }],
      ['updated_since', false, { type: 'string', format: 'date-time' }],
      ['condition', false, { type: 'array', items: { $ref: '#/components/schemas/CraneCondition' } }],
      ['archived', false, { type: 'boolean', default: false }],
      ['within', true, { type: 'number' }],
    ]);
    expect(parameters[3]!.description).toBe('Any of these.');
  });

  test('has the headers of paging, idempotency, versions and members where they apply', () => {
    const always = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
    expect(successOf('get', '/cranes', 200).headers).toEqual({
      ...always,
      Link: { $ref: '#/components/headers/Link' },
    });
    expect(operationOf('post', '/cranes').parameters).toEqual([
      { $ref: '#/components/parameters/IdempotencyKey' },
    ]);
    const ifMatch = { $ref: '#/components/parameters/IfMatch' };
    expect(operationOf('patch', '/cranes/{crane_id}').parameters).toContainEqual(ifMatch);
    expect(operationOf('post', '/cranes/{crane_id}/stop').parameters).toContainEqual(ifMatch);
    expect(operationOf('delete', '/cranes/{crane_id}').parameters).toHaveLength(1);
    const stop = operationOf('post', '/cranes/{crane_id}/stop');
    expect(stop.parameters).toContainEqual({ $ref: '#/components/parameters/OnBehalfOf' });
    expect(stop.description).toContain('for a member with the role `admin`, `inspector` (`On-Behalf-Of`)');
    const { parameters, responses } = operationOf('get', '/cranes/{crane_id}');
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' });
    expect(parameters).not.toContainEqual(ifMatch);
    expect(responses['304']).toEqual({
      description: expect.any(String),
      headers: { ETag: { $ref: '#/components/headers/ETag' } },
    });
    expect(operationOf('get', '/cranes').responses).not.toHaveProperty('304');
    expect(successOf('post', '/cranes', 201).headers).toEqual({
      ...always,
      ETag: { $ref: '#/components/headers/ETag' },
      'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' },
    });
  });

  test('has null for a null body, no content for 204, and an optional body that is not required', () => {
    expect(successOf('post', '/cranes/{crane_id}/stop', 200).content).toEqual({
      'application/json': { schema: { type: 'null' }, example: null },
    });
    expect(successOf('delete', '/cranes/{crane_id}', 204).content).toBeUndefined();
    expect(bodyOf('post', '/cranes/{crane_id}/stop').required).toBe(false);
    expect(bodyOf('post', '/cranes').required).toBe(true);
  });

  test('has binary files with their limits in a form', () => {
    const { schema, encoding } = bodyOf('put', '/cranes/{crane_id}/photo').content['multipart/form-data']!;
    expect(schema).toMatchObject({
      properties: {
        file: { format: 'binary', description: 'The photo. At most 2,000,000 bytes.' },
        title: { minLength: 1 },
      },
      required: ['file', 'title'],
    });
    expect(encoding).toEqual({ file: { contentType: 'image/png, image/jpeg' } });
  });

  test.each([
    ['get', '/cranes', '400 401 403 422 429 500 503'],
    ['post', '/cranes', '400 401 403 409 422 429 500 503'],
    ['patch', '/cranes/{crane_id}', '400 401 403 404 409 422 429 500 503'],
    ['delete', '/cranes/{crane_id}', '400 401 403 404 422 429 500 503'],
    ['post', '/cranes/{crane_id}/paint', '401 403 404 409 422 429 500 503'],
  ] as const)('%s %s fails with %s', (method, path, statuses) => {
    const { responses } = operationOf(method, path);
    expect(
      Object.keys(responses)
        .filter((status) => status >= '400')
        .join(' '),
    ).toBe(statuses);
  });

  test('throws an error that names what the document cannot express', () => {
    const answering = (response: z.ZodType) => () =>
      openApiDocument(catalogueOf([{ ...samples[0]!, response }]));
    expect(answering(z.strictObject({ serial: z.string().regex(/^Z{5}$/) }))).toThrow(/serial matches \^Z/);
    expect(answering(z.json())).toThrow('a recursive schema needs a name');
    expect(answering(z.array(z.null().meta({ id: 'Problem' })))).toThrow('Problem is taken');
  });
});

describe('the service’s own document', () => {
  const lint = (document: OpenApiDocument) => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    try {
      const { stdout, status } = spawnSync(
        join(ROOT, 'node_modules/.bin/redocly'),
        ['lint', file, '--config', join(ROOT, '.redocly.yaml'), '--format', 'json'],
        {
          encoding: 'utf8',
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      );
      const { problems } = JSON.parse(stdout) as {
        problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
      };
      return {
        status,
        problems: problems.map(
          ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
        ),
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('passes Redocly’s recommended rules, together with every form of a declaration', async () => {
    const { operations, workers } = await loadCatalogue();
    const all = {
      operations: [...operations, ...catalogueOf(samples).operations],
      workers,
    };
    expect(lint(openApiDocument(all))).toEqual({ status: 0, problems: [] });
  });

  test('names the host of the API for machines, and that for people where it differs', async () => {
    const urls = ['https://api.example.com', 'https://app.example.com'] as const;
    const { servers, paths } = openApiDocument(await loadCatalogue(), ...urls);
    expect(servers).toEqual([{ url: 'https://api.example.com/v1' }]);
    expect(paths['/app/home']).toMatchObject({ servers: [{ url: 'https://app.example.com' }] });
  });

  test('has valid examples, which the schemas of the operations accept', async () => {
    const catalogue = await loadCatalogue();
    const document = openApiDocument(catalogue);
    expect(wrongExamples(document).wrong).toEqual([]);
    expect(
      refusedExamples(
        document,
        keyOperations(catalogue.operations).map(({ operation }) => operation),
      ),
    ).toEqual([]);
  });
});

describe('docsPages', () => {
  const pages = docsPages(catalogueOf(samples), () => 'http://localhost:3000');

  test('include everything that the page loads, and it loads nothing from other hosts', () => {
    const { body, headers } = pages['/docs']!();
    const loaded = [...body.matchAll(/<(?:script|link) [^>]*(?:src|href)="([^"]*)"/gu)].map(
      ([, address]) => address!,
    );
    const inside = loaded.filter((address) => !address.startsWith('data:'));
    expect(
      inside.map((address) => pages[new URL(address, 'http://localhost/docs').pathname]?.().status),
    ).toEqual([200, 200, 200]);
    expect(Array.from(body.matchAll(/<a href="([^"]*)"/gu), ([, address]) => address)).toEqual([
      'chapters',
      'admin',
    ]);
    expect(pages['/docs/start.js']!().body).toContain("Redoc.init('docs/openapi.json', ");
    expect(pages['/docs/openapi.json']!().status).toBe(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect(pages['/docs/redoc.js']!().body).not.toContain('cdn.redoc.ly');
    expect(JSON.parse(pages['/openapi.json']!().body)).toEqual({
      ...document,
      servers: [{ url: 'http://localhost:3000/v1' }],
    });
  });

  test('allow the styles of the Redoc that is installed', () => {
    // Another release may have another style for scroll bars. If so, the browser's console shows the hash for docs.ts.
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/redoc/package.json'), 'utf8'));
    expect(version).toBe('2.5.4');
  });
});
