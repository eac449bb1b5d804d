import { handler as deleteRemains } from '../../../functions/workers/delete-remains.ts';
import { handler as exportReport } from '../../../functions/workers/export-report.ts';
import { handler as makeBulkExport } from '../../../functions/workers/make-bulk-export.ts';
import { handler as renderReport } from '../../../functions/workers/render-report.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { LATE_WRITES } from '../../../infra/operator/organizations/delete.ts';
import { allObjects } from '../../../shared/files/organization-files.ts';
import { newClient, newInspection } from '../../inspections/fixtures.ts';
import { type Fault, installFaults, withFault } from '../../support/faults.ts';
import { deliver, waitingTasks } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';

jest.mock('../../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../../support/undrawn.ts'));

installFaults();

// Nothing writes to these organizations after it has ended.
LATE_WRITES.wait = async () => undefined;

const { 'org delete': deleting } = commands;

type Handler = Parameters<typeof deliver>[0];

/** The work of a worker, on the newest task of its queue. */
const task = async ({ caller }: Person, handler: Handler, queue: string) => {
  const waiting = (await waitingTasks(caller)).findLast(({ outbox }) => outbox === queue)!;
  return () => deliver(handler, waiting);
};

const newReport = async (person: Person): Promise<{ id: string }> => {
  const { id: client_account_id } = await newClient(person);
  const { id } = await newInspection(person, { client_account_id });
  return person.reports.create({ params: { inspection_id: id } });
};

/** What stores files, by what it makes. */
const WORK: Record<string, (person: Person) => Promise<() => Promise<unknown>>> = {
  'a report': async (person) => {
    await newReport(person);
    return task(person, renderReport, 'render');
  },
  'a file of a report': async (person) => {
    const { id } = await newReport(person);
    await (
      await task(person, renderReport, 'render')
    )();
    await person.reports.createExport({ params: { report_id: id }, body: { format: 'csv' } });
    return task(person, exportReport, 'export');
  },
  'a bulk export': async (person) => {
    const { id } = await newInspection(person);
    await person.reports.createBulkExport({ body: { inspection_ids: [id], format: 'html' } });
    return task(person, makeBulkExport, 'bulk');
  },
};

const STORING = new Set(['PutObject', 'CopyObject', 'CreateMultipartUpload']);

/** Does all that is left to clean up, and what that leads to. */
const cleanUp = async ({ caller }: Person): Promise<void> => {
  const done = new Set<string>();
  const next = async () =>
    (await waitingTasks(caller)).find(({ id, outbox }) => outbox === 'cleanup' && !done.has(id));
  for (let waiting = await next(); waiting; waiting = await next()) {
    done.add(waiting.id);
    await deliver(deleteRemains, waiting);
  }
};

/** Does a piece of work, while somebody acts before it stores its first file. */
const whileStoring = async (work: () => Promise<unknown>, act: () => Promise<unknown>): Promise<void> => {
  let [isStoring, hasActed] = [false, false];
  const acting: Fault = async ({ command, send }) => {
    if (!isStoring && STORING.has(command)) {
      isStoring = true;
      await act();
      hasActed = true;
    }
    return send();
  };
  await withFault(acting, () => work().catch(() => undefined));
  expect(hasActed).toBe(true);
};

test.each(Object.keys(WORK))(
  'no file is left of %s whose organization is deleted meanwhile',
  async (name) => {
    const person = await newPerson('Gone');
    const work = await WORK[name]!(person);
    const { org_id: org } = person.caller;
    await whileStoring(work, () => deleting.run({ org, yes: true, now: true, rate: 100_000 }));
    expect(await Array.fromAsync(allObjects(person.caller))).toEqual([]);
  },
);

test.each(['a report', 'a file of a report'])(
  'no file is left of %s whose client account is deleted meanwhile',
  async (name) => {
    const person = await newPerson('Deleter');
    const work = await WORK[name]!(person);
    const [client] = await person.clientAccounts.list();
    await whileStoring(work, async () => {
      await person.clientAccounts.delete({ params: { ca_id: client.id }, query: { cascade: true } });
      await cleanUp(person);
    });
    // A task that has failed is delivered once more.
    await work();
    await cleanUp(person);
    expect(await Array.fromAsync(allObjects(person.caller))).toEqual([]);
  },
);
