import { v7 as uuidv7 } from 'uuid';
import { creation, type StoredInspection } from '../../shared/db/inspection-core/record.ts';
import type { Person } from '../support/people.ts';
import { seed } from './seed.ts';

/** How many new inspections are made before they are stored. */
const CHUNK = 5_000;

/**
 * Inspections like one that was created, as their own creation would store them.
 * @param stateOf what the one of a number has of its own
 */
export const multiply = async (
  { caller }: Person,
  like: StoredInspection,
  count: number,
  stateOf: (number: number, like: StoredInspection) => Partial<StoredInspection>,
): Promise<void> => {
  for (let first = 0; first < count; first += CHUNK) {
    const items = Array.from({ length: Math.min(CHUNK, count - first) }, (_, index) => {
      const number = first + index;
      const inspection = {
        ...like,
        ...stateOf(number, like),
        id: uuidv7(),
        number,
        name: `Crane ${number}`,
      };
      return creation(caller, inspection).map(({ item }) => item);
    });
    await seed(items.flat());
  }
};
