import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Catalogue, loadCatalogue } from '../catalogue.ts';
import { codeSizes } from '../cloud/bundle.ts';
import { ASSUMED, monthOf, ofDeployment, priceList, SIZES } from './model.ts';
import { PRICES } from './prices.ts';
import recordedSizes from './sizes.json' with { type: 'json' };

/*
 * What the service costs by AWS's list: a million runs of each operation and worker, and a month of three sizes of
 * customer. The code of all functions takes a minute to build, so its sizes are recorded, and only new functions are
 * built. `--measure` builds them all, and so does `--record`, which keeps the sizes, and the prices as those that a test
 * compares.
 */

const MILLION = 1_000_000;

/** What recorded sizes are rounded to: prices hardly depend on them, and not every change of the code changes the record. */
const ROUGH_KB = 20;

const rounded = (price: number): number => Math.round(price * 100) / 100;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    measure: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});

/** KB of the code of each function, by its file. @param known those that are not built */
const sizesOf = async (
  { operations, workers }: Catalogue,
  known: Readonly<Record<string, number>>,
): Promise<ReadonlyMap<string, number>> => {
  const isNew = ({ file }: { file: string }): boolean => known[file] === undefined;
  const added = { operations: operations.filter(isNew), workers: workers.filter(isNew) };
  const isAnyNew = added.operations.length + added.workers.length > 0;
  return new Map([...Object.entries(known), ...(isAnyNew ? await codeSizes(added) : [])]);
};

const catalogue = await loadCatalogue();
const sizes = await sizesOf(catalogue, values.measure || values.record ? {} : recordedSizes);
const prices = priceList(catalogue, sizes);
const million = Object.fromEntries(
  Object.entries(prices)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, price]) => [id, rounded(price * MILLION)]),
);
const months = Object.fromEntries(
  Object.entries(SIZES).map(([size, inspections]) => {
    const { running, stored } = monthOf(prices, inspections);
    return [size, { inspections, running: rounded(running), stored: rounded(stored) }];
  }),
);
const deployment = rounded(ofDeployment());
// Whoever reads the output may have read enough, such as `head`.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.record) {
  const record = (file: string, recorded: object): void =>
    writeFileSync(join(import.meta.dirname, file), `${JSON.stringify(recorded, null, 2)}\n`);
  record('recorded.json', million);
  const rough = [...sizes].map(([file, size]) => [file, Math.round(size / ROUGH_KB) * ROUGH_KB] as const);
  record('sizes.json', Object.fromEntries(rough.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}
if (values.json) {
  print(JSON.stringify({ currency: 'USD', prices: PRICES, assumed: ASSUMED, million, months, deployment }));
} else {
  print(`USD by the list of us-east-1 of ${PRICES.asOf}: ${PRICES.sources.join(', ')}`);
  print('What is assumed beside it stands in infra/cost/model.ts.\n');
  print('A million of each:');
  for (const [id, price] of Object.entries(million))
    print(`  ${id.padEnd(40)} ${price.toFixed(2).padStart(10)}`);
  print('\nA month of a customer, and what its files and rows of a year cost in a month:');
  for (const [size, { inspections, running, stored }] of Object.entries(months))
    print(
      `  ${`${size}, ${inspections} inspections a month`.padEnd(40)} ${running.toFixed(2).padStart(10)} ${stored.toFixed(2).padStart(10)}`,
    );
  print(`\nThe deployment itself, a month: about ${deployment.toFixed(2)}`);
}
