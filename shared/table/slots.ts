import type { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { keptFrom } from '../base/time.ts';
import { type SlotKind, SLOTS } from '../schemas/slots.ts';
import { audit } from './audit.ts';
import { change, changePart, NOTHING, type Work } from './change.ts';
import { type Condition, hasValues } from './conditions.ts';
import type { SlotHolder } from './entities/common.ts';
import type { SlotRow } from './entities/machinery.ts';
import { type Key, keys } from './keys.ts';
import { getRows, queryRows } from './rows.ts';
import { TABLE } from './table.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/*
 * What an organization has waiting or running takes a slot of its kind, of which the organization has a limited number.
 * A slot is a row with a number. It is created together with its holder and deleted when the holder ends, each time in
 * the same transaction. Two requests for the last slot write one row, so only one of them gets it. A holder that was
 * lost without an end, such as one whose worker crashed at every attempt, loses its slot after some time, and at once by
 * `org check --repair`.
 */

/** How long a slot is kept for work whose end is never written, in seconds. No work takes that long. */
const KEPT_SECONDS = 2 * 86_400;

/** Slots that rows hold until they end. */
export const HELD_SLOTS = [
  'RENDER',
  'EXPORT',
  'BULK_EXPORT',
  'BULK_CHANGE',
  'MAIL',
  'SYNC',
] as const satisfies SlotKind[];
type HeldSlot = (typeof HELD_SLOTS)[number];

/** Slots that something has for a short time. */
type ShortSlot = Exclude<SlotKind, HeldSlot>;

/** A slot for something new, and the write that takes it. */
export interface NewSlot {
  slot: number;
  writes: Write[];
}

/** Nobody has the slot, or its time is over. */
const isFree = ({ now }: Work): Condition => ({
  ConditionExpression: 'attribute_not_exists(#ttl) OR #ttl <= :now',
  ExpressionAttributeNames: { '#ttl': TABLE.timeToLive },
  ExpressionAttributeValues: { ':now': Math.floor(Date.parse(now) / 1_000) },
});

/** The slots of a kind: which are free, how many are taken, and how many there are. One call. */
const slotsOf = async (
  caller: Caller,
  kind: SlotKind,
): Promise<{ free: number[]; taken: number; most: number }> => {
  const taken = new Set<number>();
  let most: number = SLOTS[kind].most;
  for await (const { sk, max_slots } of queryRows(caller, { partition: keys.slot.partition(caller, kind) })) {
    if (max_slots === undefined) taken.add(Number(sk));
    else most = max_slots;
  }
  const free = Array.from({ length: most }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  // After the number was lowered, some that are taken are beyond it.
  return { free: free.slice(0, Math.max(0, most - taken.size)), taken: taken.size, most };
};

/** Any of the free slots, so that few of those who look at the same moment choose the same one. */
const anyOf = (free: readonly number[]): number => free[Math.floor(Math.random() * free.length)]!;

/**
 * Looks for a slot.
 * @param seconds how long it is kept if it is not left
 * @param holder the key of the row that has its number until it ends
 * @returns the error of a request where all slots are taken
 */
const findSlot = async (
  work: Work,
  kind: SlotKind,
  seconds: number,
  holder?: Key,
): Promise<NewSlot | { refusal: ApiError }> => {
  const { free, taken, most } = await slotsOf(work, kind);
  if (free.length === 0) return { refusal: errors.tooManyWaiting(SLOTS[kind].noun, taken, most) };
  const slot = anyOf(free);
  const row = {
    ...keys.slot(work, kind, slot),
    ...(holder && { holder: write.keyOf(holder) }),
    ttl: keptFrom(work.now, seconds),
  };
  return { slot, writes: [write.replace<SlotRow>(row, isFree(work))] };
};

/**
 * Takes a slot for something new, in the transaction that creates it.
 * @param holder the key of its row, which has the number of the slot until it ends
 * @throws ApiError 429 `too_many_waiting` when all slots are taken
 */
export const takeSlot = async (work: Work, kind: HeldSlot, holder: Key): Promise<NewSlot> => {
  const found = await findSlot(work, kind, KEPT_SECONDS, holder);
  if ('refusal' in found) throw found.refusal;
  return found;
};

/** Takes a slot for some seconds, in the transaction of what needs it. Undefined when all are taken. */
export const takeShortly = async (
  work: Work,
  kind: ShortSlot,
  seconds: number,
): Promise<NewSlot | undefined> => {
  const found = await findSlot(work, kind, seconds);
  return 'refusal' in found ? undefined : found;
};

/** Returns the slot of a holder that ends or is deleted, if it has one. */
export const leaveSlot = (caller: Caller, kind: SlotKind, { slot }: SlotHolder): Write[] =>
  // By then, somebody else may have the slot of a holder that was lost for days. One more than allowed does no harm.
  slot === undefined || slot === null ? [] : [write.drop(keys.slot(caller, kind, slot))];

/** Returns a slot at once. If that fails, it is free when its time is over. */
export const leaveNow = (caller: Caller, kind: ShortSlot, held: SlotHolder): Promise<void> =>
  changePart(caller, (work) => ({ writes: leaveSlot(work, kind, held), reply: undefined })).catch(
    () => undefined,
  );

/**
 * Does something while it has a slot.
 * @param seconds how long it takes at most; then others may have the slot
 * @throws ApiError 429 `too_many_waiting` when all slots are taken
 */
export const inSlot = async <Result>(
  caller: Caller,
  kind: ShortSlot,
  seconds: number,
  logic: () => Promise<Result>,
): Promise<Result> => {
  const held = await changePart(caller, async (work) => {
    const found = await findSlot(work, kind, seconds);
    if ('refusal' in found) throw found.refusal;
    return { writes: found.writes, reply: found };
  });
  try {
    return await logic();
  } finally {
    await leaveNow(caller, kind, held);
  }
};

/** How many slots of each kind an organization has. One call for each kind. */
export const maxSlots = async (caller: Caller): Promise<Record<SlotKind, number>> => {
  const kinds = Object.keys(SLOTS) as SlotKind[];
  const all = await Promise.all(
    kinds.map(async (kind) => [kind, (await slotsOf(caller, kind)).most] as const),
  );
  return Object.fromEntries(all) as Record<SlotKind, number>;
};

/** Sets how many slots an organization has. What has one beyond that keeps it until it ends. */
export const setMaxSlots = (
  caller: Caller,
  given: Readonly<Partial<Record<SlotKind, number>>>,
): Promise<void> =>
  change(caller, async (work) => {
    const kinds = Object.keys(given) as SlotKind[];
    const rows = await getRows(
      work,
      kinds.map((kind) => keys.maxSlots(work, kind)),
    );
    const changed = kinds.flatMap((kind, position) => {
      const from = rows[position]?.max_slots;
      const to = given[kind];
      return from === to ? [] : [{ kind, from, to }];
    });
    if (changed.length === 0) return NOTHING;
    const names = changed.map(({ kind, from, to }) => [
      `max_waiting_${kind.toLowerCase()}`,
      { from: from ?? null, to },
    ]);
    return {
      writes: [
        ...changed.map(({ kind, from, to }) =>
          write.update(keys.maxSlots(work, kind), { set: { max_slots: to } }, hasValues({ max_slots: from })),
        ),
        audit(work, 'organization.updated', work.org_id, Object.fromEntries(names)),
      ],
      reply: undefined,
    };
  });
