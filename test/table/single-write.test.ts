import type { Caller } from '../../shared/base/caller.ts';
import * as errors from '../../shared/base/errors.ts';
import { both, hasValues } from '../../shared/table/conditions.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { Stale } from '../../shared/table/retry.ts';
import { getRow } from '../../shared/table/rows.ts';
import { sendOnce, tryWrite, writeRow } from '../../shared/table/single-write.ts';
import * as write from '../../shared/table/writes.ts';
import { first, impatient, installFaults, throttled, withFault } from '../support/faults.ts';
import { newPerson } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';

// In this order, a command is recorded before a fault makes it fail.
installFaults();
installRecorder();
impatient();

interface Thing {
  count: number;
  secret?: string;
  leases?: ReadonlySet<string>;
}

let caller: Caller;

beforeAll(async () => {
  ({ caller } = await newPerson('Writer'));
});

const newKey = (): Key<Thing> => ({ pk: keys.all(caller, 'DOCUMENT'), sk: crypto.randomUUID() });

describe('a write of one row', () => {
  test('is one call of its own kind, and returns the row as it is afterwards', async () => {
    const key = newKey();
    const sent = async (written: write.Write<Thing>) => {
      const { result, sent: calls } = await recording(() => writeRow(caller, written));
      return { result, grants: [...calls.grants], tableCalls: calls.tableCalls };
    };
    const once = (grant: string, result: object | undefined) => ({ grants: [grant], tableCalls: 1, result });
    expect(await sent(write.create({ ...key, count: 1 }))).toEqual(
      once('table:PutItem', { ...key, count: 1 }),
    );
    expect(await sent(write.update(key, { add: { count: 2 } }))).toEqual(
      once('table:UpdateItem', { ...key, count: 3 }),
    );
    expect(await sent(write.remove(key, hasValues({ count: 3 })))).toEqual(
      once('table:DeleteItem', undefined),
    );
    expect(await getRow(caller, key)).toBeUndefined();
  });

  test('writes nothing where its condition fails, and says what stands there or what that means', async () => {
    const key = newKey();
    await writeRow(caller, write.put({ ...key, count: 1 }));
    const isOther = hasValues({ count: 7 });
    const undecided = write.update(key, { set: { count: 8 } }, isOther);
    const refused = write.update(key, { set: { count: 8 } }, isOther, () => errors.notFound('thing'));
    expect(await tryWrite(caller, undecided)).toEqual({ isWritten: false, row: { ...key, count: 1 } });
    await expect(writeRow(caller, undecided)).rejects.toThrow(Stale);
    await expect(writeRow(caller, refused)).rejects.toMatchObject({ status: 404 });
    expect(await tryWrite(caller, write.update(newKey(), { set: { count: 8 } }, isOther))).toEqual({
      isWritten: false,
      row: undefined,
    });
  });

  test('needs both of two conditions, whichever attributes they speak of', async () => {
    const key = newKey();
    await writeRow(caller, write.put({ ...key, count: 1, secret: 'a' }));
    const writes = async (one: Record<string, unknown>, other: Record<string, unknown>) => {
      const condition = both(hasValues(one), hasValues(other));
      return (await tryWrite(caller, write.update(key, { set: { leases: new Set(['b']) } }, condition)))
        .isWritten;
    };
    expect(await writes({ count: 1 }, { secret: 'a' })).toBe(true);
    expect(await writes({ count: 2 }, { secret: 'a' })).toBe(false);
    expect(await writes({ count: 1 }, { secret: 'b' })).toBe(false);
    expect(await writes({ count: 1, secret: 'a' }, { count: 1 })).toBe(true);
  });

  test('is sent again after a failure that may pass, or once where the caller says so', async () => {
    const key = newKey();
    const fails = first(1, () => Promise.reject(throttled()));
    const add = write.update(key, { add: { count: 1 } });
    await expect(withFault(fails, () => writeRow(caller, add))).resolves.toMatchObject({ count: 1 });
    const failsAgain = first(1, () => Promise.reject(throttled()));
    await expect(withFault(failsAgain, () => writeRow(caller, add, sendOnce))).rejects.toThrow(
      throttled().message,
    );
    expect(await getRow(caller, key)).toMatchObject({ count: 1 });
  });
});

describe('an update', () => {
  test('sets, adds to counters, and changes sets', async () => {
    const key = newKey();
    const change = (name: string, ...leases: string[]) =>
      writeRow(
        caller,
        write.update(key, {
          set: { name },
          add: { count: 2 },
          insert: { leases: new Set(leases) },
        }),
      );
    await change('a', 'one', 'two');
    expect(await change('b', 'three')).toEqual({
      ...key,
      name: 'b',
      count: 4,
      leases: new Set(['one', 'two', 'three']),
    });
    const less = write.update(key, { discard: { leases: new Set(['one', 'four']) } });
    expect(await writeRow(caller, less)).toMatchObject({ leases: new Set(['two', 'three']) });
  });
});

describe('counts that are combined', () => {
  const condition = hasValues({ closed: undefined });

  test('are one write for each row, each set of counters and each condition, in the order of the first', () => {
    const [one, other] = [newKey(), newKey()];
    const writes = [
      write.update(one, { add: { count: 1, more: 10 } }, condition),
      write.put({ ...other, count: 0 }),
      write.update(one, { add: { count: 1 } }, condition),
      write.update(one, { add: { count: 2, more: 20 } }, condition),
      write.update(other, { add: { count: 4 } }, condition),
      write.update(one, { add: { count: 8 } }),
      write.put({ ...other, count: 0 }),
      write.update(one, { add: { count: 16, more: -29 } }, condition),
    ];
    const combined = write.combineCounts(writes);
    const sum = write.update(one, { add: { count: 19, more: 1 } }, condition);
    expect(combined).toEqual(
      [sum, ...[1, 2, 4, 5, 6].map((position) => writes[position]!)].map((each) => ({
        ...each,
        otherwise: expect.any(Function),
      })),
    );
  });

  test('keep what their condition compares with', () => {
    const key = newKey();
    const full = {
      ConditionExpression: '#count <= :address0',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':address0': 5 },
    };
    const [combined] = write.combineCounts(
      [1, 2].map((count) => write.update(key, { add: { count } }, full)),
    );
    expect(combined!.item.Update!.ExpressionAttributeValues).toEqual({ ':address0': 5, ':add0': 3 });
  });
});
