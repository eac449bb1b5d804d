import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** An error whose message is enough for a person; it needs no stack trace. */
export class DemoError extends Error {}

/** How long a report may take until it is ready, in milliseconds. */
const MAX_RENDER_TIME = 120_000;

export interface Resource {
  id: string;
}

/**
 * A client as an integration would write it: JSON over HTTP, with an `Idempotency-Key` on every POST.
 * @param url the address of the service, without `/v1`
 */
export const newClient = (url: string, key: string) => {
  const send = async <Reply>(method: string, path: string, body?: unknown): Promise<Reply> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && { 'Idempotency-Key': randomUUID() }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
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
interface Status {
  status: string;
  error?: string | null;
  page_count?: number | null;
  url?: string | null;
}

/** Polls until the resource is ready. @throws DemoError when it failed or takes too long */
export const waitUntilReady = async (api: Client, path: string): Promise<Status> => {
  for (const deadline = Date.now() + MAX_RENDER_TIME; Date.now() < deadline; await sleep(300)) {
    const state = await api.get<Status>(path);
    if (state.status === 'ready') return state;
    if (state.status === 'failed')
      throw new DemoError(`${path} failed: ${state.error ?? 'no reason was given'}`);
  }
  throw new DemoError(`${path} was not ready within ${MAX_RENDER_TIME / 1_000} seconds`);
};
