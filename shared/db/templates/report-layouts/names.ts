import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { fold } from '../../../base/text.ts';
import type { LayoutNames, StoredLayout } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { NOUN } from './record.ts';

/** Report layouts of one family. */
const MAX_LAYOUTS = 20;

/**
 * Replaces the row with the names of a family's layouts.
 * @param version the version that was read; 0 when the row did not exist
 */
export const writeNames = (
  caller: Caller,
  familyId: string,
  version: number,
  names: LayoutNames['names'],
): Write => {
  const row = { ...keys.layoutNames(caller, familyId), names, version: version + 1 };
  return version === 0 ? write.create(row) : write.replace(row, version);
};

/**
 * Sets the name of a new layout, or changes that of an existing one.
 * @param current the names of the family's layouts, which every change of the layouts reads
 * @throws ApiError 409 when the name is in use, or there are too many layouts
 */
export const setName = (
  caller: Caller,
  familyId: string,
  current: LayoutNames | undefined,
  id: string,
  name: string,
): Write => {
  const { names, version } = current ?? { names: {}, version: 0 };
  const folded = fold(name);
  const others = Object.entries(names).filter(([otherId]) => otherId !== id);
  if (others.some(([, otherName]) => otherName === folded)) throw errors.nameInUse(NOUN);
  if (others.length === MAX_LAYOUTS) throw errors.tooManyLayouts(MAX_LAYOUTS);
  return writeNames(caller, familyId, version, { ...names, [id]: folded });
};

/** Writes the names of a new family's layouts. */
export const namesOfNewFamily = (
  caller: Caller,
  familyId: string,
  layouts: readonly StoredLayout[],
): Write[] => {
  if (layouts.length === 0) return [];
  const names = Object.fromEntries(layouts.map(({ id, name }) => [id, fold(name)]));
  return [writeNames(caller, familyId, 0, names)];
};
