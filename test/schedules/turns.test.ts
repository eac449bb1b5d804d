import { v7 as uuidv7 } from 'uuid';
import { dueSchedules } from '../../shared/schedules/generator.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { dueAt } from '../../shared/table/outbox/due.ts';
import { getRow, MAX_BATCH_KEYS } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newPerson, type Person } from '../support/people.ts';
import { inDays, newSchedule } from './fixtures.ts';

/** Schedules of an organization that the generator finds in so many days: the rows alone. */
const dueIn = async (days: number, person: Person, count: number): Promise<void> => {
  const { caller } = person;
  const { id } = await newSchedule(person);
  const row = await getRow(caller, keys.one(caller, 'SCHEDULE', id));
  for (let made = 0; made < count; made += 50) {
    await change(caller, () => ({
      writes: Array.from({ length: 50 }, () => {
        const other = uuidv7();
        const key = keys.one(caller, 'SCHEDULE', other);
        const copy = { ...row, id: other, ...key, ...dueAt('SCHEDULE', other, inDays(days)) };
        return write.put<object>(copy);
      }),
      reply: undefined,
    }));
  }
};

test('an organization with one due schedule waits for at most one page of one with many', async () => {
  const [large, small] = [await newPerson('Harbour'), await newPerson('Kiosk')];
  await dueIn(-1, large, 3 * MAX_BATCH_KEYS);
  const schedule = await newSchedule(small, { create_ahead_days: 1 });
  const [first] = await Array.fromAsync(dueSchedules(new Date(inDays(1))));
  expect(first!.map(({ id }) => id)).toContain(schedule.id);
});
