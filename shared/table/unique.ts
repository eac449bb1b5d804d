import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { keys } from './keys.ts';
import { getRow } from './rows.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** Reserves a value that only one resource of a kind may have. @throws ApiError 409 when it is in use */
export const reserve = (caller: Caller, what: string, value: string, id: string): Write =>
  write.create({ ...keys.unique(caller, what, value), id }, () => errors.valueInUse(what));

/** The writes that change a reserved value; none when it stays the same. */
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
): Promise<string | undefined> => (await getRow(caller, keys.unique(caller, what, value)))?.id;
