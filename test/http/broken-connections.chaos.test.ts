import dns from 'node:dns';
import { MAX_CALL_MS } from '../../shared/base/connection.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { keys } from '../../shared/table/keys.ts';
import { RETRY } from '../../shared/table/retry.ts';
import { getSystemRows } from '../../shared/table/rows.ts';
import { type Answer } from '../support/call.ts';
import { impatient } from '../support/faults.ts';
import {
  actsInSilence,
  answers,
  answersHalf,
  answersWith,
  type Behaviour,
  cutsReply,
  drips,
  from,
  isSilent,
  type Peer,
  resetsReused,
  startPeer,
} from '../support/peer.ts';
import { newPerson, type Person } from '../support/people.ts';

/** How long one call and its repetitions may take during an outage, in milliseconds. */
const LIMIT = 200;
const USUAL = { ...MAX_CALL_MS };
const USUAL_BUDGET = RETRY.budget;

let peer: Peer;
let person: Person;
let params: Record<string, string>;

beforeAll(async () => {
  peer = await startPeer(process.env['AWS_ENDPOINT_URL_DYNAMODB']);
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = peer.url;
});
afterAll(() => peer.close());

beforeEach(async () => {
  peer.now(answers);
  person = await newPerson('Caller');
  const { id } = await person.clientAccounts.create({ body: { name: 'First' } });
  params = { ca_id: id };
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** The number of requests of the person's key in this minute. */
const counted = async (): Promise<number> => {
  const [row] = await getSystemRows([keys.apiKey(sha256(person.key))]);
  return row!.count;
};

/**
 * Calls `request` while the peer behaves so. A peer that does not answer never ends by itself: without a limit, the call
 * would take longer than the test may.
 */
const during = async (behaviour: Behaviour, request: () => Promise<Answer>, limit = LIMIT) => {
  Object.assign(MAX_CALL_MS, { table: limit });
  impatient(limit);
  peer.now(behaviour);
  const { status, body } = await request();
  peer.now(answers);
  Object.assign(MAX_CALL_MS, USUAL);
  impatient(USUAL_BUDGET);
  return { status, detail: body.detail as string | undefined };
};

const get = () => person.try.clientAccounts.get({ params });
const create = (seconds?: number) =>
  person.try.clientAccounts.create({
    body: { name: 'New' },
    headers: { 'Idempotency-Key': 'k' },
    ...(seconds !== undefined && { milliseconds: seconds * 1_000 }),
  });
/** Sends the request of `create` again, as a client does: until the first one's claim is settled, or has expired. */
const createAgain = async (): Promise<number> => {
  const { status } = await create();
  if (status !== 409) return status;
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_001);
  return (await create()).status;
};
const names = async (): Promise<string[]> =>
  (await person.clientAccounts.list()).map(({ name }: { name: string }) => name).toSorted();

const OUTAGES: [string, Behaviour][] = [
  ['accepts the connection and never answers', isSilent],
  ['does what it is told and never answers', actsInSilence],
  ['answers half of its reply', answersHalf],
  ['closes the connection in the middle of its reply', cutsReply],
  ['is a proxy that answers 502', answersWith(502, '<html>Bad gateway</html>')],
  ['sends its reply byte by byte', drips],
  ['answers 500 without a body', answersWith(500, '')],
  ['is a proxy that answers a page', answersWith(200, '<html>Sign in</html>')],
];

describe('a table that', () => {
  test.each(OUTAGES)(
    '%s: 503 for a request that cannot be authenticated, counted once at most',
    async (_, behaviour) => {
      const before = await counted();
      const { status, detail } = await during(behaviour, get);
      expect([status, detail]).toEqual([503, 'Authentication is briefly unavailable. Try again.']);
      expect(await counted()).toBeLessThanOrEqual(before + 1);
    },
  );

  // The calls of the request: the key, the claim of the idempotency key, the change.
  test.each(
    OUTAGES.slice(0, 5).flatMap(([what, behaviour]) =>
      [2, 3].map((turn) => [what, turn, behaviour] as const),
    ),
  )(
    '%s, from call %i on: 503, and the repeated request makes the change once',
    async (_, turn, behaviour) => {
      const { status } = await during(from(turn, behaviour), () => create());
      expect(status).toBe(503);
      expect(await createAgain()).toBe(201);
      expect(await names()).toEqual(['First', 'New']);
    },
  );

  test.each([1, 2, 3])(
    'is silent from call %i on: 503 before the time of the function is over',
    async (turn) => {
      // A call may take longer than the test.
      const { status } = await during(from(turn, isSilent), () => create(2), 3_600_000);
      expect(status).toBe(503);
      // A function that was frozen after its answer goes on later, and finds its connections closed.
      peer.disconnect();
      expect(await createAgain()).toBe(201);
      expect(await names()).toEqual(['First', 'New']);
    },
  );
});

describe('a peer that resets idle connections', () => {
  test('200 for every request, although several connections were idle', async () => {
    await Promise.all(Array.from({ length: 5 }, get));
    peer.now(resetsReused);
    const statuses = [];
    for (let turn = 0; turn < 20; turn += 1) statuses.push((await get()).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
  });

  test('503 when new connections are reset as well, after one more attempt', async () => {
    peer.now(async ({ socket }) => void socket.resetAndDestroy());
    expect((await get()).status).toBe(503);
    expect(peer.turns()).toBe(2);
  });
});

describe('a name of the table that cannot be resolved', () => {
  test.each(['EAI_AGAIN', 'EAI_FAIL', 'ENOTFOUND'])('503 for %s', async (code) => {
    // Only a new connection resolves the name.
    peer.disconnect();
    const error = Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' });
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation((...rest: unknown[]) => {
      (rest.at(-1) as (failure: Error) => void)(error);
    });
    // Until the client knows that its connections are closed, it may use one of them.
    do expect((await during(answers, get)).status).toBe(503);
    while (lookup.mock.calls.length === 0);
  });
});
