import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { type Numbers, plus } from '../../domain/numbers/counting.ts';
import { changePart } from '../../table/change.ts';
import type { StoredNumbers } from '../../table/entities/numbers.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { waitingRows } from '../../table/outbox/outbox.ts';
import { getRow, queryRows } from '../../table/rows.ts';
import { writeRow } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';
import {
  bodyOf,
  cellIndex,
  cellKey,
  countedKey,
  countedOf,
  countsIn,
  countsNow,
  countWhole,
  type Counts,
  itemAt,
  itemsOf,
  numbersIn,
  readItems,
} from './count.ts';
import { waitsToBeCounted } from './events.ts';

/* Counts again what events have counted, for those who check and repair an organization. */

/** Numbers that are wrong. */
interface NumbersDifference {
  what: string;
  /** The key of the row within the organization. */
  id: string;
  stored: Numbers | null;
  found: Numbers | null;
  mended: boolean;
}

/** The inspections about which events wait to be counted. */
const waitingInspections = async (caller: Caller): Promise<Set<string>> => {
  const ids = new Set<string>();
  for await (const row of waitingRows(caller)) {
    const id = waitsToBeCounted(row);
    if (id !== undefined) ids.add(id);
  }
  return ids;
};

const idOf = ({ pk, sk }: Key): string => `${pk.split('#').slice(2).join('#')} ${sk}`;

type Wrong = Omit<NumbersDifference, 'mended'>;

/** What is counted otherwise than it is, also where a change waits to be counted. */
const wrongItems = async (caller: Caller, inspectionId: string): Promise<Wrong[]> => {
  const items = await readItems(caller, await itemsOf(caller, inspectionId));
  const now = await countsNow(caller, items, 'check');
  return items.flatMap(({ item, former }, position) => {
    const [stored, found] = [former && countsIn(former), now[position]];
    if (isDeepStrictEqual(stored, found)) return [];
    return [
      {
        what: 'what is counted',
        id: idOf(countedKey(caller, item)),
        stored: stored?.numbers ?? null,
        found: found?.numbers ?? null,
      },
    ];
  });
};

/** Inspections whose differences are looked at again together, because the outbox is read as a whole each time. */
const MAX_SUSPECTS = 100;

/** Looks again at what is counted otherwise than it is. Changes that wait to be counted are no difference. */
const confirmItems = async function* (
  caller: Caller,
  suspects: ReadonlyMap<string, readonly Wrong[]>,
  { repair, pauseMs }: { repair: boolean; pauseMs: number },
): AsyncGenerator<NumbersDifference> {
  if (suspects.size === 0) return;
  const waiting = await waitingInspections(caller);
  const rest = [...suspects].filter(([id]) => !waiting.has(id));
  if (rest.length > 0) await sleep(pauseMs);
  for (const [id, first] of rest) {
    const confirmed = (await wrongItems(caller, id)).filter((each) =>
      first.some((one) => isDeepStrictEqual(one, each)),
    );
    if (confirmed.length === 0 || (await waitingInspections(caller)).has(id)) continue;
    if (repair) await countWhole(caller, id);
    for (const difference of confirmed) yield { ...difference, mended: repair };
  }
};

/** Checks what each inspection was counted as. @param pauseMs before a difference is looked at again */
const checkItems = async function* (
  caller: Caller,
  repair: boolean,
  pauseMs: number,
): AsyncGenerator<NumbersDifference> {
  const only = ['id'] as const;
  const suspects = new Map<string, Wrong[]>();
  for await (const { id } of queryRows(caller, { partition: keys.all(caller, 'INSPECTION'), only })) {
    const wrong = await wrongItems(caller, id);
    if (wrong.length > 0) suspects.set(id, wrong);
    if (suspects.size < MAX_SUSPECTS) continue;
    yield* confirmItems(caller, suspects, { repair, pauseMs });
    suspects.clear();
  }
  yield* confirmItems(caller, suspects, { repair, pauseMs });
};

/** Numbers as they are stored, and as what was counted adds up. */
interface Cell {
  key: Key<StoredNumbers>;
  index: object;
  version: number | undefined;
  stored: Numbers;
  found: Numbers;
}

