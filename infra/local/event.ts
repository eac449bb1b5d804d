import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { STAGE } from '../gateway.ts';

/** Headers that concern a single connection; the gateway does not pass them on. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The declared path that a request matched. */
export interface MatchedPath {
  /** The path as declared, with `{names}`. */
  resource: string;
  /** The values of the names, still URL-encoded. */
  params: Record<string, string>;
}

/** A request as the gateway received it. */
export interface Incoming {
  method: string;
  /** Still URL-encoded, without the query. */
  path: string;
  /** Still URL-encoded, without the question mark. */
  query: string;
  /** Names and values alternate, as in Node's `rawHeaders`. */
  rawHeaders: readonly string[];
  body: Buffer;
  sourceIp: string;
}

/**
 * Groups values by name: `last` has the last value of each name, `all` has every value. Names that `fold` maps to
 * the same text count as one name, in its first spelling.
 */
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
    isEmpty: entries.length === 0,
  };
};

function* headerPairs(rawHeaders: readonly string[]): Iterable<[string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (!HOP_BY_HOP.has(name.toLowerCase())) yield [name, rawHeaders[index + 1]!];
  }
}

/**
 * The event that API Gateway passes to a function when the REST API treats every media type as binary: a body is
 * always base64, query names and values are decoded, values of the path are not, header names keep the client's
 * spelling, and an empty map is null.
 */
export const newEvent = (route: MatchedPath, incoming: Incoming): APIGatewayProxyEvent => {
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
    queryStringParameters: query.isEmpty ? null : query.last,
    multiValueQueryStringParameters: query.isEmpty ? null : query.all,
    pathParameters: hasParams ? route.params : null,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: undefined,
      domainName: headers.last['Host'] ?? headers.last['host'] ?? 'localhost',
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
      // As behind a domain of its own, which stands for the stage.
      path,
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
