import { startEngines } from '../../infra/local/engines.ts';
import * as locations from '../../shared/places/locations/locations.ts';
import { NewLocation } from '../../shared/schemas/location.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { seed, written } from './seed.ts';
import { print, RATIO, ratio, rounded } from './table.ts';
import { traffic } from './traffic.ts';

const LOCATIONS = 20_000;
const STEP = 200;
const GOAL = 1.3;

/** Reads the pages from one offset to another, one after the other, as an integration does. */
const readPages = async ({ key }: Person, from: number, to: number) => {
  const start = performance.now();
  let rows = 0;
  const { calls, bytes } = await traffic(async () => {
    for (let offset = from; offset < to; offset += STEP) {
      const page = await as(key).locations.list({ query: { limit: STEP, offset } });
      rows += (page as unknown[]).length;
    }
  });
  if (rows !== to - from) throw new Error(`${rows} locations from ${from} to ${to}`);
  return { milliseconds: performance.now() - start, calls, bytes };
};

export const measure = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const person = await newPerson('Bench');
    const items = await written(async () => {
      for (let number = 0; number < LOCATIONS; number += 1) {
        await locations.create(person.caller, NewLocation.parse({ name: `Site ${number}` }));
      }
    });
    await seed(items);

    const half = LOCATIONS / 2;
    const first = await readPages(person, 0, half);
    const second = await readPages(person, half, LOCATIONS);
    const line = (what: string, unit: (measured: typeof first) => number) => [
      what,
      rounded(unit(first)),
      rounded(unit(second)),
      ...ratio(unit(second), unit(first), GOAL),
    ];
    print(
      `paging: ${LOCATIONS.toLocaleString('en')} locations by limit=${STEP} and offset, the second half of the pages compared with the first`,
      ['', 'first half', 'second half', ...RATIO],
      [
        line('seconds', ({ milliseconds }) => milliseconds / 1_000),
        line('DynamoDB calls', ({ calls }) => calls),
        line('MB from DynamoDB', ({ bytes }) => bytes / 1_048_576),
      ],
    );
  } finally {
    await engines.stop();
  }
};
