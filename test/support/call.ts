import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { ROOT } from '../../infra/catalogue.ts';
import { newEvent } from '../../infra/local/event.ts';
import { contextOf } from '../../infra/local/lambda.ts';
import { errorStatuses } from '../../infra/openapi/document/replies.ts';
import * as errors from '../../shared/base/errors.ts';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import type { AnyOperation, Operation } from '../../shared/http/operation/operation.ts';
import { routesOf } from '../../shared/http/operation/surface.ts';
import { takesKnownReplies } from '../../shared/http/versions.ts';
import OPERATIONS from './calls.json' with { type: 'json' };

/** The exports of a file in `functions/`. */
export interface Endpoint {
  operation: Operation;
  handler: unknown;
}

export interface Request {
  /** The API key; null sends none. */
  as: string | null;
  /** The token of a session: the request goes to the app, and comes from a page of ours. Null sends none. */
  session?: string | null;
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | readonly string[]>;
  body?: unknown;
  /** A multipart form, instead of a body. */
  form?: FormData;
  /** Unencoded bytes, instead of a body. */
  raw?: Buffer;
  headers?: Record<string, string>;
  /** Only for an operation of GET. */
  method?: 'HEAD';
  /** The network address of the client. */
  sourceIp?: string;
  /** The time that the function has left when it starts; 29 seconds if not given. */
  milliseconds?: number;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Each with its flags. */
  cookies?: string[];
  text: string;
  bytes: Buffer;
  // Each test says what it expects of the body.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

const bodyOf = async ({ body, form, raw }: Request): Promise<{ bytes: Buffer; type?: string }> => {
  if (raw) return { bytes: raw, type: 'application/json' };
  if (form) {
    const encoded = new Response(form);
    return { bytes: Buffer.from(await encoded.arrayBuffer()), type: encoded.headers.get('content-type')! };
  }
  if (body === undefined) return { bytes: Buffer.alloc(0) };
  return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
};

/** The path of an operation, for signed-in people if they are to call it. */
const resourceOf = (operation: AnyOperation, { session }: Pick<Request, 'session'>): string => {
  const routes = routesOf(operation);
  const app = session === undefined ? undefined : routes.find(({ surface }) => surface === 'app');
  return (app ?? routes[0]).path;
};

const pathOf = (resource: string, params: Record<string, string>): string =>
  resource.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

const encoded = (params: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, text]) => [name, encodeURIComponent(text)]));

const queryOf = (query: Request['query'] = {}): string =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
    ),
  ).toString();

/** More than any request takes on a busy machine; one that runs out of time says how much it has. */
const LAMBDA_MS = 3_600_000;

/** Calls a handler as API Gateway does. */
export const invoke = async (
  { operation, handler }: { operation: AnyOperation; handler: unknown },
  request: Omit<Request, 'as'>,
  headers: Record<string, string>,
  bytes: Buffer,
): Promise<Omit<Answer, 'body'>> => {
  const params = request.params ?? {};
  const route = { resource: resourceOf(operation, request), params: encoded(params) };
  const event = newEvent(route, {
    method: request.method ?? operation.method,
    path: pathOf(route.resource, params),
    query: queryOf(request.query),
    rawHeaders: Object.entries(headers).flat(),
    body: bytes,
    sourceIp: request.sourceIp ?? '127.0.0.1',
  });
  const context = contextOf(operation.id, 512, Date.now() + (request.milliseconds ?? LAMBDA_MS));
  const run = handler as (event: unknown, context: unknown) => Promise<APIGatewayProxyResult>;
  const result = await run(event, context);
  const sent = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
  const isCompressed = result.headers?.['content-encoding'] === 'gzip' && sent.length > 0;
  const reply = isCompressed ? gunzipSync(sent) : sent;
  return {
    status: result.statusCode,
    headers: result.headers as Record<string, string>,
    ...(result.multiValueHeaders && { cookies: result.multiValueHeaders['set-cookie'] as string[] }),
    text: reply.toString(),
    bytes: reply,
  };
};

const fetchFrom = async (
  url: string,
  { operation }: Endpoint,
  request: Request,
  headers: Record<string, string>,
  bytes: Buffer,
): Promise<Omit<Answer, 'body'>> => {
  const query = queryOf(request.query);
  const response = await fetch(
    `${url}${pathOf(resourceOf(operation, request), request.params ?? {})}${query && `?${query}`}`,
    {
      method: request.method ?? operation.method,
      headers,
      ...(bytes.length > 0 && { body: new Uint8Array(bytes) }),
    },
  );
  const reply = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: reply.toString(),
    bytes: reply,
  };
};

const STATUS_OF_CODE = new Map(Object.values(errors).map(({ code, status }) => [code, status]));

/** @throws Error unless a failure names an error of the catalogue that has the same status */
export const checkErrorCode = ({ status, headers, text }: Omit<Answer, 'body'>): void => {
  const code = headers['x-error-code'];
  if (STATUS_OF_CODE.get(code ?? '') !== (status >= 400 ? status : undefined)) {
    throw new Error(`${status} has the error code ${code}: ${text}`);
  }
};

