/*
 * The program of the public form for issues sends photos and forms by this module. It runs in a browser, whose types the
 * tests do not have.
 */

interface Sending {
  uploadPhoto: (
    page: string,
    photo: { stamp: string; slot: number; blob: Blob },
    onProgress: (share: number) => void,
  ) => Promise<void>;
  postForm: (page: string, fields: [string, string][]) => Promise<{ status: number; page: unknown }>;
  Refused: new () => Error;
  Unreachable: new () => Error;
}

const PHOTO = { stamp: 's', slot: 2, blob: new Blob(['photo'], { type: 'image/jpeg' }) };
const HEADERS = { 'content-type': 'image/jpeg', 'content-length': '5', 'if-none-match': '*' };

/** What the storage answers to one PUT after the other; `silent` until it is given up. */
let storage: (number | 'silent')[];
let sent: { url: string; headers: Record<string, string> }[];

class XMLHttpRequest {
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  status = 0;
  onloadend = () => {};
  readonly #sent = { url: '', headers: {} as Record<string, string> };

  open(_method: string, url: string): void {
    this.#sent.url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.#sent.headers[name] = value;
  }

  send(): void {
    sent.push(this.#sent);
    const status = storage.shift() ?? 0;
    if (status === 'silent') return;
    this.upload.onprogress?.({ loaded: 5, total: 5 });
    this.status = status;
    queueMicrotask(() => this.onloadend());
  }

  abort(): void {
    this.onloadend();
  }
}

const fetched = jest.spyOn(globalThis, 'fetch');
const network = { onLine: true };
let sending: Sending;

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  [storage, sent, network.onLine] = [[], [], true];
  fetched
    .mockReset()
    .mockImplementation(async () => new Response(JSON.stringify({ url: 'put', headers: HEADERS })));
  Object.defineProperty(globalThis, 'navigator', { value: network, configurable: true });
  const DOMParser = class {
    parseFromString = (text: string) => text;
  };
  Object.assign(globalThis, { XMLHttpRequest, DOMParser });
  const path = '../../infra/web/issue/send.ts';
  sending = (await import(path)) as Sending;
});
afterEach(() => void jest.useRealTimers());
afterAll(() => {
  fetched.mockRestore();
  for (const name of ['XMLHttpRequest', 'DOMParser']) Reflect.deleteProperty(globalThis, name);
});

/** Sends a photo, however long that takes. @returns what came of it */
const outcome = async (): Promise<string> => {
  const result = sending
    .uploadPhoto('/r/token', PHOTO, () => undefined)
    .then(
      () => 'sent',
      (error: unknown) =>
        error instanceof sending.Refused
          ? 'refused'
          : error instanceof sending.Unreachable
            ? 'unreachable'
            : error,
    );
  await jest.runAllTimersAsync();
  return result as Promise<string>;
};

describe('a photo of an issue', () => {
  test('is stored where the service says, with its headers but for the length, which browsers set', async () => {
    storage = [200];
    const shares: number[] = [];
    await sending.uploadPhoto('/r/token', PHOTO, (share) => shares.push(share));
    const { 'content-length': _, ...headers } = HEADERS;
    expect(sent).toEqual([{ url: 'put', headers }]);
    expect(fetched.mock.calls[0]).toEqual([
      '/r/token/uploads',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ stamp: 's', slot: 2, size: 5, type: 'image/jpeg' }),
      },
    ]);
    expect(shares).toEqual([1]);
  });

  const answers: [(number | 'silent')[], string][] = [
    [[200], 'sent'],
    [[204], 'sent'],
    // An earlier attempt has stored it.
    [[412], 'sent'],
    [[500, 429, 200], 'sent'],
    [[0, 'silent', 412], 'sent'],
    [[503, 503, 503, 200], 'sent'],
    [[503, 503, 503, 503], 'unreachable'],
    [[403], 'refused'],
    [[500, 400], 'refused'],
  ];
  test.each(answers)('to which the storage answers %j is %s', async (statuses, expected) => {
    storage = [...statuses];
    expect(await outcome()).toBe(expected);
    expect(sent).toHaveLength(statuses.length);
  });

  test.each([
    [422, 'refused', 1],
    [404, 'refused', 1],
    [429, 'unreachable', 4],
    [503, 'unreachable', 4],
  ])('for which the service answers %d is %s after %d attempts', async (status, expected, attempts) => {
    fetched.mockImplementation(async () => new Response('{}', { status }));
    expect(await outcome()).toBe(expected);
    expect(fetched).toHaveBeenCalledTimes(attempts);
    expect(sent).toEqual([]);
  });

  test('waits between its attempts, and not at all without a connection', async () => {
    const times: number[] = [];
    fetched.mockImplementation(async () => {
      times.push(Date.now());
      throw new TypeError('Failed to fetch');
    });
    expect(await outcome()).toBe('unreachable');
    expect(times.slice(1).map((time, position) => time - times[position]!)).toEqual([500, 1_500, 4_000]);
    network.onLine = false;
    expect(await outcome()).toBe('unreachable');
    expect(times).toHaveLength(5);
  });
});

describe('the form of an issue', () => {
  test.each([
    [200, true],
    [422, true],
    [404, true],
    [429, false],
    [500, false],
    [503, false],
  ])('that is answered with %d has arrived: %s', async (status, hasArrived) => {
    fetched.mockImplementation(async () => new Response('<p>', { status }));
    const answer = sending.postForm('/r/token', [['title', 'a&b']]);
    if (hasArrived) expect(await answer).toEqual({ status, page: '<p>' });
    else await expect(answer).rejects.toBeInstanceOf(sending.Unreachable);
    const { body } = fetched.mock.calls[0]![1]!;
    expect([...(body as URLSearchParams)]).toEqual([['title', 'a&b']]);
  });

  test('that gets no reply, or half of one, has not arrived', async () => {
    fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    await expect(sending.postForm('/r/token', [])).rejects.toBeInstanceOf(sending.Unreachable);
    const half = new Response('<p>');
    jest.spyOn(half, 'text').mockRejectedValue(new TypeError('terminated'));
    fetched.mockResolvedValueOnce(half);
    await expect(sending.postForm('/r/token', [])).rejects.toBeInstanceOf(sending.Unreachable);
  });
});
