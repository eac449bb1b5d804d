import { checkOrganization } from '../../shared/db/upkeep/consistency/check.ts';
import { type Fault, impatient, installFaults, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { generateAt, inspectionsOf, manyLocations, newSchedule, shown } from './fixtures.ts';

installFaults();
impatient();

jest.setTimeout(120_000);

/** A process that ends without a word. */
class Killed extends Error {}

/** Lets so many commands through; at the next one the process is dead, before or after that command was done. */
const killAfter = (commands: number, isDone: boolean): { fault: Fault; isReached: () => boolean } => {
  let left = commands;
  return {
    fault: async ({ send }) => {
      left -= 1;
      if (left >= 0) return send();
      if (left === -1 && isDone) await send();
      throw new Killed();
    },
    isReached: () => left < 0,
  };
};

/** Runs work again and again, each time killed one call later, until it ends by itself. @returns how often it was killed */
const killedEverywhere = async (work: () => Promise<unknown>): Promise<number> => {
  for (let commands = 0; ; commands += 1) {
    const { fault, isReached } = killAfter(commands, commands % 2 === 0);
    await withFault(fault, work).catch((error: unknown) => {
      if (!isReached()) throw error;
    });
    if (!isReached()) return commands;
  }
};

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

const expectConsistent = async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  // The fixture's locations stand in no list.
  expect(differences.map(({ what }) => what).filter((what) => !what.startsWith('location by name'))).toEqual(
    [],
  );
};

test('a generator that is killed between any two calls creates each occurrence once', async () => {
  const location_ids = await manyLocations(person, 25);
  const schedule = await newSchedule(person, {
    location_ids,
    create_ahead_days: 2,
    assignee_ids: [person.caller.user_id],
  });
  expect(await killedEverywhere(() => generateAt(person, 0))).toBeGreaterThan(3);
  await generateAt(person, 0);
  const inspections = await inspectionsOf(person, schedule);
  const places = inspections.map(({ occurrence_date, location_id }) => `${occurrence_date} ${location_id}`);
  expect(new Set(places).size).toBe(50);
  expect(places).toHaveLength(50);
  expect((await shown(person, schedule)).generated_count).toBe(50);
  await expectConsistent();
});
