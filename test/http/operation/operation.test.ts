import * as z from 'zod';
import { personOperation } from '../../../shared/http/handler.ts';
import { formOrJson, multipart, webForm } from '../../../shared/http/operation/forms.ts';
import { isFile, isMultipart } from '../../../shared/http/operation/operation.ts';
import {
  asset,
  download,
  file,
  forProgram,
  page,
  picture,
  redirect,
} from '../../../shared/http/operation/responses.ts';
import { isRepeatable, isAppRoute, routeOf, routesOf } from '../../../shared/http/operation/surface.ts';
import { fieldIn, repliesVersion, takesKnownReplies, takesVersion } from '../../../shared/http/versions.ts';
import { resourceVersion } from '../../../shared/schemas/common.ts';

const FORM = multipart(z.strictObject({ title: z.string(), expected_version: z.int().optional() }), {});

test('an operation for people alone declares that it does nothing for a key', () => {
  const declaration = {
    id: 'editWithAi',
    method: 'POST',
    path: '/ai/{id}',
    summary: 'Edit',
    params: z.strictObject({ id: z.string() }),
  } as const;
  const { operation, handler } = personOperation(declaration);
  expect(operation).toEqual({
    ...declaration,
    access: 'person',
    success: 200,
    response: expect.any(z.ZodNull),
  });
  expect(handler).toEqual(expect.any(Function));
});

test('a form of a page has room for texts, or for as much as it says', () => {
  const fields = z.strictObject({ name: z.string() });
  expect(webForm(fields)).toMatchObject({ kind: 'web_form', fields, maxBytes: 16_384 });
  expect(webForm(fields, 99).maxBytes).toBe(99);
});

test.each([
  ['POST', 'write', true],
  ['POST', 'person', true],
  ['POST', 'read', false],
  ['PUT', 'write', false],
])('isRepeatable: %s with %s access is %p', (method, access, expected) =>
  expect(isRepeatable({ method, access })).toBe(expected),
);

describe('routes', () => {
  type Declared = Parameters<typeof routesOf>[0] & { surface?: string; link?: string; loadedBy?: string };

  test.each<[string, Declared, object[]]>([
    ['an operation', { path: '/me' }, [{ surface: 'v1', path: '/v1/me' }]],
    [
      'an operation that signed-in people call as well',
      { path: '/me', app: { path: '/key' } },
      [
        { surface: 'v1', path: '/v1/me' },
        { surface: 'app', path: '/app/key' },
      ],
    ],
    [
      'an operation that signed-in people read at the same path',
      { path: '/me', people: ['admin'] },
      [
        { surface: 'v1', path: '/v1/me' },
        { surface: 'app', path: '/app/v1/me' },
      ],
    ],
    ['an operation of the app', { path: '/me', surface: 'app' }, [{ surface: 'app', path: '/app/me' }]],
    [
      'a step of the sign-in',
      { path: '/sign-in', surface: 'browser' },
      [{ surface: 'browser', path: '/app/sign-in' }],
    ],
    ['a page', { path: '/s/{token}', link: 'report' }, [{ surface: 'page', path: '/s/{token}' }]],
    [
      'a file that pages load',
      { path: '/assets/{file}', loadedBy: 'pages' },
      [{ surface: 'asset', path: '/assets/{file}' }],
    ],
    ['what monitors ask', { path: '/health', surface: 'probe' }, [{ surface: 'probe', path: '/health' }]],
  ])('of %s', (_, operation, routes) => {
    expect(routesOf(operation)).toEqual(routes);
    expect(routes[0]).toMatchObject({ path: routeOf(operation) });
  });

  test('tell by which way a request came', () => {
    expect(['/app/me', '/v1/app/', '/apple', '/s/{token}'].map(isAppRoute)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test('bodies and replies are told apart by their kinds', () => {
  const report = file('The report.', 'application/pdf', 'text/html');
  expect(report).toEqual({
    kind: 'file',
    description: 'The report.',
    mediaTypes: ['application/pdf', 'text/html'],
  });
  expect([isFile(report), isFile(z.object({ kind: z.literal('file') }))]).toEqual([true, false]);
  expect([isMultipart(FORM), isMultipart(z.object({})), isMultipart(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([page('A.'), redirect('B.'), picture('C.'), forProgram('D.'), asset('E.'), download('F.')]).toEqual([
    { kind: 'page', description: 'A.' },
    { kind: 'redirect', description: 'B.' },
    { kind: 'picture', description: 'C.' },
    { kind: 'program', description: 'D.' },
    { kind: 'asset', description: 'E.' },
    { kind: 'download', description: 'F.' },
  ]);
  const json = z.strictObject({});
  expect(formOrJson(FORM, json)).toEqual({ ...FORM, json });
});

describe('versions', () => {
  const resource = z.object({ version: resourceVersion() });

  test('are in a reply that is a resource, and in no other', () => {
    expect(repliesVersion({ response: resource })).toBe(true);
    expect(repliesVersion({ response: resource.nullable() })).toBe(true);
    expect(repliesVersion({ response: z.object({ version: z.int() }) })).toBe(false);
    expect(repliesVersion({ response: z.array(resource) })).toBe(false);
    expect(repliesVersion({ response: file('A file.', 'a/b') })).toBe(false);
  });

  test('may be named by a request whose body has expected_version, or that is guarded', () => {
    const body = z.strictObject({ expected_version: z.int().optional() });
    expect(takesVersion({ body })).toBe(true);
    expect(takesVersion({ body: body.optional() })).toBe(true);
    expect(takesVersion({ body: FORM })).toBe(true);
    expect(takesVersion({ body: z.strictObject({}) })).toBe(false);
    expect(takesVersion({})).toBe(false);
    expect(takesVersion({ guarded: true })).toBe(true);
  });

  test('known replies are asked for by a GET of a resource', () => {
    expect(takesKnownReplies({ method: 'GET', response: resource })).toBe(true);
    expect(takesKnownReplies({ method: 'PATCH', response: resource })).toBe(false);
    expect(takesKnownReplies({ method: 'GET', response: z.null() })).toBe(false);
  });

  test('a field is found inside optional, nullable and piped schemas', () => {
    const name = z.string();
    const object = z.object({ name });
    for (const schema of [
      object,
      object.optional(),
      object.nullable().default(null),
      z.unknown().pipe(object),
      object.transform((value) => value),
    ])
      expect(fieldIn(schema, 'name')).toBe(name);
    expect(fieldIn(object, 'other')).toBeUndefined();
    expect(fieldIn(undefined, 'name')).toBeUndefined();
    expect(fieldIn(z.string(), 'name')).toBeUndefined();
  });
});
