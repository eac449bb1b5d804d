import { execFileSync } from 'node:child_process';
import { transformSync } from 'esbuild';
import { loadCatalogue } from '../../../infra/catalogue.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import type { OpenApiDocument, OperationObject } from '../../../infra/openapi/document/types.ts';
import { type PostmanItem, postmanCollection } from '../../../infra/openapi/postman.ts';
import { type ShownRequest, shownRequests } from '../../../infra/openapi/requests.ts';
import { type Sample, withSamples } from '../../../infra/openapi/samples.ts';

// The contract test sends these examples to the service. This is about the forms in which the reference gives them.

const ADDRESS = 'https://api.example.org';

let document: OpenApiDocument;
let shown: ShownRequest[];
let ofKeys: ShownRequest[];
let sources: (label: string) => Map<string, string>;

/** What a program sends. */
interface Sent {
  method: string;
  url: string;
  json?: unknown;
  texts?: Record<string, string>;
  files?: string[];
}

beforeAll(async () => {
  document = openApiDocument(await loadCatalogue());
  shown = shownRequests(document);
  ofKeys = shown.filter(({ isOfApp }) => !isOfApp);
  const { paths } = withSamples(document);
  const operations = Object.values(paths).flatMap((item) =>
    Object.values(item).filter(
      (part): part is OperationObject & { 'x-codeSamples': Sample[] } => 'operationId' in (part as object),
    ),
  );
  sources = (label) =>
    new Map(
      operations.flatMap(({ operationId, 'x-codeSamples': samples }) =>
        samples.filter((one) => one.label === label).map(({ source }) => [operationId, source] as const),
      ),
    );
});

const urlOf = ({ path, pathValues, query }: ShownRequest): string => {
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathValues[name]!)),
    ADDRESS,
  );
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
};

const sentBy = (request: ShownRequest): Sent => ({
  method: request.method,
  url: urlOf(request),
  ...(request.json !== undefined && { json: request.json }),
  ...(request.form && { texts: { ...request.form.texts }, files: [...request.form.files] }),
});

const expected = (requests: readonly ShownRequest[]): Record<string, Sent> =>
  Object.fromEntries(requests.map((request) => [request.operation.operationId, sentBy(request)]));

test('every value of a path and every required one of a query is shown', () => {
  const missing = shown.flatMap(({ operation, path, pathValues, query }) => [
    ...[...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (pathValues[name!] ? [] : [name])),
    ...Object.entries(query).flatMap(([name, value]) => (value ? [] : [`${operation.operationId}?${name}`])),
  ]);
  expect(missing).toEqual([]);
});

test('the code in curl sends the example of each operation', () => {
  const script = [...sources('curl')].map(([id, source]) => `ID=${id}\n${source}`).join('\n');
  const opening = `
API_URL=${ADDRESS} APP_URL=${ADDRESS} API_KEY=key SESSION=session
curl() { printf '%s\\0' "$ID" "$@" ''; }
`;
  const output = execFileSync('bash', ['-euc', opening + script], { maxBuffer: 2 ** 26 }).toString();
  const found = output
    .split('\0\0')
    .filter(Boolean)
    .map((line): [string, Sent] => {
      const [id, url, ...args] = line.split('\0') as [string, string, ...string[]];
      const after = (name: string): string[] =>
        args.flatMap((arg, at) => (arg === name ? [args[at + 1]!] : []));
      const [data] = after('-d');
      const files = after('-F').map((text) => text.split('=')[0]!);
      const texts = after('--form-string').map((text) => [text.split('=')[0]!, text.replace(/^.*?=/, '')]);
      expect([...after('-H'), ...after('--cookie')].join(' ')).toMatch(/Bearer key|=session/);
      const hasForm = files.length > 0 || texts.length > 0;
      return [
        id,
        {
          method: after('-X')[0] ?? (data !== undefined || hasForm ? 'POST' : 'GET'),
          url,
          ...(data !== undefined && { json: JSON.parse(data) }),
          ...(hasForm && { texts: Object.fromEntries(texts) as Record<string, string>, files }),
        },
      ];
    });
  expect(Object.fromEntries(found)).toEqual(expected(shown));
});

