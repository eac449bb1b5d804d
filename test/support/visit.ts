import type { PublicOperation } from '../../shared/http/operation/operation.ts';
import { type Answer, checkErrorCode, checkSafeHeaders, invoke } from './call.ts';
import { anyBytes } from './chance.ts';

/** The exports of a page in `functions/public/`. */
export interface PageEndpoint {
  operation: PublicOperation;
  handler: unknown;
}

/** What a reader sends to a page. */
export interface Visit {
  /** The last part of a link, or the link itself. */
  token: string;
  /** The fields of the page's form. */
  form?: Record<string, string>;
  /** Another body. */
  raw?: { type: string; bytes: Buffer | string };
  query?: Record<string, string>;
  headers?: Record<string, string>;
  sourceIp?: string;
}

/** The headers of a browser. */
export const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'Accept-Language': 'en',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/** An address of a network of its own, so that no test uses up the visits of another one. */
export const anyAddress = (): string => ['10', ...anyBytes(3)].join('.');

/** The statuses that follow from a page's declaration. */
const statusesOf = ({ success, body }: PublicOperation): number[] => [
  success,
  ...(body ? [400] : []),
  403,
  404,
  422,
  429,
  500,
  503,
];

/** What each directive of a page's policy may be. A page has those without a question mark, and no others. */
const DIRECTIVES: Readonly<Record<string, RegExp>> = {
  'default-src': /^'none'$/,
  'style-src': /^'sha256-[\w+/=]+'( 'sha256-[\w+/=]+')*$/,
  'script-src?': /^'self'$/,
  'connect-src?': /^'self'( https?:[^ ;*]+)*$/,
  'img-src': /^data:( blob:)?( https?:[^ ;*]+)*( blob:)?( https?:[^ ;*]+)*( 'self')?$/,
  'object-src?': /^'self'( https?:[^ ;*]+)+$/,
  'frame-src?': /^'self'( https?:[^ ;*]+)+$/,
  'form-action': /^'self'( https?:[^ ;*]+)*$/,
  'base-uri': /^'none'$/,
  'frame-ancestors': /^'none'$/,
};

/** What is wrong with the policy of a page. @param hasProgram whether the page has a script of ours */
const faultsOfPolicy = (policy: string, hasProgram: boolean): string[] => {
  const given = new Map(policy.split('; ').map((each) => [each.slice(0, each.indexOf(' ')), each] as const));
  const known = new Set(Object.keys(DIRECTIVES).map((name) => name.replace('?', '')));
  const isNeeded = (name: string): boolean =>
    name === 'script-src?' || name === 'connect-src?' ? hasProgram : !name.endsWith('?');
  return [
    ...[...given.keys()].filter((name) => !known.has(name)),
    ...Object.entries(DIRECTIVES).flatMap(([name, value]) => {
      const directive = given.get(name.replace('?', ''));
      if (directive === undefined) return isNeeded(name) ? [`no ${name}`] : [];
      if (name === 'script-src?' && !hasProgram) return [directive];
      return value.test(directive.slice(directive.indexOf(' ') + 1)) ? [] : [directive];
    }),
  ];
};

/** @throws Error unless a reply keeps its address to itself and runs no script but ours */
const checkPrivacy = ({ status, headers, text }: Omit<Answer, 'body'>): void => {
  const expected: [string, RegExp][] = [
    ['referrer-policy', /^no-referrer$/],
    ['x-robots-tag', /noindex/],
  ];
  for (const [name, value] of expected) {
    if (!value.test(headers[name] ?? '')) throw new Error(`${status} has ${name}: ${headers[name]}`);
  }
  if (!headers['content-type']?.startsWith('text/html')) return;
  const faults = faultsOfPolicy(headers['content-security-policy'] ?? '', text.includes('<script'));
  if (faults.length > 0) throw new Error(`the policy of a page with ${status}: ${faults.join('; ')}`);
};

/** Opens a page, or sends its form, as a browser does unless `headers` say otherwise. */
export const visit = async (endpoint: PageEndpoint, request: Visit): Promise<Omit<Answer, 'body'>> => {
  const { token, form, raw, query, headers, sourceIp = anyAddress() } = request;
  const { type, bytes } =
    raw ??
    (form
      ? { type: 'application/x-www-form-urlencoded', bytes: new URLSearchParams(form).toString() }
      : { type: undefined, bytes: '' });
  const answer = await invoke(
    endpoint,
    { params: { token: token.split('/').at(-1)! }, sourceIp, ...(query && { query }) },
    { ...BROWSER, ...(type && { 'Content-Type': type }), ...headers },
    Buffer.from(bytes),
  );
  checkErrorCode(answer);
  checkSafeHeaders(answer);
  checkPrivacy(answer);
  if (!answer.headers['x-request-id']) throw new Error(`${endpoint.operation.id} answered without an id`);
  if (!statusesOf(endpoint.operation).includes(answer.status))
    throw new Error(`${endpoint.operation.id} does not declare the status ${answer.status}: ${answer.text}`);
  return answer;
};