/** All numbers of an organization. */
const readCells = async (caller: Caller): Promise<Map<string, Cell>> => {
  const cells = new Map<string, Cell>();
  const partitions = (['INSPECTION', 'FINDING', 'ACTION'] as const).map((what) =>
    keys.numbers.partition(caller, what),
  );
  const only = ['id'] as const;
  for await (const { id } of queryRows(caller, { partition: keys.all(caller, 'FAMILY'), only }))
    partitions.push(keys.answerNumbers.partition(caller, id));
  for (const partition of partitions)
    for await (const row of queryRows(caller, { partition })) {
      const { pk, sk, version } = row;
      const key = { pk, sk };
      cells.set(nameOfKey(key), { key, index: {}, version, stored: numbersIn(row), found: {} });
    }
  return cells;
};

/** All numbers, as they are stored and as what was counted adds up. Memory holds all of them. */
const countCells = async (caller: Caller): Promise<Map<string, Cell>> => {
  const cells = await readCells(caller);
  const only = ['id'] as const;
  const ids = await waitingInspections(caller);
  for await (const { id } of queryRows(caller, { partition: keys.all(caller, 'INSPECTION'), only }))
    ids.add(id);
  for (const id of ids)
    for await (const row of countedOf(caller, id)) {
      const { what } = itemAt(id, row);
      const counts: Counts = countsIn(row);
      const key = cellKey(caller, what, counts);
      const cell = cells.get(nameOfKey(key)) ?? { key, version: undefined, stored: {}, found: {} };
      const found = plus(cell.found, counts.numbers);
      cells.set(nameOfKey(key), { ...cell, index: cellIndex(caller, what, counts), found });
    }
  return cells;
};

const errorOf = ({ stored, found }: Cell): Numbers => plus(found, stored, -1);

/** Repairs numbers, unless they have changed. @returns whether they were repaired */
const repairCell = (caller: Caller, { key, index, version, found }: Cell): Promise<boolean> =>
  changePart<boolean>(caller, async (work) => {
    const row = await getRow(work, key);
    if (row?.version !== version) return { writes: [], reply: false };
    const next = { ...key, ...index, body: bodyOf(found), version: (version ?? 0) + 1 };
    if (!row) return { writes: [write.create<object>(next)], reply: true };
    const isEmpty = Object.keys(found).length === 0;
    return {
      writes: [isEmpty ? write.remove(key, row.version) : write.replace<object>(next, row.version)],
      reply: true,
    };
  });

/** The result of the check of numbers. */
interface NumbersCheck {
  checked: number;
  differences: NumbersDifference[];
}

/** Checks that numbers are the sum of what was counted. Those that two counts find wrong in the same way are. */
const checkCells = async (caller: Caller, repair: boolean, pauseMs: number): Promise<NumbersCheck> => {
  const first = await countCells(caller);
  const suspects = first
    .values()
    .filter((cell) => Object.keys(errorOf(cell)).length > 0)
    .toArray();
  if (suspects.length === 0) return { checked: first.size, differences: [] };
  await sleep(pauseMs);
  const second = await countCells(caller);
  const differences: NumbersDifference[] = [];
  for (const suspect of suspects) {
    const again = second.get(nameOfKey(suspect.key));
    const isWrong =
      again?.version === suspect.version && again && isDeepStrictEqual(errorOf(again), errorOf(suspect));
    if (!isWrong) continue;
    const mended = repair && (await repairCell(caller, again));
    const { stored, found } = again;
    differences.push({ what: 'numbers', id: idOf(again.key), stored, found, mended });
  }
  return { checked: first.size, differences };
};

/** Counts all inspections of an organization that is older than its numbers. It may be interrupted and repeated. */
const countAll = async (caller: Caller): Promise<void> => {
  const only = ['id'] as const;
  for await (const { id } of queryRows(caller, { partition: keys.all(caller, 'INSPECTION'), only }))
    await countWhole(caller, id);
  await writeRow(caller, write.put({ ...keys.numbersState(caller), is_whole: true }));
};

/**
 * Checks the numbers of an organization. An organization that is older than them is counted when it is repaired, and not
 * checked before.
 */
export const checkNumbers = async (
  caller: Caller,
  repair: boolean,
  pauseMs: number,
): Promise<NumbersCheck> => {
  const state = await getRow(caller, keys.numbersState(caller));
  if (!state?.is_whole) {
    if (!repair) return { checked: 0, differences: [] };
    await countAll(caller);
  }
  const items = await Array.fromAsync(checkItems(caller, repair, pauseMs));
  const { checked, differences } = await checkCells(caller, repair, pauseMs);
  return { checked, differences: [...items, ...differences] };
};
