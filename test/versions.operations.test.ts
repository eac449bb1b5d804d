import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { KeyEntry } from '../infra/catalogue.ts';
import { preconditionNotTaken, versionMismatch } from '../shared/base/errors.ts';
import { SAFE_HEADERS } from '../shared/base/headers.ts';
import { isMultipart } from '../shared/http/operation/operation.ts';
import { fieldIn, repliesVersion, takesKnownReplies, takesVersion } from '../shared/http/versions.ts';
import { type Answer, as, call, type Request } from './support/call.ts';
import { isWithin, operationEntries } from './support/catalogue.ts';
import { newPerson, type Person } from './support/people.ts';
import { callsOf, installRecorder, recording } from './support/recorder.ts';
import { scaled } from './support/scale.ts';
import { type Scenario, scenariosOf } from './support/scenarios.ts';

jest.mock('../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('./support/undrawn.ts'));

const entries = operationEntries().filter(({ operation }) => operation.access !== 'person');

installRecorder();

/** The GETs of what is on an operation's path, the outermost first. */
const readersOn = (path: string): KeyEntry[] =>
  entries
    .filter(({ operation }) => operation.method === 'GET' && isWithin(path, operation.path))
    .toSorted((one, other) => one.operation.path.length - other.operation.path.length);

/** The GET of the resource whose version an operation names: the last one on its path that has a version. */
const readerOf = ({ operation: { path, method, response } }: KeyEntry): KeyEntry | undefined => {
  const reader = readersOn(path).findLast(({ operation }) => repliesVersion(operation));
  const isOfReply = ['PUT', 'PATCH'].includes(method) && repliesVersion({ response });
  return isOfReply && reader?.operation.response !== response ? undefined : reader;
};

/** The parameters that a path has. */
const paramsOn = (path: string, params: Request['params'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(params).filter(([name]) => path.includes(`{${name}}`)));

const read = ({ operation, handler }: KeyEntry, { as: key, params }: Request): Promise<Answer> =>
  call({ operation, handler }, { as: key, params: paramsOn(operation.path, params) });

/** What the GETs on an operation's path reply. Signatures of URLs are left out, because they change with the time. */
const stateOn = async ({ operation }: KeyEntry, request: Request): Promise<unknown[]> => {
  const answers = await Promise.all(readersOn(operation.path).map((reader) => read(reader, request)));
  return answers.map(({ status, text }) => [status, JSON.parse(text.replaceAll(/\?X-Amz[^"]*/g, ''))]);
};

const ifMatch = (request: Request, value: string | number): Request => ({
  ...request,
  headers: { ...request.headers, 'If-Match': typeof value === 'number' ? `"${value}"` : value },
});

/** What a failed assertion shows of an answer. */
const outcomeOf = ({ status, headers, body }: Answer) => ({ status, code: headers['x-error-code'], body });

const expectError = (answer: Answer, { status, code }: { status: number; code: string }): void =>
  expect(outcomeOf(answer)).toMatchObject({ status, code });

const expectSuccess = (answer: Answer): void =>
  expect(answer.status < 300 ? 'success' : outcomeOf(answer)).toBe('success');

/** A reply that is a resource with a version has a tag of the whole reply, and no other reply has one. */
const expectTag = ({ operation }: KeyEntry, { headers, body }: Answer): void =>
  expect(headers['etag']).toEqual(
    repliesVersion(operation) ? expect.stringMatching(`^"${body.version}-[\\w-]{16}"$`) : undefined,
  );

const ID_FORMAT = 'uuid';

/** The places of ids in a body: the names of the fields that lead to each, with `[]` for the element of an array. */
const idPlaces = (schema: z.core.JSONSchema.BaseSchema, defs = schema.$defs ?? {}, depth = 0): string[][] => {
  if (depth > 6) return [];
  const within = (part: unknown, ...names: string[]): string[][] =>
    part && typeof part === 'object'
      ? idPlaces(part as z.core.JSONSchema.BaseSchema, defs, depth + 1).map((place) => [...names, ...place])
      : [];
  const { $ref, format, anyOf = [], allOf = [], properties = {}, items } = schema;
  return [
    ...(format === ID_FORMAT ? [[]] : []),
    ...within($ref && defs[$ref.split('/').at(-1)!]),
    ...[...anyOf, ...allOf].flatMap((part) => within(part)),
    ...Object.entries(properties).flatMap(([name, part]) => within(part, name)),
    ...within(items, '[]'),
  ];
};

/** A body with an id at a place. */
const withId = (body: unknown, [name, ...rest]: string[], id: string): unknown => {
  if (name === undefined) return id;
  if (name === '[]') return [withId(Array.isArray(body) ? body[0] : undefined, rest, id)];
  const fields = (body ?? {}) as Record<string, unknown>;
  return { ...fields, [name]: withId(fields[name], rest, id) };
};

const ANY_TAG = '"1"';

/** Tests that share a person: a key may send only so many requests in a minute. */
const TESTS_PER_PERSON = 50;

let somebody: Person;
let tests = 0;

/** Somebody, for requests that are refused and leave nothing behind. */
const anybody = async (): Promise<Person> => {
  if (tests % TESTS_PER_PERSON === 0) somebody = await newPerson('Refused');
  tests += 1;
  return somebody;
};

/** The first operation that knows the replies that a client has: it is sent every form of a tag. */
const withEveryTag = entries.find(({ operation }) => takesKnownReplies(operation));

/** Places where an id that does not exist was refused with 400, in all operations. */
const references: string[] = [];

describe.each(entries.map((entry) => [`${entry.operation.method} ${entry.operation.path}`, entry] as const))(
  '%s',
  (_, entry) => {
    const { operation, area } = entry;
    const { id, method, body, params } = operation;
    const scenarios: readonly Scenario[] = scenariosOf(area).scenarios[id] ?? [];
    const missing = Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, uuidv7()]));
    const reader = readerOf(entry);
    /** The forms of a tag that this operation is sent. One function reads the header for all of them. */
    const some = <Tag>(tags: readonly Tag[], few: number): readonly Tag[] =>
      entry === withEveryTag ? tags : tags.slice(0, scaled(few, tags.length));

    /** A valid request, in an organization of its own. */
    const newRequest = async (scenario = scenarios[0]!): Promise<Request> => {
      const person = await newPerson(`Caller of ${id}`);
      return { as: person.key, ...(await scenario(person)) };
    };

    let kept: Promise<Request> | undefined;
    /** The same request each time, for tests that change nothing. */
    const keptRequest = (): Promise<Request> => (kept ??= newRequest());

    test.each([
      ...(takesVersion(operation) ? [] : ['If-Match']),
      ...(takesKnownReplies(operation) ? [] : ['If-None-Match']),
    ])('400 with %s, before anything else is checked', async (header) => {
      const person = await anybody();
      for (const value of [ANY_TAG, '*', '']) {
        const request = { params: missing, headers: { [header]: value }, query: { unexpected: 1 } };
        expectError(await as(person).call(entry, request), preconditionNotTaken);
      }
    });

    if (takesKnownReplies(operation)) {
      test('304 with If-None-Match for the reply that the client has, 200 for another', async () => {
        const request = await keptRequest();
        const withTag = (tag: string) => call(entry, { ...request, headers: { 'If-None-Match': tag } });
        const first = await call(entry, request);
        const etag = first.headers['etag']!;
        const { version } = first.body;
        const known = [etag, '*', `W/${etag}`, `"other", ${etag}`, ` ,${etag} , W/"other",`];
        for (const tag of some(known, 2)) {
          const { result, sent } = await recording(() => withTag(tag));
          expect([tag, result.status, result.text, result.headers]).toEqual([
            tag,
            304,
            '',
            { ...SAFE_HEADERS, etag, 'x-request-id': expect.any(String) },
          ]);
          expect(callsOf(sent)).toBeLessThanOrEqual(entry.recorded!.calls!);
        }
        const others = [
          `"${version}"`,
          `"${version}-other"`,
          '"other"',
          `"${version + 1}"`,
          `W/"${version}-"`,
        ];
        for (const tag of some(others, 2)) {
          const { status, body: found, headers } = await withTag(tag);
          expect([tag, status, found, headers['etag']]).toEqual([tag, 200, first.body, etag]);
        }
        for (const tag of some(['other', `${version}`], 1)) expect((await withTag(tag)).status).toBe(422);
        expect((await call(entry, { ...request, as: null, headers: { 'If-None-Match': '*' } })).status).toBe(
          401,
        );
      });
    }

    if (method === 'GET') return;

    /**
     * Whether a successful answer has changed the resource with a version that the operation names.
     * @param before what the resource was before
     */
    const isChanged = async (
      request: Request,
      before: Answer | undefined,
      answer: Answer,
    ): Promise<boolean> => {
      expectSuccess(answer);
      const after = reader && (await read(reader, request));
      expectTag(entry, answer);
      if (after && reader?.operation.response === operation.response) {
        const isSame = isDeepStrictEqual(answer.body, after.body);
        expect(answer.headers['etag'] === after.headers['etag']).toBe(isSame);
        if (['PUT', 'PATCH'].includes(method)) expect(answer.body).toEqual(after.body);
      }
      const hasTag = ['PUT', 'PATCH'].includes(method) && answer.headers['etag'] !== undefined;
      return hasTag || before?.body.version !== after?.body?.version;
    };

    if (!takesVersion(operation)) {
      test('refuses If-Match, as it changes no resource with a version', async () => {
        for (const scenario of scenarios) {
          const request = await newRequest(scenario);
          const before = reader && (await read(reader, request));
          expect(await isChanged(request, before, await call(entry, request))).toBe(false);
        }
      });
      return;
    }

    test('422 for a weak tag, which changes nothing', async () => {
      const request = await keptRequest();
      const before = await stateOn(entry, request);
      const etag = reader ? (await read(reader, request)).headers['etag']! : '"1-digest"';
      const { status, body: refusal } = await call(entry, ifMatch(request, `W/${etag}`));
      expect([status, refusal.detail]).toEqual([
        422,
        [expect.objectContaining({ loc: ['header', 'if-match'] })],
      ]);
      expect(await stateOn(entry, request)).toEqual(before);
    });

    test('404 and 422 rather than 409 for another version', async () => {
      const request = ifMatch(await keptRequest(), 1_000_000);
      if (params) expect((await call(entry, { ...request, params: missing })).status).toBe(404);
      expect((await call(entry, { ...request, query: { ...request.query, unexpected: 1 } })).status).toBe(
        422,
      );
      expect((await call(entry, ifMatch(request, '"x"'))).status).toBe(422);
    });

    if (body && !isMultipart(body)) {
      test('400 for what does not exist rather than 409 for another version', async () => {
        const request = await keptRequest();
        const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
        for (const place of idPlaces(schema)) {
          const named = { ...request, body: withId(request.body, place, uuidv7()) };
          const stale = await call(entry, ifMatch(named, 1_000_000));
          if ([403, 409, 422].includes(stale.status)) {
            // No reference, or the request is refused for another reason: with the right version as well.
            const { status } = await call(entry, { ...(await newRequest()), body: named.body });
            expect([place, status]).not.toEqual([place, 400]);
          } else {
            expect([place, stale.status]).toEqual([place, 400]);
            references.push(`${id} ${place.join('.')}`);
          }
        }
      });
    }

    test('409 for another version, which changes nothing; of two requests with the right one, only one succeeds', async () => {
      const request = await keptRequest();
      const before = reader && (await read(reader, request));
      const { version } = (before ?? (await call(entry, request))).body;
      const isInBody = body && !isMultipart(body) && fieldIn(body, 'expected_version') !== undefined;
      const state = await stateOn(entry, request);
      for (const stale of [
        ifMatch(request, version + 1),
        ifMatch(request, version - 1),
        ifMatch(request, `"${version + 1}-digest"`),
        ...(isInBody
          ? [{ ...request, body: { ...(request.body as object), expected_version: version + 1 } }]
          : []),
      ]) {
        expectError(await call(entry, stale), versionMismatch);
      }
      expect(await stateOn(entry, request)).toEqual(state);

      // With the tag of the whole resource, or with its version.
      const right = [before?.headers['etag'] ?? version, version];
      const answers = await Promise.all(right.map((tag) => call(entry, ifMatch(request, tag))));
      const [first, second] = answers.toSorted((one, other) => one.status - other.status);
      const changes = [await isChanged(request, before, first!)];
      const isMoved = reader && (await read(reader, request)).body.version !== version;
      if (isMoved) expect(method === 'DELETE' ? [404, 409] : [409]).toContain(second!.status);

      // One scenario that changes the version is enough.
      for (const scenario of scenarios.slice(1)) {
        if (changes.includes(true)) break;
        const other = await newRequest(scenario);
        const found = reader && (await read(reader, other));
        const guarded = found ? ifMatch(other, found.headers['etag']!) : other;
        changes.push(await isChanged(other, found, await call(entry, guarded)));
      }
      expect(changes).toContain(true);
    });
  },
);

test('some bodies name what does not exist', () => {
  expect(references.length).toBeGreaterThan(10);
});
