import type { Caller } from '../../shared/base/caller.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { NewClientAccount } from '../../shared/schemas/client-account.ts';
import { change } from '../../shared/table/change.ts';
import { keys, shards } from '../../shared/table/keys.ts';
import { getRow, queryRows } from '../../shared/table/rows.ts';
import { findReserved } from '../../shared/table/unique.ts';
import { use } from '../../shared/table/usage.ts';
import { seeded } from '../support/chance.ts';
import { chaos, impatient, installFaults, withFault } from '../support/faults.ts';
import { newPerson } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { underWay } from '../support/under-way.ts';

installFaults();
impatient(150);

const EXTERNAL_REF = 'external_ref of client accounts';
const REFS = ['a', 'b', 'c', 'd'];

type Outcome = 'done' | 'refused' | 'unknown';

/** What a client knows about a request by its answer. */
const outcomeOf = async (work: Promise<unknown>): Promise<Outcome> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    const { status } = error as { status?: number };
    if (status === 503) return 'unknown';
    if (status === 409 || status === 404) return 'refused';
    throw error;
  }
};

interface Known {
  creation: Outcome;
  deletion?: Outcome;
  changed: number;
  maybeChanged: number;
}

/** Several clients change shared accounts at the same time, while requests fail at random. */
const live = async (caller: Caller, seed: number) => {
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const known = new Map<string, Known>();
  const ids: string[] = [];
  let serial = 0;

  const createOne = async () => {
    const name = `account ${(serial += 1)}`;
    const fields = NewClientAccount.parse({ name, external_ref: random() < 0.7 ? pick(REFS) : null });
    const entry: Known = { creation: 'unknown', changed: 0, maybeChanged: 0 };
    known.set(name, entry);
    const work = clientAccounts.create(caller, fields);
    entry.creation = await outcomeOf(work);
    if (entry.creation === 'done') ids.push(`${(await work).id} ${name}`);
  };
  const changeOne = async (id: string, entry: Known) => {
    const changes = {
      notes: `note ${(serial += 1)}`,
      ...(random() < 0.5 && { external_ref: pick([...REFS, null]) }),
    };
    const outcome = await outcomeOf(clientAccounts.update(caller, id, changes));
    if (outcome === 'done') entry.changed += 1;
    if (outcome === 'unknown') entry.maybeChanged += 1;
  };
  const deleteOne = async (id: string, entry: Known) => {
    const outcome = await outcomeOf(clientAccounts.remove(caller, id, { cascade: false }));
    if (outcome !== 'refused' && entry.deletion !== 'done') entry.deletion = outcome;
  };

  const client = async () => {
    for (let turn = 0; turn < 12; turn += 1) {
      const [id, name] = (ids.length > 0 ? pick(ids) : '').split(/ (.*)/s);
      const drawn = random();
      if (!id || drawn < 0.35) await createOne();
      else if (drawn < 0.85) await changeOne(id, known.get(name!)!);
      else await deleteOne(id, known.get(name!)!);
    }
  };
  const faults = underWay(chaos(random, { refused: 0.2, lost: 0.15 }));
  await withFault(faults.fault, () => Promise.all(Array.from({ length: 6 }, client)));
  // A request that timed out may still be carried out.
  await faults.ended();
  return known;
};

const accountsOf = async (caller: Caller) => {
  const listing = await clientAccounts.list(caller, {});
  return 'rows' in listing ? Array.fromAsync(listing.rows) : listing.page;
};

describe('client accounts under concurrency and failure', () => {
  test.each(scaled([1], [1, 2, 3, 4]))(
    'every change is made once and as a whole (history %i)',
    async (seed) => {
      const { caller } = await newPerson(`History ${seed}`);
      const known = await live(caller, seed);
      const accounts = await accountsOf(caller);

      const byName = Object.groupBy(accounts, ({ name }) => name);
      for (const [name, { creation, deletion, changed, maybeChanged }] of known) {
        const found = byName[name] ?? [];
        const [least, most] =
          creation === 'refused' || deletion === 'done'
            ? [0, 0]
            : creation === 'done' && deletion === undefined
              ? [1, 1]
              : [0, 1];
        expect({ name, found: found.length }).toEqual({
          name,
          found: Math.min(most, Math.max(least, found.length)),
        });
        for (const { version } of found) {
          expect(version).toBeGreaterThanOrEqual(1 + changed);
          expect(version).toBeLessThanOrEqual(1 + changed + maybeChanged);
        }
      }

      // A reserved value belongs to the only account that has it.
      for (const ref of REFS) {
        const holders = accounts.filter(({ external_ref }) => external_ref === ref);
        expect([ref, await findReserved(caller, EXTERNAL_REF, ref)]).toEqual([ref, holders[0]?.id]);
        expect(holders.length).toBeLessThan(2);
      }

      // An account is closed for use if and only if it was deleted, and then in all its shards.
      const closed = new Map<string, number>();
      for await (const { sk } of queryRows(caller, { partition: keys.usage.partition(caller, 'CLIENT') })) {
        const [id] = sk.split('#');
        closed.set(id!, (closed.get(id!) ?? 0) + 1);
      }
      for (const [id, count] of closed) {
        expect([id, count, await getRow(caller, clientAccounts.key(caller, id))]).toEqual([
          id,
          shards().length,
          undefined,
        ]);
      }
    },
  );

  test('an account is deleted or used, never both', async () => {
    const { caller } = await newPerson('User and deleter');
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { id } = await clientAccounts.create(caller, NewClientAccount.parse({ name: 'n' }));
        const user = crypto.randomUUID();
        const using = change(caller, () => ({
          writes: [
            use(caller, { kind: 'CLIENT', id, userId: user }, { inspections: 1 }, 'client_account_id'),
          ],
          reply: undefined,
        }));
        const [used, deleted] = await Promise.allSettled([
          using,
          clientAccounts.remove(caller, id, { cascade: false }),
        ]);
        if (used.status === 'rejected') expect(used.reason).toMatchObject({ status: 400 });
        if (deleted.status === 'rejected') expect(deleted.reason).toMatchObject({ status: 409 });
        return [used, deleted].filter(({ status }) => status === 'fulfilled').length;
      }),
    );
    expect(outcomes).toEqual(outcomes.map(() => 1));
  });

  test('one of many creations with the same external_ref succeeds', async () => {
    const { caller } = await newPerson('Racer');
    const fields = NewClientAccount.parse({ name: 'n', external_ref: 'r' });
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => outcomeOf(clientAccounts.create(caller, fields))),
    );
    expect(outcomes.toSorted()).toEqual(['done', ...Array.from({ length: 9 }, () => 'refused')]);
  });
});
