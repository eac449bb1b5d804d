import type { Catalogue } from '../catalogue.ts';
import { keyOperations } from '../catalogue.ts';
import {
  type Call,
  type Chapter,
  type Code,
  type Language,
  type Print,
  Reference,
  type Step,
  type Value,
} from './chapter.ts';

/** The method and the path of each operation that a key calls, by its id. */
export type Routes = ReadonlyMap<string, { method: string; path: string }>;

export const routesOf = ({ operations }: Catalogue): Routes =>
  new Map(keyOperations(operations).map(({ operation: { id, method, path } }) => [id, { method, path }]));

/** How one language writes the steps. */
interface Writer {
  /** What every program begins with. */
  opening: string;
  call: (call: Call, route: { method: string; path: string }, used: ReadonlySet<string>) => string;
  print: (path: string) => string;
}

const isCall = (step: Step): step is Call => typeof step === 'object' && 'call' in step;
const isPrint = (step: Step): step is Print => typeof step === 'object' && 'print' in step;
const isCode = (step: Step): step is Code => typeof step === 'object' && 'code' in step;

const plain = ({ path }: Reference): string => path.replace('!', '');

const queryOf = ({ query = {} }: Call): string => {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return text.length > 0 ? `?${text.join('&')}` : '';
};

/** A path with its values. */
const pathOf = (
  { path: values = {}, ...call }: Call,
  path: string,
  write: (value: Reference) => string,
): string => path.replace(/\{(\w+)\}/g, (_, name: string) => write(values[name]!)) + queryOf(call);

interface Syntax {
  name: (name: string) => string;
  reference: (reference: Reference) => string;
  scalar: (value: string | number | boolean | null) => string;
  /** Stands inside the braces of an object on one line. */
  space: string;
}

const WIDTH = 72;

/** A value as a literal, over several lines where one is too long. */
export const literal = (value: Value, syntax: Syntax, indent = ''): string => {
  if (value instanceof Reference) return syntax.reference(value);
  if (typeof value !== 'object' || value === null) return syntax.scalar(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const deeper = `${indent}  `;
  const parts = (inner: string): string[] =>
    isList
      ? value.map((one: Value) => literal(one, syntax, inner))
      : Object.entries(value as Record<string, Value>).map(
          ([name, one]) => `${syntax.name(name)}: ${literal(one, syntax, inner)}`,
        );
  const short = parts(deeper).join(', ');
  if (short === '') return `${open}${close}`;
  if (short.length + indent.length < WIDTH && !short.includes('\n'))
    return isList ? `[${short}]` : `{${syntax.space}${short}${syntax.space}}`;
  return `${open}\n${parts(deeper)
    .map((part) => `${deeper}${part}`)
    .join(',\n')}\n${indent}${close}`;
};

const quoted = (value: unknown): string => JSON.stringify(value);
const single = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);

export const TYPESCRIPT: Syntax = {
  name: (name) => name,
  reference: ({ path }) => path,
  scalar: single,
  space: ' ',
};

const pythonOf = (reference: Reference, quote = '"'): string => {
  const [name, ...rest] = plain(reference).split('.');
  return name + rest.map((part) => `[${quote}${part}${quote}]`).join('');
};
const PYTHON: Syntax = {
  name: quoted,
  reference: (reference) => pythonOf(reference),
  scalar: (value) => ({ true: 'True', false: 'False', null: 'None' })[String(value)] ?? quoted(value),
  space: '',
};

/** The shell variable for a value of a reply: `location_id`. */
const variable = (path: string): string => path.replace('!', '').replaceAll('.', '_');
const SHELL: Syntax = {
  name: quoted,
  reference: ({ path }) => `"$${variable(path)}"`,
  scalar: quoted,
  space: '',
};

const typescript: Writer = {
  opening: `import { newClient } from 'inspection-service-client';

const api = newClient({ baseUrl: process.env.API_URL!, apiKey: process.env.API_KEY! });`,
  call: ({ call, path, query, body, onBehalfOf, as, until }) => {
    const given = {
      ...(path && { path }),
      ...(query && { query }),
      ...(body && { body }),
      ...(onBehalfOf && { onBehalfOf }),
    };
    const request = `api.${call}(${Object.keys(given).length > 0 ? literal(given, TYPESCRIPT) : ''})`;
    const start = as ? `const ${as} = ` : '';
    return until ? `${start}await api.wait(() => ${request});` : `${start}await ${request};`;
  },
  print: (path) => `console.log(${path});`,
};

const python: Writer = {
  opening: `import json, os, time, urllib.request, uuid

API = os.environ["API_URL"] + "/v1"

def call(method, path, body=None, headers={}):
    headers = {"Authorization": "Bearer " + os.environ["API_KEY"], **headers}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    if method == "POST" and not path.endswith("/preview"):  # A preview makes nothing, so it takes no key.
        headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
    request = urllib.request.Request(API + path, data, headers, method=method)
    with urllib.request.urlopen(request) as reply:
        text = reply.read()
    return json.loads(text) if text else None`,
  call: (call, { method, path }) => {
    const where = pathOf(call, path, (value) => `{${pythonOf(value, "'")}}`);
    const args = [
      quoted(method),
      `${where.includes('{') ? 'f' : ''}"${where}"`,
      ...(call.body ? [literal(call.body, PYTHON)] : []),
      ...(call.onBehalfOf ? [`headers={"On-Behalf-Of": ${pythonOf(call.onBehalfOf)}}`] : []),
    ].join(', ');
    const request = `call(${args})`;
    if (!call.until) return call.as ? `${call.as} = ${request}` : request;
    return `while (${call.as} := ${request})["status"] not in ("ready", "failed"):\n    time.sleep(1)`;
  },
  print: (path) => `print(${pythonOf(new Reference(path))})`,
};

