import { v7 as uuidv7 } from 'uuid';
import type { Counting, Numbers, NumbersCell } from '../../shared/domain/numbers/counting.ts';
import { bodyOf, cellIndex, cellKey } from '../../shared/inspections/numbers/count.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import type { Stored } from '../../shared/table/forms.ts';
import { keys } from '../../shared/table/keys.ts';
import { outboxOf } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';

/** Lets the stream's worker count what has changed. */
export const countChanges = async ({ caller }: Person): Promise<void> => {
  await handOn((await outboxOf(caller)).filter(({ outbox }) => outbox === 'event'));
};

/** A period in which all that tests do lies. */
export const ALWAYS = { from: '2026-01', to: '2028-12' };

/** The row of numbers. */
export const numbersRow = (
  { caller }: Person,
  what: Counting,
  cell: NumbersCell,
  numbers: Numbers,
): Stored => ({
  ...cellKey(caller, what, cell),
  ...cellIndex(caller, what, cell),
  body: bodyOf(numbers),
  version: 1,
});

/** Rows by which many locations are listed, named in their order. @param like one of them, as GET shows it */
export const listedLocations = (
  { caller }: Person,
  like: { id: string },
  count: number,
): (Stored & { id: string })[] =>
  Array.from({ length: count }, (_, position) => {
    const id = position === 0 ? like.id : uuidv7();
    const name = `store ${String(position).padStart(4, '0')}`;
    return { ...keys.locationByName(caller, name, id), ...like, id, name };
  });
