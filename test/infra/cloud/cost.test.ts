import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../infra/catalogue.ts';
import recorded from '../../../infra/cost/recorded.json' with { type: 'json' };

type Prices = Record<string, number>;

/** By how much a price may grow before somebody has looked at it. */
const MAX_GROWTH = 1.2;

/** How far a price by the recorded sizes may be from that by the code as it is. */
const MAX_ROUGHNESS = 0.05;

const HINT = 'Look at what has become dearer, and run `npm run cost -- --record` if it is meant.';

interface Costs {
  million: Prices;
  months: Record<string, { running: number }>;
}

const costs = async (...flags: string[]): Promise<Costs> => {
  // esbuild runs on Node itself, beside jest.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'infra/cost/cost.ts'), '--json', ...flags],
    { maxBuffer: 2 ** 24 },
  );
  return JSON.parse(stdout) as Costs;
};

let million: Prices;
let months: Costs['months'];
beforeAll(async () => {
  ({ million, months } = await costs('--measure'));
});

describe('the price of a million', () => {
  test('of each operation and worker is recorded', () => {
    expect([HINT, ...Object.keys(million)]).toEqual([HINT, ...Object.keys(recorded)]);
  });

  test('has grown by less than a fifth', () => {
    const dearer = Object.entries(million)
      .map(([id, price]) => ({ id, price, recorded: (recorded as Prices)[id]! }))
      .filter((each) => each.price > each.recorded * MAX_GROWTH);
    expect([HINT, ...dearer]).toEqual([HINT]);
  });

  test('is the same by the recorded sizes of code, which take seconds', async () => {
    const recordedly = await costs();
    const others = Object.entries(recordedly.million).filter(
      ([id, price]) => Math.abs(price / million[id]! - 1) > MAX_ROUGHNESS,
    );
    expect([HINT, ...others]).toEqual([HINT]);
  });

  test('of what changes nothing is less than that of what does', () => {
    expect(million['getLocation']).toBeLessThan(million['createLocation']!);
    expect(million['getHealth']).toBeLessThan(million['getLocation']!);
  });
});

test('a month of a customer grows with its inspections', () => {
  const { small, large } = months;
  expect(large!.running / small!.running).toBeGreaterThan(90);
});
