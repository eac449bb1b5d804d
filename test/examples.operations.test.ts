import { type AppEntry, functionName, type KeyEntry } from '../infra/catalogue.ts';
import { newRouter } from '../infra/local/gateway/router.ts';
import { COMPONENT, type JsonSchema } from '../infra/openapi/document/json-schema.ts';
import type { MediaType, OperationObject } from '../infra/openapi/document/types.ts';
import { isMultipart } from '../shared/http/operation/operation.ts';
import { routeOf } from '../shared/http/operation/surface.ts';
import { camel, requestsOf as appRequestsOf } from './app/scenarios.ts';
import { type Answer, call, type Request } from './support/call.ts';
import { allEntries, appEntries, operationEntries } from './support/catalogue.ts';
import { useClock } from './support/clock.ts';
import { documentOf } from './support/documented.ts';
import { newPerson, type Person } from './support/people.ts';
import { scenariosOf } from './support/scenarios.ts';
import { again, signIn } from './support/signed-in.ts';
import { APP_PREPARED, newWorld, PREPARED, type World } from './support/story.ts';

/*
 * Sends the example of each operation of the document. The ids of the story are replaced by those of things that exist,
 * and versions by the present ones; all else is sent as it is shown. The reply has the form of the shown one.
 */

// The examples plan what happens in 2027.
useClock('2026-12-01T09:00:00.000Z');

const entries = operationEntries();
// One that keys call as well has the same example.
const ownOfApp = appEntries().filter((entry) => entry.operation.id === camel(functionName(entry)));
type Entry = KeyEntry | AppEntry;

const document = documentOf(allEntries);
const route = newRouter(entries);

/** By which credential a request is sent. */
type Credential = Pick<Request, 'as' | 'session'>;

/** The path of an operation in the document. */
const pathOf = ({ operation }: Entry): string => ('roles' in operation ? routeOf(operation) : operation.path);

const operationOf = (entry: Entry): OperationObject =>
  document().paths[pathOf(entry)]![entry.operation.method.toLowerCase() as 'get']!;

const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref ? resolved(document().components.schemas[schema.$ref.slice(COMPONENT.length)]!) : schema;

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/** In what a reply has another form than the shown one: the places, each with what is there. */
const differencesIn = (shown: unknown, sent: unknown, schema: JsonSchema, at: string): string[] => {
  const whole = resolved(schema);
  const branches = (whole.anyOf ?? whole.oneOf ?? []).map(resolved).filter(({ type }) => type !== 'null');
  // What is null in one of them and what may have one of several forms is compared with the schema alone.
  if (shown === null || sent === null || shown === undefined || branches.length > 1) return [];
  const form = branches[0] ?? whole;
  if (!form.type && !form.properties) return [];
  if (typeOf(shown) !== typeOf(sent)) return [`${at}: ${typeOf(sent)} instead of ${typeOf(shown)}`];
  if (Array.isArray(shown))
    return shown.length === 0 || (sent as unknown[]).length === 0
      ? []
      : differencesIn(shown[0], (sent as unknown[])[0], form.items as JsonSchema, `${at}[]`);
  if (typeof shown !== 'object') return [];
  const properties = form.properties as Record<string, JsonSchema> | undefined;
  if (!properties) return [];
  const [expected, found] = [shown, sent as object].map((value) => new Set(Object.keys(value)));
  const optional = (name: string) => name in properties && !form.required?.includes(name);
  return [
    ...[...expected!.difference(found!)]
      .filter((name) => !optional(name))
      .map((name) => `${at}.${name}: missing`),
    ...[...found!.difference(expected!)]
      .filter((name) => !optional(name))
      .map((name) => `${at}.${name}: not shown`),
    ...[...found!.intersection(expected!)].flatMap((name) =>
      differencesIn(
        (shown as Record<string, unknown>)[name],
        (sent as Record<string, unknown>)[name],
        properties[name]!,
        `${at}.${name}`,
      ),
    ),
  ];
};

/**
 * The version of what a request changes: of the last part of its path that can be read and has one.
 * @param name of its property in the resource
 */
