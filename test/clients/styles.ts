import type { Call } from '../../infra/chapters/chapter.ts';
import { literal, TYPESCRIPT } from '../../infra/chapters/programs.ts';

/** An operation, as the document has it. */
export interface Route {
  id: string;
  method: string;
  path: string;
  /** The status of a success. */
  success: number;
  /** Whether a request may have headers of its own. */
  hasHeaders: boolean;
}

/** How the programs of one generator's users look. The address and the key of the service are `url` and `key`. */
export interface Style {
  /** Imports the client from `./api.ts` or `./client/`, and prepares it. */
  opening: string;
  /** The promise of what a request answers, without a cast. */
  request: (call: Call, route: Route) => string;
}

/** A value in a program of TypeScript, in which what may be null for other requests is checked. */
export const valueOf = (value: Parameters<typeof literal>[0]): string =>
  literal(value, {
    ...TYPESCRIPT,
    reference: ({ path }) => (path.endsWith('!') ? `given(${path.slice(0, -1)})` : path),
  });

/** The arguments of a function, without those that are not given. */
const listed = (...values: readonly (string | undefined)[]): string =>
  values.filter((value) => value !== undefined).join(', ');

/** Those parts of a request that it has, as an object. */
const partsOf = ({ path, query, body }: Call) => ({
  ...(path && { path }),
  ...(query && { query }),
  ...(body && { body }),
});

const bodyOf = ({ body }: Call): string | undefined => body && valueOf(body);

/** The values of the path, in its order. */
const pathValuesOf = ({ path = {} }: Call): string[] => Object.values(path).map((value) => valueOf(value));

const HEADERS = 'const headers = { Authorization: `Bearer ${key}` };';

const openapiTypescript: Style = {
  opening: `import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

${HEADERS}
const client = createClient<paths>({ baseUrl: url, headers });

const ok = async <T>(reply: Promise<{ data?: T; error?: unknown }>): Promise<T> => {
  const { data, error } = await reply;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};`,
  request: (call, { method, path }) => {
    const { body, ...params } = partsOf(call);
    const hasParams = Object.keys(params).length > 0;
    const given = { ...(hasParams && { params }), ...(body && { body }) };
    const options = Object.keys(given).length > 0 ? valueOf(given) : undefined;
    return `ok(client.${method}(${listed(`'${path}'`, options)}))`;
  },
};

const heyApi: Style = {
  opening: `import { client } from './client/client.gen.ts';
import * as api from './client/index.ts';

client.setConfig({ auth: key });

const ok = async <T>(reply: Promise<{ data: T }>): Promise<T> => (await reply).data;`,
  request: (call, { id }) => `ok(api.${id}(${valueOf({ ...partsOf(call), throwOnError: true })}))`,
};

const orval: Style = {
  opening: `import * as api from './api.ts';

${HEADERS}

const has = <R extends { status: number }, S extends number>(
  reply: R,
  status: S,
): reply is Extract<R, { status: S }> => reply.status === status;

const ok = async <R extends { status: number; data: unknown }, S extends R['status']>(
  promise: Promise<R>,
  status: S,
): Promise<Extract<R, { status: S }>['data']> => {
  const reply = await promise;
  if (!has(reply, status)) throw new Error(JSON.stringify(reply.data));
  return reply.data;
};`,
  request: (call, { id, success }) =>
    `ok(api.${id}(${listed(...pathValuesOf(call), bodyOf(call), '{ headers }')}), ${success})`,
};

const kubb: Style = {
  opening: `import { setConfig } from '@kubb/plugin-client/clients/fetch';
import * as api from './client/clients/index.ts';

${HEADERS}
setConfig({ baseURL: url, headers: { ...headers, 'Content-Type': 'application/json' } });`,
  request: (call, { id }) => `api.${id}(${listed(...pathValuesOf(call), bodyOf(call))})`,
};

const swaggerTypescriptApi: Style = {
  opening: `import { Api } from './api.ts';

${HEADERS}
const api = new Api({ baseApiParams: { headers } });

const ok = async <T>(reply: Promise<{ data: T }>): Promise<T> => (await reply).data;`,
  request: (call, { id, path }) =>
    `ok(api.${path.split('/')[1]}.${id}(${listed(...pathValuesOf(call), bodyOf(call))}))`,
};

const typedOpenapi: Style = {
  opening: `import { createApiClient } from './api.ts';

${HEADERS}
const api = createApiClient(
  {
    fetch: ({ method, url: address, parameters }) =>
      fetch(address, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(parameters?.body !== undefined && { body: JSON.stringify(parameters.body) }),
      }),
  },
  url,
);`,
  request: (call, { method, path, hasHeaders }) => {
    // It requires the object of headers, although each of them is optional.
    const given = { ...partsOf(call), ...(hasHeaders && { header: {} }) };
    const options = Object.keys(given).length > 0 ? valueOf(given) : undefined;
    return `api.${method.toLowerCase()}(${listed(`'${path}'`, options)})`;
  },
};

const openapiZodClient: Style = {
  opening: `import { createApiClient } from './api.ts';

${HEADERS}
const api = createApiClient(url, { axiosConfig: { headers } });`,
  request: (call, { id, method }) => {
    const options = call.path && `{ params: ${valueOf(call.path)} }`;
    const body = method === 'GET' ? undefined : (bodyOf(call) ?? 'undefined');
    return `api.${id}(${listed(body, options)})`;
  },
};

export const STYLES = {
  'openapi-typescript': openapiTypescript,
  'hey-api': heyApi,
  orval,
  kubb,
  'swagger-typescript-api': swaggerTypescriptApi,
  'typed-openapi': typedOpenapi,
  'openapi-zod-client': openapiZodClient,
} as const;

export type GeneratorName = keyof typeof STYLES;
