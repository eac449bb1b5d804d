import { inShell } from '../../shared/base/text.ts';
import { SESSION_COOKIE } from '../../shared/http/request/event.ts';
import { LANGUAGES, type Language } from '../chapters/chapter.ts';
import type { OpenApiDocument, OperationObject } from './document/types.ts';
import { type ShownRequest, shownRequests } from './requests.ts';

/** Code for an operation, as viewers of OpenAPI documents show it beside the operation. */
export interface Sample {
  lang: string;
  label: string;
  source: string;
}

/** The path with the shown values, and with what the query requires. */
const addressOf = ({ path, pathValues, query }: ShownRequest): string => {
  const search = new URLSearchParams(query).toString();
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathValues[name]!));
  return search ? `${filled}?${search}` : filled;
};

/** A request in curl. */
export const curlOf = (request: ShownRequest): string => {
  const { method, isOfApp, json, form, reply } = request;
  const hasBody = json !== undefined || form !== undefined;
  return [
    `curl "$${isOfApp ? 'APP_URL' : 'API_URL'}${addressOf(request)}"`,
    ...(method === (hasBody ? 'POST' : 'GET') ? [] : [`-X ${method}`]),
    isOfApp ? `--cookie "${SESSION_COOKIE}=$SESSION"` : '-H "Authorization: Bearer $API_KEY"',
    ...(json === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${inShell(JSON.stringify(json, null, 2))}`]),
    ...(form?.files ?? []).map((name) => `-F ${name}=@${name}.jpg`),
    ...Object.entries(form?.texts ?? {}).map(([name, text]) => `--form-string ${inShell(`${name}=${text}`)}`),
    ...(reply === 'file' ? ['-o file'] : []),
  ].join(' \\\n  ');
};

/** Stands for a file until the text is made. */
const FILE = '<a file>';

/** JSON is TypeScript. */
const typescriptOf = ({ operation, pathValues, query, json, form, reply }: ShownRequest): string => {
  const files = (form?.files ?? []).map((name) => [name, FILE] as const);
  const body = form ? { ...Object.fromEntries(files), ...form.texts } : json;
  const given = Object.entries({ path: pathValues, query, ...(body !== undefined && { body }) }).filter(
    ([name, values]) => name === 'body' || Object.keys(values as object).length > 0,
  );
  const options = given.length > 0 ? JSON.stringify(Object.fromEntries(given), null, 2) : '';
  const call = `await api.${operation.operationId}(${options.replaceAll(JSON.stringify(FILE), 'file')})`;
  return [
    ...(files.length > 0 ? ["import { openAsBlob } from 'node:fs';"] : []),
    "import { newClient } from 'inspection-service-client';",
    '',
    'const api = newClient({ baseUrl: process.env.API_URL!, apiKey: process.env.API_KEY! });',
    ...(files.length > 0 ? ["const file = await openAsBlob('photo.jpg', { type: 'image/jpeg' });"] : []),
    reply === 'nothing' ? `${call};` : `console.log(${call});`,
  ].join('\n');
};

const PYTHON_NAMES = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

const python = (value: unknown, indent = ''): string => {
  if (typeof value !== 'object' || value === null) return PYTHON_NAMES.get(value) ?? JSON.stringify(value);
  const deeper = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((one) => python(one, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`;
};

const PYTHON_REPLIES = {
  json: 'print(reply.json())',
  file: 'open("file", "wb").write(reply.content)',
  nothing: '',
} as const;

const pythonOf = (request: ShownRequest): string => {
  const { method, isOfApp, json, form, reply } = request;
  const files = (form?.files ?? []).map((name) => `${JSON.stringify(name)}: open("${name}.jpg", "rb")`);
  const texts = form?.texts ?? {};
  return [
    'import os, requests',
    '',
    `reply = requests.${method.toLowerCase()}(`,
    `    os.environ["${isOfApp ? 'APP_URL' : 'API_URL'}"] + "${addressOf(request)}",`,
    isOfApp
      ? `    cookies={"${SESSION_COOKIE}": os.environ["SESSION"]},`
      : '    headers={"Authorization": "Bearer " + os.environ["API_KEY"]},',
    ...(json === undefined ? [] : [`    json=${python(json, '    ')},`]),
    ...(files.length > 0 ? [`    files={${files.join(', ')}},`] : []),
    ...(Object.keys(texts).length > 0 ? [`    data=${python(texts, '    ')},`] : []),
    ')',
    'reply.raise_for_status()',
    PYTHON_REPLIES[reply],
  ]
    .join('\n')
    .trimEnd();
};

const WRITERS = { curl: curlOf, typescript: typescriptOf, python: pythonOf } as const satisfies Record<
  Language,
  (request: ShownRequest) => string
>;

const HIGHLIGHTED: Readonly<Record<Language, string>> = {
  curl: 'Shell',
  typescript: 'TypeScript',
  python: 'Python',
};

/** The code of one request in each language. The typed client has the operations of keys alone. */
const samplesOf = (request: ShownRequest): Sample[] =>
  (Object.keys(WRITERS) as Language[])
    .filter((language) => language !== 'typescript' || !request.isOfApp)
    .map((language) => ({
      lang: HIGHLIGHTED[language],
      label: LANGUAGES[language],
      source: WRITERS[language](request),
    }));

/** The document with code beside each operation, for the reference. It would double the document that programs read. */
export const withSamples = (document: OpenApiDocument): OpenApiDocument => {
  const samples = new Map<OperationObject, Sample[]>(
    shownRequests(document).map((request) => [request.operation, samplesOf(request)]),
  );
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, part]) => {
        const own = samples.get(part as OperationObject);
        return [method, own ? { ...(part as OperationObject), 'x-codeSamples': own } : part];
      }),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
};
