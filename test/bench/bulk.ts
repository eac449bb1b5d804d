import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import { startEngines } from '../../infra/local/engines.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { deliver, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { print, RATIO, ratio, rounded } from './table.ts';

const REPORTS = 100;
/** Beside the reports themselves: their rows, the archive or the merge, and the upload. */
const GOAL = 1.3;

const newInspections = async (person: Person, count: number): Promise<string[]> => {
  const { id: template_family_id } = await publishedFamily(person.key);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push((await newInspection(person, { template_family_id })).id);
  return ids;
};

/** The last task of a queue. */
const taskFor = async ({ caller }: Person, queue: string) =>
  (await outboxOf(caller)).findLast(({ outbox }) => outbox === queue)!;

const timed = async (work: () => Promise<void>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** Milliseconds of as many single reports, one after the other. */
const singleReports = async (person: Person): Promise<number> => {
  const ids = await newInspections(person, REPORTS);
  return timed(async () => {
    for (const inspection_id of ids) {
      await person.reports.create({ params: { inspection_id }, body: {} });
      if (!(await deliver(renderReport.handler, await taskFor(person, 'render'))))
        throw new Error('a report was not rendered');
    }
  });
};

/** Milliseconds of one bulk export of as many reports. */
const bulkExport = async (person: Person, bundle: 'zip' | 'merged', count = REPORTS): Promise<number> => {
  const inspection_ids = await newInspections(person, count);
  return timed(async () => {
    const { id } = await person.reports.createBulkExport({ body: { inspection_ids, bundle } });
    const read = () => person.reports.getBulkExport({ params: { export_id: id } });
    // A turn of the worker is two minutes; what is left then is handed on to the next one.
    do {
      if (!(await deliver(makeBulkExport.handler, await taskFor(person, 'bulk'))))
        throw new Error('the bulk export was not made');
    } while ((await read()).status === 'running');
    const { status, done } = await read();
    if (status !== 'ready' || done !== count) throw new Error(`the bulk export is ${status}`);
  });
};

export const measure = async (): Promise<void> => {
  const engines = await startEngines({ dataDir: null });
  try {
    // The first report of a process is slower than all others.
    await bulkExport(await newPerson('Warm'), 'zip', 1);
    const lines = [];
    const single = await singleReports(await newPerson('Single'));
    for (const bundle of ['zip', 'merged'] as const) {
      const bulk = await bulkExport(await newPerson(`Bulk ${bundle}`), bundle);
      lines.push([
        `${REPORTS} PDFs, ${bundle}`,
        rounded(bulk),
        rounded(single),
        ...ratio(bulk, single, GOAL),
      ]);
    }
    print(
      'bulk: a bulk export compared with as many single reports',
      ['export', 'ms', 'ms of single reports', ...RATIO],
      lines,
      'Small reports, one after the other, in one process.',
    );
  } finally {
    await engines.stop();
  }
};
