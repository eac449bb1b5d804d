import { ApiError, ConnectionError } from './errors.ts';
import { sleep } from './waiting.ts';

/** How one request is sent. */
export interface CallOptions {
  /** Cancels the call, and its repetitions. */
  signal?: AbortSignal;
  /** For each attempt, in milliseconds (60,000). */
  timeout?: number;
  /** How often a request is repeated at most (4). */
  retries?: number;
  /** The `user_id` of the member for whom the key acts. */
  onBehalfOf?: string;
  /** Is given each reply, for its headers. */
  onResponse?: (response: Response) => void;
}

export interface ClientOptions extends Omit<CallOptions, 'signal' | 'onResponse'> {
  /** The address of the service, without `/v1`. */
  baseUrl: string;
  apiKey: string | (() => string | Promise<string>);
  /** Sends the requests, in place of the platform's own `fetch`. */
  fetch?: typeof fetch;
}

type Scalar = string | number | boolean | null | undefined;

/** What an operation is called with. */
export interface Args extends CallOptions {
  path?: Record<string, Scalar>;
  query?: Record<string, Scalar | readonly Scalar[]>;
  headers?: Record<string, Scalar>;
  body?: unknown;
}

const TIMEOUT = 60_000;
const RETRIES = 4;
/** Before the first repetition, and at most; in milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8_000;
const MINUTE = 60_000;
/** A request that has to wait longer, in milliseconds, fails. A rate limit ends within a minute. */
const LONGEST_WAIT = 90_000;

const FAILURES = new Set([500, 502, 503, 504]);

const queryOf = (query: Args['query'] = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat())
      if (one !== undefined && one !== null) parameters.append(name, String(one));
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
};

/** A body with a file as a form; any other one as JSON. */
const bodyOf = (body: unknown): string | FormData | undefined => {
  if (body === undefined) return undefined;
  const entries = Object.entries(body as object);
  if (!entries.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of entries)
    for (const one of [value].flat())
      if (one !== undefined) form.append(name, one instanceof Blob ? one : String(one));
  return form;
};

/** JSON as a value, a calendar as text, any other file as a `Blob`, nothing as undefined. */
const valueOf = async (response: Response): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 204) return undefined;
  if (/json/.test(type)) return response.json();
  return /text\/calendar/.test(type) ? response.text() : response.blob();
};

const errorOf = async (request: string, response: Response): Promise<ApiError> => {
  const text = await response.text();
  let detail = text || response.statusText;
  try {
    detail = JSON.parse(text).detail ?? detail;
  } catch {
    // A gateway before the service need not answer with JSON.
  }
  return new ApiError(request, response, detail);
};

/** How long the service, or a gateway before it, asks to wait, in milliseconds. */
const askedPause = ({ status, code }: ApiError, { headers }: Response): number | undefined => {
  const asked = headers.get('retry-after');
  if (asked) return Number(asked) * 1_000;
  if (status !== 429 || code !== 'rate_limit_exceeded') return undefined;
  // The count starts again at each full minute of the service's clock.
  const time = Date.parse(headers.get('date') ?? '') || Date.now();
  return MINUTE - (time % MINUTE);
};

/** How long to wait before a repetition: as long as the service asks for, else a random time that grows. */
const pauseBefore = (attempt: number, asked?: number): number => {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt);
  return asked ? asked + Math.random() * FIRST_PAUSE : longest * (0.5 + Math.random() / 2);
};

/** Sends one attempt. @throws ConnectionError without a reply, or the reason of the caller's signal */
const attemptOf = async <Value>(
  url: string,
  init: RequestInit,
  { signal, timeout = TIMEOUT, send }: CallOptions & { send: typeof fetch },
  read: (response: Response) => Promise<Value>,
): Promise<Value> => {
  signal?.throwIfAborted();
  const own = new AbortController();
  const stop = () => own.abort(signal!.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => own.abort(new Error(`there was no reply within ${timeout} ms`)), timeout);
  try {
    return await read(await send(url, { ...init, signal: own.signal }));
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = own.signal.aborted ? own.signal.reason : cause;
    throw new ConnectionError(`${init.method} ${url}: ${(reason as Error).message}`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
};

/**
 * Sends a request, and repeats it where that does no harm: after a 429 always, after a failure or a lost reply what is
 * safe to repeat.
 * @param operation such as `POST /locations i`; the `i` says that it takes an idempotency key
 * @throws ApiError, ConnectionError, or the reason of the signal
 */
export const call = async (
  options: ClientOptions,
  operation: string,
  args: Args = {},
): Promise<{ value: unknown; response: Response }> => {
  const [method, template, flag] = operation.split(' ') as [string, string, string?];
  const isKeyed = flag === 'i';
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(args.path?.[name])),
  );
  const body = bodyOf(args.body);
  const { baseUrl, apiKey, fetch: send = globalThis.fetch } = options;
  const member = args.onBehalfOf ?? options.onBehalfOf;
  const { signal, onResponse } = args;
  const timeout = args.timeout ?? options.timeout;
  const headers: Record<string, string> = {
    ...(isKeyed && { 'Idempotency-Key': crypto.randomUUID() }),
    ...(member && { 'On-Behalf-Of': member }),
    ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
  };
  for (const [name, value] of Object.entries(args.headers ?? {}))
    if (value !== undefined) headers[name] = String(value);

  const isVersioned =
    'If-Match' in headers || (args.body as { expected_version?: unknown })?.expected_version !== undefined;
  // The second of two equal changes finds another version than it names.
  const isSafe = method === 'GET' || method === 'DELETE' || (method === 'PUT' && !isVersioned) || isKeyed;

  const url = `${baseUrl.replace(/\/$/, '')}/v1${path}${queryOf(args.query)}`;
  const request = `${method} ${path}`;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= (args.retries ?? options.retries ?? RETRIES);
    headers['Authorization'] = `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`;
    let pause = pauseBefore(attempt);
    try {
      const { response, value, error } = await attemptOf(
        url,
        { method, headers, ...(body !== undefined && { body }) },
        { send, ...(signal && { signal }), ...(timeout !== undefined && { timeout }) },
        async (response) =>
          response.ok
            ? { response, value: await valueOf(response) }
            : { response, error: await errorOf(request, response) },
      );
      onResponse?.(response);
      if (!error) return { value, response };
      // The first attempt has deleted it, and its reply was lost.
      if (attempt > 0 && method === 'DELETE' && error.status === 404) return { value: undefined, response };
      const isRepeatable =
        error.status === 429 ||
        (isKeyed && error.code === 'idempotent_request_running') ||
        (isSafe && FAILURES.has(error.status));
      pause = pauseBefore(attempt, askedPause(error, response));
      if (isLast || !isRepeatable || pause > LONGEST_WAIT) throw error;
    } catch (error) {
      if (isLast || !isSafe || !(error instanceof ConnectionError)) throw error;
    }
    await sleep(pause, signal);
  }
};
