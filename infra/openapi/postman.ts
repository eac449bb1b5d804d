import type { OpenApiDocument } from './document/types.ts';
import { type ShownRequest, shownRequests } from './requests.ts';

/** A value behind a name, as Postman writes them. */
interface Pair {
  key: string;
  value: string;
}

interface FormField {
  key: string;
  type: 'text' | 'file';
  value?: string;
  src?: null;
}

/** A request of a collection (Postman Collection Format v2.1.0). */
export interface PostmanItem {
  name: string;
  request: {
    method: string;
    description?: string;
    header: Pair[];
    url: { raw: string; host: string[]; path: string[]; query: Pair[]; variable: Pair[] };
    body?:
      | { mode: 'raw'; raw: string; options: { raw: { language: 'json' } } }
      | { mode: 'formdata'; formdata: FormField[] };
  };
  response: [];
}

export interface PostmanCollection {
  info: { name: string; description: string; schema: string };
  auth: { type: 'bearer'; bearer: (Pair & { type: 'string' })[] };
  variable: Pair[];
  item: { name: string; description?: string; item: PostmanItem[] }[];
}

const pairs = (values: Readonly<Record<string, string>>): Pair[] =>
  Object.entries(values).map(([key, value]) => ({ key, value }));

const bodyOf = ({ json, form }: ShownRequest): PostmanItem['request']['body'] => {
  if (json !== undefined)
    return { mode: 'raw', raw: JSON.stringify(json, null, 2), options: { raw: { language: 'json' } } };
  if (!form) return undefined;
  return {
    mode: 'formdata',
    formdata: [
      ...form.files.map((key) => ({ key, type: 'file', src: null }) as const),
      ...pairs(form.texts).map((pair) => ({ ...pair, type: 'text' }) as const),
    ],
  };
};

const itemOf = (request: ShownRequest): PostmanItem => {
  const { operation, method, path, pathValues, query, json } = request;
  const { summary, description } = operation;
  // A name in a path is written with a colon.
  const shown = path.replace(/\{(\w+)\}/g, ':$1');
  const search = new URLSearchParams(query).toString();
  const body = bodyOf(request);
  return {
    name: summary,
    request: {
      method,
      ...(description && { description }),
      header: json === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: `{{base_url}}${shown}${search && `?${search}`}`,
        host: ['{{base_url}}'],
        path: shown.split('/').slice(1),
        query: pairs(query),
        variable: pairs(pathValues),
      },
      ...(body && { body }),
    },
    response: [],
  };
};

/**
 * The requests of the document that a key sends as a collection for Postman, Bruno, Insomnia and others that read the
 * format, a folder for each area. Whoever imports it sets the variable `api_key`.
 */
export const postmanCollection = (document: OpenApiDocument): PostmanCollection => {
  const byTag = Map.groupBy(
    shownRequests(document).filter(({ isOfApp }) => !isOfApp),
    ({ operation }) => operation.tags[0],
  );
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: document.servers[0]!.url.replace(/\/v1$/, '') },
      { key: 'api_key', value: '' },
    ],
    item: document.tags
      .filter(({ name }) => byTag.has(name))
      .map(({ name, description }) => ({
        name,
        ...(description && { description }),
        item: byTag.get(name)!.map(itemOf),
      })),
  };
};