/**
 * Whatever a test sees an operation answer must stand in its declaration, so that no client meets a status that the
 * API reference does not list.
 * @throws Error unless the operation documents the status
 */
const checkDeclaredStatus = (operation: Operation, { status, text }: Omit<Answer, 'body'>): void => {
  const { id, success, existing } = operation;
  const known = takesKnownReplies(operation) ? 304 : undefined;
  const declared: (number | undefined)[] = [success, existing, known, ...errorStatuses(operation)];
  if (!declared.includes(status)) throw new Error(`${id} does not declare the status ${status}: ${text}`);
};

/** @throws Error unless a reply may neither be stored on its way nor be taken for another type than its own */
export const checkSafeHeaders = ({ status, headers }: Omit<Answer, 'body'>): void => {
  for (const [name, value] of Object.entries(SAFE_HEADERS)) {
    if (headers[name] !== value) throw new Error(`${status} has ${name}: ${headers[name]}`);
  }
};

/** Calls an endpoint as API Gateway does: its real handler, or the service at `API_URL` if that is set. */
export const call = async (endpoint: Endpoint, request: Request): Promise<Answer> => {
  const { bytes, type } = await bodyOf(request);
  const headers = {
    ...(request.as !== null && { Authorization: `Bearer ${request.as}` }),
    ...(request.session !== undefined && { Origin: process.env['PUBLIC_URL']! }),
    ...(request.session && { Cookie: `theme=dark; __Host-session=${request.session}` }),
    ...(type && { 'Content-Type': type }),
    ...request.headers,
  };
  const url = process.env['API_URL'];
  const answer = url
    ? await fetchFrom(url, endpoint, request, headers, bytes)
    : await invoke(endpoint, request, headers, bytes);
  checkErrorCode(answer);
  checkDeclaredStatus(endpoint.operation, answer);
  checkSafeHeaders(answer);
  if (!answer.headers['x-request-id']) throw new Error(`${endpoint.operation.id} answered without an id`);
  const isJson =
    answer.text !== '' && (answer.headers['content-type']?.startsWith('application/json') ?? false);
  return { ...answer, body: isJson ? JSON.parse(answer.text) : undefined };
};

/** The body of the reply. @throws Error if the call fails */
const succeed = async (endpoint: Endpoint, request: Request): Promise<Answer['body']> => {
  const { status, body } = await call(endpoint, request);
  if (status >= 300) throw new Error(`${endpoint.operation.id} answered ${status}: ${JSON.stringify(body)}`);
  return body;
};

type Rest = Omit<Request, 'as' | 'session'>;

/** Each operation as a function that sends it a request: by its folder, and by its id without the folder's noun. */
type Operations<Result> = {
  readonly [Area in keyof typeof OPERATIONS]: {
    readonly [Name in keyof (typeof OPERATIONS)[Area]]: (request?: Rest) => Promise<Result>;
  };
};

/** Its operations give the body of the reply, and throw if they fail; those of `try` give the answer, whatever it is. */
export type Client = Operations<Answer['body']> & { try: Operations<Answer> } & {
  /** Calls an endpoint that a test finds or makes. */
  call: (endpoint: Endpoint, request?: Rest) => Promise<Answer>;
  must: (endpoint: Endpoint, request?: Rest) => Promise<Answer['body']>;
};

/** Somebody with an API key or a session, a key, or nobody. */
type Who = { key: string } | { session: string | null } | string | null;

const credentialOf = (who: Who): Pick<Request, 'as' | 'session'> => {
  if (who === null || typeof who === 'string') return { as: who };
  return 'session' in who ? { as: null, session: who.session } : { as: who.key };
};

/** Benchmarks have no jest. */
const load = typeof jest === 'undefined' ? createRequire(import.meta.url) : jest.requireActual<Endpoint>;

const operationsBy = <Result>(
  send: (endpoint: Endpoint, request?: Rest) => Promise<Result>,
): Operations<Result> =>
  Object.fromEntries(
    Object.entries(OPERATIONS).map(([area, names]) => [
      area,
      Object.fromEntries(
        Object.entries(names).map(([name, file]) => [
          name,
          (request?: Rest) => send(load(join(ROOT, file)) as Endpoint, request),
        ]),
      ),
    ]),
  ) as Operations<Result>;

/**
 * The client of somebody: `as(key).locations.create({ body: { name: 'Harbour' } })` gives the location, and
 * `as(key).try.locations.get({ params })` the answer, such as a 404. `newPerson` makes people who are clients themselves.
 * @param who somebody with a key or a session, a key, or null for a request without one
 */
export const as = (who: Who): Client => {
  const send = (endpoint: Endpoint, request: Rest = {}) =>
    call(endpoint, { ...request, ...credentialOf(who) });
  const must = (endpoint: Endpoint, request: Rest = {}) =>
    succeed(endpoint, { ...request, ...credentialOf(who) });
  return { ...operationsBy(must), try: operationsBy(send), call: send, must };
};

/** The places of the problems of a 422, such as `body.name`. */
export const locs = ({ body }: Answer): string[] =>
  body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'));

/** The number of answers by their status. */
export const statusCounts = (answers: readonly Pick<Answer, 'status'>[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
