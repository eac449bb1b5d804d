import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as inspections from '../../shared/inspections/create.ts';
import type { BulkChange, BulkChangeRow } from '../../shared/schemas/bulk-change.ts';
import { type Inspection, NewInspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Client } from '../support/call.ts';
import { type Fault, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';

/** Made without requests, of which a key may send only so many in a minute. */
export const newInspections = async (
  { caller }: Person,
  family: { id: string },
  count: number,
  fields: (n: number) => object = () => ({}),
): Promise<Inspection[]> => {
  const made: Inspection[] = [];
  for (let n = 0; n < count; n += 1)
    made.push(
      await inspections.create(
        caller,
        NewInspection.parse({ template_family_id: family.id, name: `Visit ${n}`, ...fields(n) }),
      ),
    );
  return made;
};

export const ask = (by: Client, body: object): Promise<BulkChange> => by.bulkChanges.create({ body });

export const read = (by: Person, { id }: { id: string }): Promise<BulkChange> =>
  by.bulkChanges.get({ params: { bulk_change_id: id } });

export const rowsOf = (
  by: Person,
  { id }: { id: string },
  query: Readonly<Record<string, string | number | readonly string[]>> = {},
): Promise<BulkChangeRow[]> => by.bulkChanges.listRows({ params: { bulk_change_id: id }, query });

export const step = (by: Person, { id }: { id: string }, status: string): Promise<BulkChange> =>
  by.bulkChanges.update({ params: { bulk_change_id: id }, body: { status } });

/** The tasks of a bulk change, in their order. */
export const tasksOf = async ({ caller }: Person, { id }: { id: string }) =>
  (await waitingTasks(caller)).filter(({ data }) => data['bulk_change_id'] === id && !data['mail_id']);

/** Lets the worker take the newest task of a bulk change. @returns whether it accepts the task */
export const work = async (
  by: Person,
  bulk: { id: string },
  fault: Fault = ({ send }) => send(),
): Promise<boolean> => {
  const task = (await tasksOf(by, bulk)).at(-1)!;
  return withFault(fault, () => deliver(deleteRemains.handler, task));
};

/** A bulk change after its dry run. */
export const dryRun = async (by: Person, body: object): Promise<BulkChange> => {
  const bulk = await ask(by, body);
  expect(await work(by, bulk)).toBe(true);
  return read(by, bulk);
};

/** Carries a planned bulk change out. */
export const commit = async (by: Person, bulk: { id: string }): Promise<BulkChange> => {
  await step(by, bulk, 'running');
  expect(await work(by, bulk)).toBe(true);
  return read(by, bulk);
};
