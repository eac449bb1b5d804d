import type { Problem } from '../../shared/base/problem.ts';

/*
 * The program of the admin app sends its requests by this module. It runs in a browser, whose types the tests do not
 * have.
 */

interface Failure extends Error {
  status: number;
  code: string;
  problems: readonly Problem[];
  isWrite: boolean;
}

interface Requests {
  request: (
    method: string,
    path: string,
    sent?: { body?: object; form?: FormData; version?: number },
  ) => Promise<{ value: unknown; next: string | undefined }>;
}

interface Drafts {
  hasDraft: (name: string) => boolean;
  dropDraft: (name: string) => void;
  useDraft: (name: string, original: object) => { changes: object; change: (fields: object) => void };
}

interface Frame {
  startFrame: (onFailure: (error: unknown) => void) => void;
}

/** A state that only changes: nothing is drawn. */
const useState = (initial: () => object) => {
  let state = initial();
  return [state, (next: (before: object) => object) => void (state = next(state))];
};
jest.mock('preact/hooks', () => ({ useState: (initial: () => object) => useState(initial) }));

const PAGE = { base: 'https://inspections.example/v1', organization: { id: 'org-1' }, userId: 'ada' };

/** Loads a module of the program as the page of somebody does. */
const loaded = async <Module>(name: string, page: object = PAGE): Promise<Module> => {
  jest.resetModules();
  const main = { dataset: { page: JSON.stringify({ texts: { common: { working: 'Working' } }, ...page }) } };
  Object.assign(globalThis, { document: { querySelector: () => main } });
  return (await import(`../../infra/web/admin/${name}.ts`)) as Module;
};

const fetched = jest.spyOn(globalThis, 'fetch');
const reply = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(body === null ? null : JSON.stringify(body), init);

let request: Requests['request'];
beforeEach(async () => {
  fetched.mockReset().mockImplementation(async () => reply([]));
  ({ request } = await loaded<Requests>('api'));
});
afterAll(() => {
  fetched.mockRestore();
  Reflect.deleteProperty(globalThis, 'document');
});

const failure = (sent: Promise<unknown>): Promise<Failure> =>
  sent.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: Failure) => error,
  );

