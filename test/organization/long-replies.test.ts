import type { KeyCaller } from '../../shared/base/caller.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { authenticateKey } from '../../shared/organizations/authentication.ts';
import { beginLongReply, endLongReply, MAX_LONG_REPLIES } from '../../shared/organizations/long-replies.ts';
import { useClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';

const MINUTE = 60_000;

useClock('2026-12-10T12:00:00Z');

let person: Person;
let hash: string;
beforeEach(async () => {
  person = await newPerson('Reader');
  hash = sha256(person.key);
});

const begin = (count: number, now = Date.now()): Promise<(string | undefined)[]> =>
  Promise.all(Array.from({ length: count }, () => beginLongReply(hash, now)));
const counted = async (): Promise<KeyCaller['long_replies']> =>
  (await authenticateKey(person.key, Date.now(), '203.0.113.7')).long_replies;

describe('the long replies of a key', () => {
  test('are counted, and each of them frees its place when it ends', async () => {
    expect(await counted()).toBeUndefined();
    const leases = await begin(MAX_LONG_REPLIES);
    expect(new Set(leases).size).toBe(MAX_LONG_REPLIES);
    expect(await counted()).toBe(MAX_LONG_REPLIES);
    expect(await begin(1)).toEqual([undefined]);
    await endLongReply(hash, leases[0]!);
    expect(await begin(2)).toEqual(expect.arrayContaining([expect.any(String), undefined]));
  });

  test('are never more than allowed when many begin at once', async () => {
    const leases = await begin(MAX_LONG_REPLIES + 10);
    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(MAX_LONG_REPLIES);
  });

  test('count no longer when their function has crashed, after the longest time that a reply takes', async () => {
    await begin(MAX_LONG_REPLIES, Date.now() - 5 * MINUTE + 20_000);
    expect(await begin(1)).toEqual([undefined]);
    await begin(MAX_LONG_REPLIES, Date.now() - 5 * MINUTE);
    expect(await counted()).toBe(MAX_LONG_REPLIES);
    const later = Date.now() + 30_000;
    expect(await beginLongReply(hash, later)).toEqual(expect.any(String));
    expect(await counted()).toBe(1);
  });

  test('end without a trace when all of them have ended', async () => {
    for (const lease of await begin(3)) await endLongReply(hash, lease!);
    expect(await counted()).toBeUndefined();
  });
});
