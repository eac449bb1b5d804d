import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** An error whose message is enough for a person; it needs no stack trace. */
export class DemoError extends Error {}

/** How long the service may work on something in the background, such as a report, in milliseconds. */
const MAX_WAIT = 120_000;

/** Replies that ask to be repeated: too many requests, or a service that is busy for a moment. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How often a request is sent before its reply counts. */
const ATTEMPTS = 6;

/** Milliseconds before the next attempt: what the service says, else a second more with each. */
const pauseAfter = (attempt: number, response: Response): number =>
  (Number(response.headers.get('retry-after')) || attempt) * 1_000;

export interface Resource {
  id: string;
}

/**
 * A client as an integration would write it: JSON over HTTP, with an `Idempotency-Key` on every POST, so that a request
 * that found the service busy is sent again and does nothing twice.
 * @param url the address of the service, without `/v1`
 * @param member the user id of the member for whom it acts, with a key that may
 */
export const newClient = (url: string, key: string, member?: string) => {
  const send = async <Reply>(method: string, path: string, body?: unknown): Promise<Reply> => {
    const isForm = body instanceof FormData;
    const sent = {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && { 'Idempotency-Key': randomUUID() }),
        ...(member && { 'On-Behalf-Of': member }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    };
    let response = await fetch(`${url}/v1${path}`, sent);
    for (let attempt = 1; BUSY.has(response.status) && attempt < ATTEMPTS; attempt += 1) {
      await sleep(pauseAfter(attempt, response));
      response = await fetch(`${url}/v1${path}`, sent);
    }
    const text = await response.text();
    if (!response.ok) throw new DemoError(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Reply;
  };
  return {
    get: <Reply>(path: string) => send<Reply>('GET', path),
    post: <Reply>(path: string, body?: unknown) => send<Reply>('POST', path, body),
    put: <Reply>(path: string, body: unknown) => send<Reply>('PUT', path, body),
    patch: <Reply>(path: string, body: unknown) => send<Reply>('PATCH', path, body),
  };
};
export type Client = ReturnType<typeof newClient>;

interface Upload {
  name: string;
  type: string;
  bytes: Buffer;
  title: string;
}

/** Uploads a file as a document. @returns the document's id */
export const uploadDocument = async (api: Client, { name, type, bytes, title }: Upload): Promise<string> => {
  const form = new FormData();
  form.set('title', title);
  form.set('file', new File([new Uint8Array(bytes)], name, { type }));
  return (await api.post<Resource>('/documents', form)).id;
};

/** A resource that the service makes in the background, such as a report. */
export interface Made {
  status: string;
  error: string | null;
}

/** Polls until the reply is what the caller waits for. @throws DemoError when that takes too long */
export const poll = async <Reply>(
  api: Client,
  path: string,
  isDone: (reply: Reply) => boolean,
): Promise<Reply> => {
  for (const deadline = Date.now() + MAX_WAIT; Date.now() < deadline; await sleep(300)) {
    const reply = await api.get<Reply>(path);
    if (isDone(reply)) return reply;
  }
  throw new DemoError(`${path} was not ready within ${MAX_WAIT / 1_000} seconds`);
};

/** Polls until the resource is ready. @throws DemoError when it failed or takes too long */
export const waitUntilReady = async <Reply extends Made>(api: Client, path: string): Promise<Reply> => {
  const made = await poll<Reply>(api, path, ({ status }) => status === 'ready' || status === 'failed');
  if (made.status === 'failed') throw new DemoError(`${path} failed: ${made.error ?? 'no reason was given'}`);
  return made;
};

/** Downloads what a signed URL leads to. */
export const download = async (url: string): Promise<Buffer> => {
  const response = await fetch(url);
  if (!response.ok) throw new DemoError(`the URL of a file answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
};