const versionOf = async (
  person: Person,
  { operation }: Entry,
  params: Record<string, string>,
  name: string,
): Promise<number> => {
  const parts = operation.path.split('/');
  for (let length = parts.length; length > 1; length -= 1) {
    const path = parts
      .slice(0, length)
      .join('/')
      .replace(/\{(\w+)\}/g, (_, part: string) => params[part]!);
    const found = route('GET', `/v1${path}`);
    if (!found) continue;
    const read = await call(found.entry as KeyEntry, { as: person.key, params: found.params });
    const one = [read.body]
      .flat()
      .find(({ id }) => !Array.isArray(read.body) || id === Object.values(params).at(-1));
    if (typeof one?.[name] === 'number') return one[name];
  }
  throw new Error(`nothing in ${operation.path} has a ${name}`);
};

/** A form with the fields of an example, and the files of a scenario in place of the shown bytes. */
const formOf = ({ operation: { body } }: Entry, example: object, given: FormData): FormData => {
  if (!isMultipart(body)) throw new Error('the operation takes no form');
  const form = new FormData();
  for (const [name, value] of Object.entries(example))
    if (!(name in body.files)) for (const one of [value].flat()) form.append(name, String(one));
  for (const [name, value] of given) if (name in body.files) form.append(name, value);
  return form;
};

/**
 * The requests of an operation that send its examples; the given one where it shows none.
 * @param given a valid request
 */
const requestsOf = async (
  person: Person,
  entry: Entry,
  world: World,
  given: Omit<Request, 'as'>,
): Promise<Omit<Request, 'as'>[]> => {
  const content: Record<string, MediaType> = operationOf(entry).requestBody?.content ?? {};
  const { body: _, form: formGiven, ...bare } = given;
  const requests = Object.entries(content).map(async ([type, { example }]) => {
    const version = (name: string) => versionOf(person, entry, given.params ?? {}, name);
    const sent = await world.real(example, version);
    if (type === 'application/json') return { ...bare, body: sent };
    return { ...bare, form: formOf(entry, sent as object, formGiven!) };
  });
  return requests.length === 0 ? [given] : Promise.all(requests);
};

const shownReply = (entry: Entry, { status }: Answer): MediaType | undefined => {
  const reply = operationOf(entry).responses[status];
  return reply && 'content' in reply ? reply.content?.['application/json'] : undefined;
};

const expectShown = async (entry: Entry, credential: Credential, request: Omit<Request, 'as'>) => {
  const answer = await call(entry, { ...request, ...credential });
  const { success, existing = success } = entry.operation;
  expect({ sent: request.body, status: answer.status, body: answer.status < 300 || answer.body }).toEqual({
    sent: request.body,
    status: answer.status === existing ? existing : success,
    body: true,
  });
  const shown = shownReply(entry, answer);
  if (shown) expect(differencesIn(shown.example, answer.body, shown.schema, 'reply')).toEqual([]);
};

const named = <Any extends Entry>(some: readonly Any[]) =>
  some.map((entry) => [`${entry.operation.method} ${pathOf(entry)}`, entry] as const);

test.each(named(entries.filter(({ operation }) => operation.access !== 'person')))(
  '%s: its example is accepted, and its reply has the shown form',
  async (_, entry) => {
    const person = await newPerson('Story');
    const { operation, area } = entry;
    const world = newWorld(person, area);
    const prepare = PREPARED[operation.id] ?? scenariosOf(area).scenarios[operation.id]![0];
    const credential = { as: person.key };
    for (const request of await requestsOf(person, entry, world, await prepare(person, world)))
      await expectShown(entry, credential, request);
  },
);

test.each(named(ownOfApp))(
  '%s: its example is accepted, and its reply has the shown form',
  async (_, entry) => {
    const person = await newPerson('Story');
    const admin = { ...(await signIn(person)), person };
    const world = newWorld(person, entry.area);
    const prepare = APP_PREPARED[entry.operation.id] ?? appRequestsOf(entry)[0]!;
    const given = await prepare(admin, world);
    const credential = { as: null, session: await again(admin) };
    for (const request of await requestsOf(person, entry, world, given))
      await expectShown(entry, credential, request);
  },
);
