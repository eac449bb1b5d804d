import { v7 as uuidv7 } from 'uuid';
import { inspectionCreation } from '../../shared/inspections/rows/inspection-records.ts';
import { workOf } from '../../shared/table/change.ts';
import type { StoredInspection } from '../../shared/table/entities/inspections.ts';
import type { Person } from '../support/people.ts';
import { seed } from './seed.ts';

/** The number of new inspections that are held in memory before they are stored. */
const CHUNK = 5_000;

/**
 * Stores `count` inspections like an existing one, with the same rows as if each had been created.
 * @param stateOf the fields in which the inspection with a number differs
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
      return inspectionCreation(workOf(caller), inspection).map(({ item }) => item);
    });
    await seed(items.flat());
  }
};
