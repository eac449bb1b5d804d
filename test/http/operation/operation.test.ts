import * as z from 'zod';
import { file } from '../../../shared/http/operation/file.ts';
import { type Grant, grantsOf } from '../../../shared/http/operation/grants.ts';
import { formOrJson, multipart } from '../../../shared/http/operation/multipart.ts';
import { isFile, isMultipart } from '../../../shared/http/operation/operation.ts';
import { page, redirect } from '../../../shared/http/operation/page.ts';
import { isRepeatable } from '../../../shared/http/operation/repeatable.ts';
import { isPublic, routeOf } from '../../../shared/http/operation/surface.ts';
import {
  fieldIn,
  repliesVersion,
  takesKnownReplies,
  takesVersion,
} from '../../../shared/http/operation/versions.ts';
import { resourceVersion } from '../../../shared/schemas/common.ts';

const FORM = multipart(z.strictObject({ title: z.string(), expected_version: z.int().optional() }), {});

describe('grantsOf', () => {
  const of = (surface: { link: string } | { method: string; access: string }, ...grants: Grant[]) =>
    grantsOf({ ...surface, grants });
  const CLAIM = ['table:UpdateItem', 'table:PutItem', 'table:DeleteItem', 'table:Query'];

  test.each<[string, ReturnType<typeof of>, string[]]>([
    [
      'of a GET: its own, and the one of authentication',
      of({ method: 'GET', access: 'read' }, 'table:GetItem'),
      ['table:UpdateItem', 'table:GetItem'],
    ],
    [
      'of a POST that changes something: those of its idempotency key too',
      of({ method: 'POST', access: 'write' }, 'table:PutItem', 'bucket:GetObject'),
      [...CLAIM, 'bucket:GetObject'],
    ],
    [
      'of a POST that only reads: none of these',
      of({ method: 'POST', access: 'read' }),
      ['table:UpdateItem'],
    ],
    [
      'of a page: to find the link and count the visit, and nothing of a key',
      of({ link: 'report' }),
      ['link:BatchGetItem', 'visits:UpdateItem'],
    ],
  ])('%s', (_, grants, expected) => expect(grants).toEqual(expected));
});

test.each([
  ['POST', 'write', true],
  ['POST', 'person', true],
  ['POST', 'read', false],
  ['PUT', 'write', false],
])('isRepeatable: %s with %s access is %p', (method, access, expected) =>
  expect(isRepeatable({ method, access })).toBe(expected),
);

test('a page has a path of its own, and every other operation one below /v1', () => {
  const [open, keyed] = [{ link: 'report', path: '/s/{token}' }, { path: '/me' }];
  expect([isPublic(open), isPublic(keyed)]).toEqual([true, false]);
  expect([routeOf(open), routeOf(keyed)]).toEqual(['/s/{token}', '/v1/me']);
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
  expect([page('A.').kind, redirect('B.').kind]).toEqual(['page', 'redirect']);
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