const RECORDER = `
import json, sys, types
found = {}
class Reply:
    content = b""
    def json(self): return {}
    def raise_for_status(self): pass
class Requests(types.ModuleType):
    def __getattr__(self, method):
        def send(url, headers=None, cookies=None, json=None, files=None, data=None):
            assert (headers or cookies)
            found[current] = {"method": method.upper(), "url": url}
            if json is not None: found[current]["json"] = json
            if files or data: found[current] |= {"texts": data or {}, "files": list(files or {})}
            return Reply()
        return send
class File:
    def write(self, content): pass
sys.modules["requests"] = Requests("requests")
for current, source in json.load(sys.stdin).items():
    exec(source, {"open": lambda *_: File(), "print": lambda *_: None})
json.dump(found, sys.stdout)
`;

test('the code in Python sends the example of each operation', () => {
  const output = execFileSync('python3', ['-c', RECORDER], {
    input: JSON.stringify(Object.fromEntries(sources('Python'))),
    env: { ...process.env, API_URL: ADDRESS, APP_URL: ADDRESS, API_KEY: 'key', SESSION: 'session' },
    maxBuffer: 2 ** 26,
  });
  expect(JSON.parse(output.toString())).toEqual(expected(shown));
});

test('the code in TypeScript calls each operation of a key by the client, with its example', async () => {
  const calls: Record<string, unknown> = {};
  const api = new Proxy(
    {},
    { get: (_, id: string) => async (given: unknown) => void (calls[id] = given ?? {}) },
  );
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...values: unknown[]) => Promise<void>;
  for (const source of sources('TypeScript').values()) {
    const { code } = transformSync(source, { loader: 'ts' });
    const program = code.replaceAll(/^import .*$/gm, '');
    await new AsyncFunction('newClient', 'openAsBlob', 'console', program)(
      () => api,
      () => 'a file',
      { log: () => {} },
    );
  }
  const wanted = ofKeys.map(({ operation, pathValues, query, json, form }) => [
    operation.operationId,
    {
      ...(Object.keys(pathValues).length > 0 && { path: pathValues }),
      ...(Object.keys(query).length > 0 && { query }),
      ...(json !== undefined && { body: json }),
      ...(form && {
        body: { ...Object.fromEntries(form.files.map((name) => [name, 'a file'])), ...form.texts },
      }),
    },
  ]);
  expect(calls).toEqual(Object.fromEntries(wanted));
});

test('the collection for Postman has the example of each operation of a key, and its key from a variable', () => {
  const collection = postmanCollection(document);
  const sent = ({ request: { method, url, body } }: PostmanItem): Sent => {
    const values = new Map(url.variable.map(({ key, value }) => [`:${key}`, value]));
    const path = url.path.map((part) => encodeURIComponent(values.get(part) ?? part)).join('/');
    const query = new URLSearchParams(
      Object.fromEntries(url.query.map(({ key, value }) => [key, value])),
    ).toString();
    const fields = body?.mode === 'formdata' ? body.formdata : [];
    return {
      method,
      url: `${collection.variable[0]!.value}/${path}${query && `?${query}`}`,
      ...(body?.mode === 'raw' && { json: JSON.parse(body.raw) }),
      ...(body?.mode === 'formdata' && {
        texts: Object.fromEntries(
          fields.filter(({ type }) => type === 'text').map(({ key, value }) => [key, value!]),
        ),
        files: fields.filter(({ type }) => type === 'file').map(({ key }) => key),
      }),
    };
  };
  const byRequest = (all: Sent[]) =>
    all.toSorted((a, b) => (`${a.method} ${a.url}` < `${b.method} ${b.url}` ? -1 : 1));
  expect(byRequest(collection.item.flatMap(({ item }) => item.map(sent)))).toEqual(
    byRequest(ofKeys.map(sentBy)),
  );
  expect(collection.auth.bearer).toEqual([{ key: 'token', value: '{{api_key}}', type: 'string' }]);
  expect(collection.variable).toContainEqual({ key: 'api_key', value: '' });
});
