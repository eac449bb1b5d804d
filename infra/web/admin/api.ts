import type { Problem } from '../../../shared/base/problem.ts';
import { addressOf } from './page.ts';

/** A request that did not succeed. */
export class Failure extends Error {
  /** 0 when no reply has arrived. */
  readonly status: number;
  readonly code: string;
  /** Of a 422. */
  readonly problems: readonly Problem[];
  /** Whether the request may have changed something. */
  readonly isWrite: boolean;

  constructor(status: number, code: string, detail: string, problems: readonly Problem[], isWrite: boolean) {
    super(detail);
    this.status = status;
    this.code = code;
    this.problems = problems;
    this.isWrite = isWrite;
  }
}

/** What a request sends beside its path. */
export interface Sent {
  body?: object;
  form?: FormData;
  /** Of the resource that was read: another one by now is a 409. */
  version?: number;
}

export interface Reply<Value> {
  value: Value;
  /** The query of the next page of a list; undefined on the last one. */
  next: string | undefined;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How long a request may take, in milliseconds: a little longer than the gateway waits. */
const MAX_TIME = 32_000;

const failureOf = async (response: Response, isWrite: boolean): Promise<Failure> => {
  const code = response.headers.get('x-error-code') ?? '';
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: string | Problem[] };
  const problems = Array.isArray(detail) ? detail : [];
  return new Failure(response.status, code, typeof detail === 'string' ? detail : '', problems, isWrite);
};

/**
 * Sends a request of the app.
 * @param path below `/app`
 * @throws Failure
 */
export const request = async <Value>(
  method: Method,
  path: string,
  sent: Sent = {},
): Promise<Reply<Value>> => {
  const { body, form, version } = sent;
  const isWrite = method !== 'GET';
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), MAX_TIME);
  const response = await fetch(addressOf(`/app${path}`), {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(version !== undefined && { 'if-match': `"${version}"` }),
    },
    body: form ?? (body ? JSON.stringify(body) : null),
    signal: ended.signal,
  })
    .catch(() => {
      throw new Failure(0, 'no_reply', '', [], isWrite);
    })
    .finally(() => clearTimeout(timer));
  if (!response.ok) throw await failureOf(response, isWrite);
  const value = response.status === 204 ? null : await response.json().catch(() => undefined);
  // A list that is streamed may break off.
  if (value === undefined) throw new Failure(0, 'no_reply', '', [], isWrite);
  const [, next] = /<[^>]*\?([^>]*)>; *rel="?next/.exec(response.headers.get('link') ?? '') ?? [];
  return { value: value as Value, next };
};

/** The value that a path has. @throws Failure */
export const read = async <Value>(path: string): Promise<Value> => (await request<Value>('GET', path)).value;

/** Changes something, and returns what it is then. @throws Failure */
export const send = async <Value>(
  method: Exclude<Method, 'GET'>,
  path: string,
  sent?: Sent,
): Promise<Value> => (await request<Value>(method, path, sent)).value;
