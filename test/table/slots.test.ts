import { commands } from '../../infra/operator/commands.ts';
import * as errors from '../../shared/base/errors.ts';
import { change } from '../../shared/table/change.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { inSlot, leaveSlot, setMaxSlots, takeSlot } from '../../shared/table/slots.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { useClock } from '../support/clock.ts';
import { first, installFaults, on, withFault } from '../support/faults.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';

installFaults();
const clock = useClock();

const MOST = 3;
const TWO_DAYS = 2 * 86_400;

let person: Person;
beforeEach(async () => {
  person = await newPerson('Harbour');
  await setMaxSlots(person.caller, { EXPORT: MOST });
});

/** A row that takes a slot, as an export does. */
const take = (id: string): Promise<{ slot: number }> =>
  change(person.caller, async (work) => {
    const key = keys.export(work, 'report', id);
    const { slot, writes } = await takeSlot(work, 'EXPORT', key);
    return { writes: [write.create({ ...key, id, slot } as Key), ...writes], reply: { slot } };
  });

/** Ends it. */
const leave = (id: string, held: { slot: number }): Promise<void> =>
  change(person.caller, (work) => ({
    writes: [
      write.update(keys.export(work, 'report', id), { set: { slot: null } }),
      ...leaveSlot(work, 'EXPORT', held),
    ],
    reply: undefined,
  }));

const takenSlots = async (): Promise<string[]> =>
  (
    await Array.fromAsync(
      queryRows(person.caller, { partition: keys.slot.partition(person.caller, 'EXPORT') }),
    )
  ).flatMap(({ sk, max_slots }) => (max_slots === undefined ? [sk] : []));

const full = errors.tooManyWaiting('exports', MOST, MOST);

describe('the slots of an organization', () => {
  test('are as many as it may have waiting or running, and one more is refused with the number', async () => {
    for (const id of ['a', 'b', 'c']) await take(id);
    await expect(take('d')).rejects.toMatchObject({
      status: 429,
      code: 'too_many_waiting',
      detail:
        'The organization already has 3 exports that wait or run; the maximum is 3. Try again when some have ended.',
    });
  });

  test('are free again when what had them has ended', async () => {
    const held = await take('a');
    await Promise.all(['b', 'c'].map(take));
    await leave('a', held);
    expect(await take('d')).toEqual(held);
    await expect(take('e')).rejects.toEqual(full);
  });

  test('go to as many of those who ask at the same moment as there are', async () => {
    const asked = Array.from({ length: 4 * MOST }, (_, n) => take(`at-once-${n}`));
    const settled = await Promise.allSettled(asked);
    const taken = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.slot] : []));
    expect(taken.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    expect(settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))).toEqual(
      Array(3 * MOST).fill(full),
    );
  });

  test('are another organization’s own', async () => {
    for (const id of ['a', 'b', 'c']) await take(id);
    person = await newPerson('Quiet');
    await expect(take('a')).resolves.toEqual({ slot: expect.any(Number) });
  });

  test('are not taken when the transaction fails', async () => {
    const broken = on(
      ({ command }) => command === 'TransactWriteItems',
      first(1, () => Promise.reject(new Error('killed'))),
    );
    await expect(withFault(broken, () => take('a'))).rejects.toThrow('killed');
    expect(await takenSlots()).toEqual([]);
  });

  test.each([
    [TWO_DAYS - 1, MOST],
    [TWO_DAYS + 1, 1],
  ])('that nobody has left are held for two days (after %d s: %d)', async (seconds, count) => {
    for (const id of ['a', 'b', 'c']) await take(id);
    clock.pass(seconds);
    await take('d').catch((error: unknown) => expect(error).toEqual(full));
    expect(await takenSlots()).toHaveLength(count);
  });

  test('are lowered and raised by the operator, whatever is taken', async () => {
    const set = (most: number) =>
      commands['org set'].run({ org: person.caller.org_id, 'max-waiting-exports': most });
    for (const id of ['a', 'b', 'c']) await take(id);
    await set(2);
    await expect(take('d')).rejects.toEqual(errors.tooManyWaiting('exports', 3, 2));
    expect(await set(4)).toMatchObject({ max_waiting: { exports: 4, reports: 100 } });
    expect(await take('d')).toEqual({ slot: 3 });
    expect((await auditOf(person)).map(({ changes }) => changes)).toContainEqual({
      max_waiting_export: { from: 2, to: 4 },
    });
  });

  test('are looked at by `org check`: one whose holder has ended or is gone is free again', async () => {
    const [ended, gone] = [await take('ended'), await take('gone')];
    await take('waits');
    await change(person.caller, (work) => ({
      writes: [
        write.update(keys.export(work, 'report', 'ended'), { set: { slot: null } }),
        write.drop(keys.export(work, 'report', 'gone')),
      ],
      reply: undefined,
    }));
    const { found, mended, differences } = await checkOrganization(person.caller, { repair: true });
    expect([found, mended]).toEqual([2, 2]);
    expect(differences.map(({ what }) => what)).toEqual(['slot', 'slot']);
    expect(await takenSlots()).toHaveLength(1);
    expect([ended.slot, gone.slot]).toContain((await take('next')).slot);
  });
});

describe('inSlot', () => {
  const run = (work: () => Promise<unknown> = async () => 'done') =>
    inSlot(person.caller, 'IMPORT', 30, work);

  beforeEach(() => setMaxSlots(person.caller, { IMPORT: 1 }));

  test('has its slot only while it runs, also when it fails', async () => {
    await run(() => expect(run()).rejects.toMatchObject({ status: 429 }));
    await expect(run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await run()).toBe('done');
  });

  test('refuses an import of a form beside another one', async () => {
    const body = { name: 'Form', survey: [{ type: 'text', name: 'what', label: 'What?' }] };
    const ask = () => person.try.versions.importXlsform({ body });
    expect(await run(ask)).toMatchObject({
      status: 429,
      body: { detail: expect.stringContaining('already has 1 imports of forms that wait or run') },
    });
    expect((await ask()).status).toBe(201);
  });

  test('loses its slot after its time, when its function was killed', async () => {
    await new Promise<void>((hasBegun) => {
      void run(() => {
        hasBegun();
        return new Promise(() => {});
      });
    });
    await expect(run()).rejects.toMatchObject({ status: 429 });
    clock.pass(32);
    expect(await run()).toBe('done');
  });
});
