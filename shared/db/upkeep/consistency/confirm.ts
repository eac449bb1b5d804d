import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../../base/caller.ts';
import { change } from '../../table/change.ts';
import { nameOfKey } from '../../table/keys.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { type Difference, isSame, type Reported } from './differences.ts';
import type { RepairableDifference, RowCheck } from './row-checks.ts';

/** The pause before a possible difference is checked again, longer than a transaction takes to become visible. */
export const RECHECK = { pauseMs: 250 };

const isRepairable = ({ set, writes }: RepairableDifference): boolean =>
  set !== undefined || writes !== undefined;

const plainDifference = ({ what, id, stored, found }: RepairableDifference): Difference => ({
  what,
  id,
  stored,
  found,
});

const repairWrites = (now: string, { key, condition, isVersioned, differences }: RowCheck): Write[] => {
  const set = Object.assign({}, ...differences.map((each) => each.set)) as Record<string, unknown>;
  const own =
    Object.keys(set).length > 0
      ? write.update(
          key,
          { set: { ...set, updated_at: now }, add: { version: isVersioned ? 1 : 0 } },
          condition,
        )
      : write.check(key, undefined, condition);
  return [own, ...differences.flatMap(({ writes = [] }) => writes)];
};

/** The differences that were found before and are found again. */
const foundAgain = (now: readonly RowCheck[], before: readonly RowCheck[]): RowCheck[] => {
  const foundBefore = new Map(before.map((check) => [nameOfKey(check.key), check.differences]));
  return now.flatMap((check) => {
    const known = (foundBefore.get(nameOfKey(check.key)) ?? []).map(plainDifference);
    const differences = check.differences.filter((each) =>
      known.some((one) => isSame(one, plainDifference(each))),
    );
    return differences.length > 0 ? [{ ...check, differences }] : [];
  });
};

/** Repairs the differences of one row, those that a last check finds as well. The reply is which these are. */
const repairRow = async (
  caller: Caller,
  check: () => Promise<RowCheck[]>,
  confirmed: RowCheck,
): Promise<Difference[]> => {
  const repairable = { ...confirmed, differences: confirmed.differences.filter(isRepairable) };
  if (repairable.differences.length === 0) return [];
  const repaired = await change(caller, async (work) => {
    const [again] = foundAgain(await check(), [repairable]);
    return { writes: again ? repairWrites(work.now, again) : [], reply: again?.differences ?? [] };
  });
  return repaired.map(plainDifference);
};

/**
 * The differences that a second check finds as well. Others were changes in progress.
 * @param check reads and checks the rows each time it is called
 * @param repair whether to repair the differences, in one conditional transaction for each row
 */
export const confirmedDifferences = async function* (
  caller: Caller,
  check: () => Promise<RowCheck[]>,
  repair: boolean,
): AsyncGenerator<Reported> {
  const first = await check();
  if (first.every(({ differences }) => differences.length === 0)) return;
  await sleep(RECHECK.pauseMs);
  for (const confirmed of foundAgain(await check(), first)) {
    const repaired = repair ? await repairRow(caller, check, confirmed) : [];
    for (const difference of confirmed.differences.map(plainDifference)) {
      yield { ...difference, mended: repaired.some((one) => isSame(one, difference)) };
    }
  }
};
