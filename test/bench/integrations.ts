import { startEngines } from '../../infra/local/engines.ts';
import * as runs from '../../shared/integrations/rows/runs.ts';
import { continueSync } from '../../shared/integrations/sync.ts';
import { newSource, runOf } from '../integrations/fixtures.ts';
import { useMemoryVendor } from '../integrations/memory-vendor.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { newPerson } from '../support/people.ts';
import { print, rounded } from './table.ts';

const ITEMS = 10_000;
/** Items of one page of monday.com. */
const PAGE = 500;
/** A sync without changes may read once for so many rows. */
const ROWS_PER_READ = 100;

const items = (from: number, to: number, suffix = '') =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, n) => [
      `i${from + n}`,
      { name: `Site ${from + n}${suffix}`, kind: 'Yard', where: `Street ${from + n}` },
    ]),
  );

export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    installFaults();
    const vendor = useMemoryVendor();
    vendor.pageSize = PAGE;
    const size = Math.round(ITEMS * scale);
    vendor.put('b', items(0, size));
    const person = await newPerson('Bench');
    const { id } = await newSource(person);

    const syncOnce = async () => {
      const request = { trigger: 'manual', allow_mass_deactivation: false } as const;
      const run = await runs.start(person.caller, id, false, request);
      const calls = { reads: 0, writes: 0 };
      const start = performance.now();
      await withFault(
        ({ client, command, send }) => {
          if (client === 'DynamoDBClient')
            calls[/^(Get|BatchGet|Query)/.test(command) ? 'reads' : 'writes'] += 1;
          return send();
        },
        () => continueSync(person.caller, id, run.id, Infinity),
      );
      const seconds = (performance.now() - start) / 1_000;
      return { ...calls, seconds, run: await runOf(person, run) };
    };
    const line = (
      what: string,
      { reads, writes, seconds, run }: Awaited<ReturnType<typeof syncOnce>>,
      met: boolean,
    ) => [
      what,
      rounded(seconds),
      ...[run.calls, reads, writes, run.counts.created + run.counts.updated].map((count) =>
        count.toLocaleString('en'),
      ),
      met ? 'met' : 'MISSED',
    ];

    const first = await syncOnce();
    const second = await syncOnce();
    const changed = Math.ceil(size / 100);
    vendor.put('b', items(0, changed, ' renamed'));
    const third = await syncOnce();
    // The run begins, notes each page, and ends.
    const own = 2 + Math.ceil(size / PAGE);
    print(
      `integrations: syncs of a board of ${size.toLocaleString('en')} items`,
      ['', 'seconds', 'vendor calls', 'reads', 'writes', 'rows written', 'goal'],
      [
        line('first', first, first.run.counts.created === size),
        line(
          'nothing changed',
          second,
          second.writes <= own && second.reads <= Math.max(10, size / ROWS_PER_READ),
        ),
        line('1 % changed', third, third.run.counts.updated === changed),
      ],
      `Without a change, only the run’s own ${own} writes, and at most one read for ${ROWS_PER_READ} rows.`,
    );
  } finally {
    await engines.stop();
  }
};
