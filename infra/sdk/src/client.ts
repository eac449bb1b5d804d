import { ConnectionError, FailedError } from './errors.ts';
import { type Args, call, type CallOptions, type ClientOptions } from './send.ts';
import { sleep } from './waiting.ts';

/** The operations by name, each as `POST /locations i`: `i` takes an idempotency key, `o` has pages by offset. */
export type Table = Readonly<Record<string, string>>;

export interface WaitOptions {
  signal?: AbortSignal;
  /** In milliseconds (300,000). */
  timeout?: number;
}

/** A file to upload as a document. */
export interface NewFile {
  file: Blob;
  file_name: string;
  /** As far as the file itself does not say it. */
  mime_type?: string;
  /** For the document that is made of it, such as `title`. */
  [field: string]: unknown;
}

/** What works on every operation. */
export interface Helpers<Api> {
  /** The client again, acting for a member. @param userId of the member */
  as: (userId: string) => Api;
  /**
   * Reads again and again until what the service makes is ready.
   * @throws FailedError when it has failed, ConnectionError when it takes too long
   */
  wait: <Made extends { status: string; error: string | null }>(
    read: () => Promise<Made>,
    options?: WaitOptions,
  ) => Promise<Made>;
  /** The file behind a signed URL. The key is not sent there. */
  download: (url: string, options?: Pick<CallOptions, 'signal'>) => Promise<Blob>;
}

type Methods = Record<string, (args?: Args) => Promise<unknown>>;

const PAGE = 100;
const WAIT = 300_000;
const PAUSES = [250, 500, 1_000, 2_000];

const isPaged = (name: string): boolean => name.startsWith('list');

/** The rows of all pages, in their order; each page is read when it is needed. */
async function* rowsOf(options: ClientOptions, operation: string, { query, ...args }: Args = {}) {
  const limit = Number(query?.['limit'] ?? PAGE);
  let next: Args['query'] | undefined = { ...query, limit };
  while (next) {
    const page: NonNullable<Args['query']> = next;
    const { value, response } = await call(options, operation, { ...args, query: page });
    const rows = Array.isArray(value) ? value : (value as { items: unknown[] }).items;
    yield* rows;
    // The address in the header may be another one than ours, such as behind a proxy; its query is what counts.
    const link = /<([^>]*)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1];
    const cursor =
      link === undefined
        ? (value as { next_cursor?: string }).next_cursor
        : new URL(link, options.baseUrl).searchParams.get('cursor');
    if (cursor) next = { ...page, cursor };
    else if (operation.endsWith(' o') && rows.length === limit)
      next = { ...page, offset: Number(page['offset'] ?? 0) + limit };
    else next = undefined;
  }
}

const wait: Helpers<unknown>['wait'] = async (read, { signal, timeout = WAIT } = {}) => {
  const end = Date.now() + timeout;
  for (let round = 0; ; round++) {
    const made = await read();
    if (made.status === 'ready') return made;
    if (made.status === 'failed' || made.status === 'expired')
      throw new FailedError(made.error ?? made.status);
    const pause = PAUSES[Math.min(round, PAUSES.length - 1)]!;
    if (Date.now() + pause > end) throw new ConnectionError(`it was not ready within ${timeout} ms`);
    await sleep(pause, signal);
  }
};

/** Sends a file to where the service wants it, and makes a document of it. */
const upload = async (
  api: Methods,
  send: typeof fetch,
  { file, file_name, mime_type = file.type, ...document }: NewFile,
  args: CallOptions = {},
) => {
  const { upload_id, url, headers } = (await api['createUpload']!({
    ...args,
    body: { file_name, mime_type, size_bytes: file.size },
  })) as { upload_id: string; url: string; headers: Record<string, string> };
  for (let attempt = 0; ; attempt++) {
    const sent = await send(url, {
      method: 'PUT',
      headers,
      body: file,
      ...(args.signal && { signal: args.signal }),
    }).catch(() => undefined);
    if (sent?.ok) break;
    args.signal?.throwIfAborted();
    if (attempt === 2 || (sent && sent.status < 500))
      throw new ConnectionError(
        `the upload of ${file_name} ${sent ? `answered ${sent.status}` : 'broke off'}`,
      );
    await sleep(PAUSES[attempt]!, args.signal);
  }
  return api['completeUpload']!({ ...args, path: { upload_id }, body: document });
};

/** Makes the client: a method for each operation of the table, `each` for all pages of a list, and the helpers. */
// What the table makes of the client is known where the table is.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export const makeClient = <Api>(table: Table, options: ClientOptions): Api => {
  const methods: Methods = {};
  const each: Record<string, (args?: Args) => AsyncGenerator> = {};
  for (const [name, operation] of Object.entries(table)) {
    methods[name] = async (args) => (await call(options, operation, args)).value;
    if (isPaged(name)) each[name] = (args) => rowsOf(options, operation, args);
  }
  const send = options.fetch ?? globalThis.fetch;
  return {
    ...methods,
    each,
    as: (userId: string) => makeClient<Api>(table, { ...options, onBehalfOf: userId }),
    wait,
    upload: (file: NewFile, args?: CallOptions) => upload(methods, send, file, args),
    download: async (url: string, { signal }: Pick<CallOptions, 'signal'> = {}) => {
      const response = await send(url, signal && { signal });
      if (!response.ok) throw new ConnectionError(`the URL of a file answered ${response.status}`);
      return response.blob();
    },
  } as Api;
};
