import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { OperationEntry } from '../catalogue.ts';

/** The stage of the deployed API. */
const STAGE = 'live';

/** They concern one connection and end at the gateway. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface Route {
  entry: OperationEntry;
  /** The path as declared, with `{names}`. */
  resource: string;
  /** Decoded. */
  params: Record<string, string>;
}

/** What the gateway has read off the wire. */
export interface Incoming {
  method: string;
  /** Undecoded, without the query. */
  path: string;
  /** Undecoded, without the question mark. */
  query: string;
  /** Name and value in turn, as Node gives them. */
  rawHeaders: readonly string[];
  body: Buffer;
  sourceIp: string;
}

/** The operation that a method and an undecoded path lead to, if there is one. */
export type Router = (method: string, path: string) => Route | undefined;

/**
 * A router as API Gateway's: a literal segment goes before a parameter, the path alone decides on the resource and
 * only then the method on the operation, and a parameter is one segment, never empty.
 */
export const newRouter = (operations: readonly OperationEntry[]): Router => {
  const resources = Object.entries(Object.groupBy(operations, ({ operation }) => `/v1${operation.path}`))
    // In ASCII the brace stands behind all that a literal segment consists of.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, entries = []]) => ({
      resource,
      pattern: new RegExp(`^${resource.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
      entries: new Map(entries.map((entry) => [entry.operation.method as string, entry])),
    }));
  return (method, path) => {
    for (const { resource, pattern, entries } of resources) {
      const match = pattern.exec(path);
      if (!match) continue;
      const entry = entries.get(method);
      if (!entry) return undefined;
      const decoded = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)]);
      return { entry, resource, params: Object.fromEntries(decoded) };
    }
    return undefined;
  };
};

// A stray percent sign is the operation's to refuse, like any other malformed value.
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Every value under its name; where `fold` is given, names that it makes equal share their first spelling. */
const gather = (pairs: Iterable<readonly [string, string]>, fold = (name: string) => name) => {
  const named = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of pairs) {
    const entry = named.get(fold(name));
    if (entry) entry.values.push(value);
    else named.set(fold(name), { name, values: [value] });
  }
  const entries = [...named.values()];
  return {
    last: Object.fromEntries(entries.map(({ name, values }) => [name, values.at(-1)!])),
    all: Object.fromEntries(entries.map(({ name, values }) => [name, values])),
    none: entries.length === 0,
  };
};

function* headerPairs(rawHeaders: readonly string[]): Iterable<[string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!HOP_BY_HOP.has(name.toLowerCase())) yield [name, rawHeaders[index + 1]!];
  }
}

/**
 * The event that a REST API with every media type binary hands to a function: every body is base64, names and
 * values of the query are decoded, header names keep the client's spelling, and absent maps are null.
 */
export const newEvent = (route: Omit<Route, 'entry'>, incoming: Incoming): APIGatewayProxyEvent => {
  const { method, path, body, sourceIp } = incoming;
  const now = Date.now();
  const headers = gather(
    [...headerPairs(incoming.rawHeaders), ['X-Forwarded-For', sourceIp], ['X-Forwarded-Proto', 'http']],
    (name) => name.toLowerCase(),
  );
  const query = gather(new URLSearchParams(incoming.query));
  const hasParams = Object.keys(route.params).length > 0;
  return {
    resource: route.resource,
    path,
    httpMethod: method,
    headers: headers.last,
    multiValueHeaders: headers.all,
    queryStringParameters: query.none ? null : query.last,
    multiValueQueryStringParameters: query.none ? null : query.all,
    pathParameters: hasParams ? route.params : null,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: undefined,
      protocol: 'HTTP/1.1',
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp,
        user: null,
        userAgent: headers.last['User-Agent'] ?? headers.last['user-agent'] ?? null,
        userArn: null,
      },
      path: `/${STAGE}${path}`,
      stage: STAGE,
      requestId: randomUUID(),
      requestTime: new Date(now).toUTCString(),
      requestTimeEpoch: now,
      resourceId: route.resource,
      resourcePath: route.resource,
    },
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: body.length > 0,
  };
};