/** A short body as an argument; any other one as a text of its own, which may hold variables. */
const shellBody = (body: Value): string => {
  const text = literal(body, SHELL);
  return /[\n$']/.test(text) ? ` -d @- <<JSON\n${text}\nJSON\n` : ` -d '${text}'`;
};

const readsOf = (name: string, used: ReadonlySet<string>): string[] =>
  [...used]
    .filter((path) => path.startsWith(`${name}.`))
    .map((path) => `${variable(path)}=$(jq -r .${path.slice(name.length + 1)} <<< "$${name}")`);

const curl: Writer = {
  opening: `API=$API_URL/v1
call() {
  curl --silent --show-error --fail-with-body -H "Authorization: Bearer $API_KEY" \\
    -H 'Content-Type: application/json' "$@"
}`,
  call: (call, { method, path }, used) => {
    const where = `"$API${pathOf(call, path, (value) => `$${variable(value.path)}`)}"`;
    const usual = call.body ? 'POST' : 'GET';
    const flags = [
      where,
      ...(method === usual ? [] : [`-X ${method}`]),
      ...(call.onBehalfOf ? [`-H "On-Behalf-Of: $${variable(call.onBehalfOf.path)}"`] : []),
    ].join(' ');
    const { as, until } = call;
    const request = `call ${flags}${as ? '' : ' -o /dev/null'}${call.body ? shellBody(call.body) : ''}`;
    if (until)
      return [
        `until ${as}=$(${request}) && jq -e '.status | . == "ready" or . == "failed"' <<< "$${as}" > /dev/null; do`,
        '  sleep 1',
        'done',
        ...readsOf(as!, used),
      ].join('\n');
    return as ? [`${as}=$(${request})`, ...readsOf(as, used)].join('\n') : request.trimEnd();
  },
  print: (path) => `echo "$${variable(path)}"`,
};

const WRITERS: Readonly<Record<Language, Writer>> = { curl, typescript, python };

/** The values of replies that the steps use. */
const usedIn = (steps: readonly Step[]): ReadonlySet<string> => {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (value instanceof Reference) found.add(plain(value));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  for (const step of steps) {
    visit(step);
    if (isPrint(step)) for (const path of step.print) found.add(path);
    // What code by hand uses stands in it as a shell variable: \`$location_id\`.
    if (isCode(step))
      for (const [, name, rest] of step.code.curl.matchAll(/\$(\w+?)_(\w+)/g)) found.add(`${name}.${rest}`);
  }
  return found;
};

/** A part of a chapter as a page shows it: text, or code in each language. */
export type Part = { text: string } | { code: Readonly<Record<Language, string>> };

const LANGUAGE_NAMES = Object.keys(WRITERS) as Language[];

const inEach = (write: (language: Language) => string): Record<Language, string> =>
  Object.fromEntries(LANGUAGE_NAMES.map((language) => [language, write(language)])) as Record<
    Language,
    string
  >;

/** @throws Error for an operation that does not exist */
const codeOf = (
  step: Exclude<Step, string>,
  language: Language,
  routes: Routes,
  used: ReadonlySet<string>,
): string => {
  const writer = WRITERS[language];
  if (isCall(step)) {
    const route = routes.get(step.call);
    if (!route) throw new Error(`there is no operation ${step.call}`);
    return writer.call(step, route, used);
  }
  return isPrint(step) ? step.print.map(writer.print).join('\n') : step.code[language];
};

const partsOf = (steps: readonly Step[], routes: Routes, used: ReadonlySet<string>): Part[] =>
  steps.map((step) =>
    typeof step === 'string'
      ? { text: step }
      : { code: inEach((language) => codeOf(step, language, routes, used)) },
  );

/** What every program begins with. */
export const openings = (): Record<Language, string> => inEach((language) => WRITERS[language].opening);

/** A chapter as its page shows it. */
export const shownParts = ({ before = [], steps }: Chapter, routes: Routes): Part[] =>
  partsOf(steps, routes, usedIn([...before, ...steps]));

/** The whole program of a chapter in a language. */
export const programOf = ({ before = [], steps }: Chapter, language: Language, routes: Routes): string => {
  const all = [...before, ...steps];
  const code = partsOf(all, routes, usedIn(all)).flatMap((part) =>
    'code' in part ? [part.code[language]] : [],
  );
  // Imports stand above all else in TypeScript.
  const text = `${[WRITERS[language].opening, ...code].join('\n\n')}\n`;
  if (language !== 'typescript') return text;
  const lines = text.split('\n');
  return [
    ...lines.filter((line) => line.startsWith('import ')),
    ...lines.filter((line) => !line.startsWith('import ')),
  ].join('\n');
};
