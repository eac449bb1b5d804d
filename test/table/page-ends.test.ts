import type { Caller } from '../../shared/base/caller.ts';
import { change } from '../../shared/table/change.ts';
import { keys, shards } from '../../shared/table/keys.ts';
import * as pageEnds from '../../shared/table/page-ends.ts';
import * as write from '../../shared/table/writes.ts';
import { newPerson } from '../support/people.ts';

const LIST = 'a list';
let caller: Caller;

/** Sets the number of changes that two shards of the list have counted. */
const counted = (first: number, second: number): Promise<null> => {
  const [one, other] = shards() as [number, number];
  return change(caller, () => ({
    writes: [
      write.put({ ...keys.counter(caller, 'LOCATION', one), changes: first }),
      write.put({ ...keys.counter(caller, 'LOCATION', other), changes: second }),
    ],
    reply: null,
  }));
};

const find = (offset: number) => pageEnds.find(caller, 'LOCATION', LIST, offset);

/** Reads a page that ends at this offset. */
const readTo = async (offset: number, after: string): Promise<void> => {
  const { epoch } = await find(0);
  await pageEnds.remember(caller, LIST, offset, { after, epoch: epoch! });
};

beforeEach(async () => {
  ({ caller } = await newPerson('Pages'));
  await counted(1, 11);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the end of a page', () => {
  test('is where the next one starts, and the nearest one before where any later one does', async () => {
    await readTo(20, 'the 20th');
    await readTo(40, 'the 40th');
    expect(await find(20)).toMatchObject({ after: 'the 20th', skip: 0 });
    expect(await find(45)).toMatchObject({ after: 'the 40th', skip: 5 });
    expect(await find(39)).toMatchObject({ after: 'the 20th', skip: 19 });
    expect(await find(19)).toEqual({ skip: 19, epoch: expect.any(String) });
  });

  // Two readers can see two changes in different orders, because a BatchGetItem does not read all shards at once.
  test.each([
    ['the same sum', 11, 1],
    ['the same digits', 11, 11],
    ['one more change', 2, 11],
    ['the same sum, from other shards', 6, 6],
  ])('does not count for counters with %s', async (_, first, second) => {
    await readTo(20, 'the 20th');
    await counted(first, second);
    const start = await find(20);
    expect([start.after, start.skip]).toEqual([undefined, 20]);
  });

  test('is remembered for an hour', async () => {
    await readTo(20, 'the 20th');
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 59 * 60_000);
    expect((await find(20)).skip).toBe(0);
    clock.mockReturnValue(now + 61 * 60_000);
    expect((await find(20)).skip).toBe(20);
  });
});
