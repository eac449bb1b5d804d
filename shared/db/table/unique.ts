import type { Caller } from '../../base/caller.ts';
import { conflict } from '../../base/errors.ts';
import { keys } from './keys.ts';
import { getRow } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** Reserves a value that only one resource of a kind may have. @throws ApiError 409 when it is taken. */
export const reserve = (caller: Caller, what: string, value: string, id: string): Write =>
  write.create({ ...keys.unique(caller, what, value), id }, () => conflict(`${what} is already in use`));

/** The writes that move a reserved value from what it was to what it shall be; none when it stays. */
export const moveReservation = (
  caller: Caller,
  what: string,
  from: string | null | undefined,
  to: string | null | undefined,
  id: string,
): Write[] => {
  if (from === to) return [];
  return [
    ...(from ? [write.drop(keys.unique(caller, what, from))] : []),
    ...(to ? [reserve(caller, what, to, id)] : []),
  ];
};

/** The id of the resource that has this value, if any. */
export const findReserved = async (
  caller: Caller,
  what: string,
  value: string,
): Promise<string | undefined> =>
  (await getRow<{ id: string }>(caller, keys.unique(caller, what, value)))?.id;
