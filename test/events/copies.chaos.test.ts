import type { KeyEntry } from '../../infra/catalogue.ts';
import { setRequestLimits } from '../../shared/organizations/api-keys.ts';
import type { Event } from '../../shared/schemas/event.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { call } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { seeded } from '../support/chance.ts';
import { drain } from '../support/drain.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { type Scenario, scenariosOf } from '../support/scenarios.ts';
import { apply, type Copy, copyOfLists } from './copy.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
impatient(150);
useMemoryVendor();

const SCENARIOS = operationEntries()
  .filter(({ operation }) => operation.method !== 'GET')
  .flatMap((entry): [KeyEntry, Scenario][] =>
    (scenariosOf(entry.area).scenarios[entry.operation.id] ?? []).map((scenario) => [entry, scenario]),
  );

/** More requests than a history makes. */
const MANY = 100_000;

/** Requests of a history. */
const STEPS = scaled(60, 400);

/** The calls after which a worker is killed, at most. */
const MAX_CALLS = 40;

/** Lets an organization live through a random history of all operations, whose workers are killed now and then. */
const live = async (person: Person, random: () => number): Promise<void> => {
  for (let step = 0; step < STEPS; step += 1) {
    const [entry, scenario] = SCENARIOS[Math.floor(random() * SCENARIOS.length)]!;
    // In an organization that others have used, some scenarios meet what these have left.
    const request = await Promise.resolve(scenario(person)).catch(() => undefined);
    if (request) await call(entry, { as: person.key, ...request });
    if (random() < 0.3) {
      const kill = killAfter(Math.floor(random() * MAX_CALLS), random() < 0.5);
      await withFault(kill.fault, () => drain(person.caller)).catch(() => {});
    }
    if (random() < 0.1) await drain(person.caller);
  }
  await drain(person.caller);
};

/** A copy from all events of an organization, from the first on, page by page. */
const replay = async (person: Person): Promise<Copy> => {
  const copy: Copy = new Map();
  const problems: string[] = [];
  let after = 0;
  for (;;) {
    const events: Event[] = await person.events.list({ query: { after, limit: 200 } });
    if (events.length === 0) break;
    problems.push(...events.flatMap((event) => apply(copy, event) ?? []));
    after = events.at(-1)!.sequence;
  }
  expect(problems).toEqual([]);
  return copy;
};

test.each(scaled([1], [1, 2, 3, 4, 5]))(
  'all events of an organization give what its lists show (history %i)',
  async (history) => {
    const person = await newPerson(`History ${history}`);
    await setRequestLimits(operatorOf(person), { max_requests_per_minute: MANY });
    const before = await copyOfLists(person);
    await live(person, seeded(history));
    const shown = await copyOfLists(person);
    expect(shown.size).toBeGreaterThan(STEPS);
    expect(new Map([...before, ...(await replay(person))])).toEqual(shown);
  },
);