describe('a request of the admin app', () => {
  test('names the version that was read, and the type of its body', async () => {
    await request('PATCH', '/webhooks/1', { body: { url: 'x' }, version: 3 });
    await request('GET', '/webhooks');
    const form = new FormData();
    await request('POST', '/logo', { form, version: 0 });
    expect(fetched.mock.calls.map(([url]) => url)).toEqual([
      `${PAGE.base}/app/webhooks/1`,
      `${PAGE.base}/app/webhooks`,
      `${PAGE.base}/app/logo`,
    ]);
    expect(fetched.mock.calls.map(([, sent]) => ({ ...sent, signal: undefined }))).toEqual([
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': '"3"' },
        body: '{"url":"x"}',
      },
      { method: 'GET', headers: {}, body: null },
      // The browser itself names the type of a form, with its boundary.
      { method: 'POST', headers: { 'if-match': '"0"' }, body: form },
    ]);
  });

  test('finds the next page of a list, and that there is nothing to read', async () => {
    fetched.mockResolvedValueOnce(reply([1], { headers: { link: '<?limit=50&cursor=abc>; rel="next"' } }));
    expect(await request('GET', '/members')).toEqual({ value: [1], next: 'limit=50&cursor=abc' });
    expect(await request('GET', '/members')).toEqual({ value: [], next: undefined });
    fetched.mockResolvedValueOnce(reply(null, { status: 204 }));
    expect(await request('DELETE', '/members/1')).toEqual({ value: null, next: undefined });
  });

  const problems: Problem[] = [{ loc: ['body', 'url'], msg: 'x', type: 'value_error' }];
  const refusals: [string, Response | Error, Partial<Failure>][] = [
    [
      'a refusal',
      reply({ detail: 'No.' }, { status: 409, headers: { 'x-error-code': 'version_mismatch' } }),
      { status: 409, code: 'version_mismatch', message: 'No.', problems: [] },
    ],
    [
      'problems',
      reply({ detail: problems }, { status: 422 }),
      { status: 422, code: '', message: '', problems },
    ],
    ['a page of a proxy', new Response('<html>', { status: 502 }), { status: 502, message: '' }],
    ['no connection', new TypeError('Failed to fetch'), { status: 0, code: 'no_reply' }],
    ['a list that breaks off', new Response('[{"id":1},'), { status: 0, code: 'no_reply' }],
  ];
  test.each(refusals)('fails for %s', async (_, answer, expected) => {
    fetched.mockImplementation(async () => {
      if (answer instanceof Error) throw answer;
      return answer.clone();
    });
    expect(await failure(request('GET', '/members'))).toMatchObject({ ...expected, isWrite: false });
    // It may have changed something.
    expect(await failure(request('POST', '/members'))).toMatchObject({ ...expected, isWrite: true });
  });

  test('ends after 32 seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      fetched.mockImplementation(
        (_, sent) =>
          new Promise((_resolve, reject) => {
            sent!.signal!.addEventListener('abort', () => reject(new Error('aborted')));
          }),
      );
      let isOver = false;
      const failed = failure(request('GET', '/members')).finally(() => {
        isOver = true;
      });
      await jest.advanceTimersByTimeAsync(31_999);
      expect(isOver).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(await failed).toMatchObject({ status: 0, code: 'no_reply' });
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('what somebody has entered', () => {
  const entries = new Map<string, string>();
  beforeEach(() => {
    entries.clear();
    const sessionStorage = {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => void entries.set(key, value),
      removeItem: (key: string) => void entries.delete(key),
      clear: () => entries.clear(),
    };
    Object.assign(globalThis, { sessionStorage });
  });
  afterAll(() => void Reflect.deleteProperty(globalThis, 'sessionStorage'));

  test('is found by nobody else, and not in another organization', async () => {
    entries.set('draft org-1 ada webhook', '{"url":"x"}');
    const found = async (page: object) => (await loaded<Drafts>('drafts', page)).hasDraft('webhook');
    expect(await found(PAGE)).toBe(true);
    expect(await found({ ...PAGE, userId: 'ben' })).toBe(false);
    expect(await found({ ...PAGE, organization: { id: 'org-2' } })).toBe(false);
    expect((await loaded<Drafts>('drafts')).hasDraft('key')).toBe(false);
  });

  test('is kept as long as it is another value than the original one', async () => {
    const { useDraft, hasDraft } = await loaded<Drafts>('drafts');
    const { change } = useDraft('webhook', { url: 'x', types: ['*'] });
    change({ url: 'y', types: ['*'] });
    expect([...entries]).toEqual([['draft org-1 ada webhook', '{"url":"y"}']]);
    expect(useDraft('webhook', { url: 'x' }).changes).toEqual({ url: 'y' });
    change({ url: 'x' });
    expect(hasDraft('webhook')).toBe(false);
  });

  test.each([200, 503])('is gone as soon as somebody signs out, answered with %d', async (status) => {
    entries.set('draft org-1 ada webhook', '{"url":"x"}');
    const redirect_url = 'https://provider.example/end';
    fetched.mockImplementation(async () => reply({ redirect_url }, { status }));
    const { startFrame } = await loaded<Frame>('frame');
    const button: { onclick?: () => void } & Record<string, unknown> = { setAttribute: () => undefined };
    const elements: Record<string, object> = { '#sign-out': button };
    const { promise, resolve } = Promise.withResolvers<string>();
    Object.assign(globalThis, {
      document: { querySelector: (name: string) => elements[name] ?? null },
      location: { assign: resolve },
    });
    startFrame(() => undefined);
    button.onclick!();
    expect(entries.size).toBe(0);
    expect(await promise).toBe(status === 200 ? redirect_url : `${PAGE.base}/app/sign-in?anew=1`);
    Reflect.deleteProperty(globalThis, 'location');
  });

  test('is gone once it is given up, and what cannot be read is none', async () => {
    entries.set('draft org-1 ada webhook', '{"url":"x"}');
    entries.set('draft org-1 ada key', '{"na');
    const { hasDraft, dropDraft } = await loaded<Drafts>('drafts');
    expect([hasDraft('webhook'), hasDraft('key')]).toEqual([true, false]);
    dropDraft('webhook');
    expect([...entries.keys()]).toEqual(['draft org-1 ada key']);
  });
});
