import * as syncSource from '../../functions/workers/sync-source.ts';
import { timeAfter } from '../../shared/base/time.ts';
import type { Connection } from '../../shared/schemas/integrations/connection.ts';
import type { SyncRun } from '../../shared/schemas/integrations/run.ts';
import type { DirectorySource, Source } from '../../shared/schemas/integrations/source.ts';
import { change } from '../../shared/table/change.ts';
import type { StoredRun } from '../../shared/table/entities/integrations.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { deliver, type WaitingTask, waitingTasks } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import { GOOD_TOKEN } from './memory-vendor.ts';

export const newConnection = (person: Person, fields: object = {}): Promise<Connection> =>
  person.integrations.createConnection({
    body: { vendor: 'monday', title: 'Harbour', credential: { api_token: GOOD_TOKEN }, ...fields },
  });

/** A source of locations on board `b`, and a connection of its own unless one is given. */
export const newSource = async (
  person: Person,
  { connection_id, ...fields }: { connection_id?: string } & Record<string, unknown> = {},
): Promise<Source> =>
  person.integrations.createSource({
    params: { connection_id: connection_id ?? (await newConnection(person)).id },
    body: {
      name: 'Sites',
      target_ref: 'locations',
      board_id: 'b',
      mappings: { name: 'name', kind: 'kind', address: 'where' },
      ...fields,
    },
  });

export const newDirectory = async (person: Person, fields: object = {}): Promise<DirectorySource> =>
  person.integrations.createDirectorySource({
    body: { connection_id: (await newConnection(person)).id, name: 'People', ...fields },
  });

/** The tasks of an organization that wait for the worker of syncs, the oldest first. */
export const syncTasks = async ({ caller }: Person): Promise<WaitingTask[]> =>
  (await waitingTasks(caller)).filter(({ outbox }) => outbox === 'sync');

export const runOf = async ({ caller }: Person, { source_id, id }: SyncRun): Promise<StoredRun> => {
  for await (const row of queryRows(caller, keys.parts(caller, 'SOURCE', source_id, 'RUN'))) {
    if (row.id === id) return row;
  }
  throw new Error(`there is no run ${id}`);
};

/** Gives the worker its newest task, and those that follow from it. @returns whether it accepted all */
export const work = async (person: Person): Promise<boolean> => {
  let last: string | undefined;
  for (;;) {
    const task = (await syncTasks(person)).at(-1)!;
    if (task.id === last) return true;
    last = task.id;
    if (!(await deliver(syncSource.handler, task))) return false;
  }
};

/** Starts a sync that no worker ends: two days later it is still to be done, and its source is looked at again. */
export const leaveRun = async (person: Person, { id }: { id: string }): Promise<void> => {
  const { caller } = person;
  const run: SyncRun = await person.integrations.startSync({ params: { source_id: id } });
  const created_at = timeAfter(run.created_at, -2 * 86_400_000);
  const due = { by_due_at: created_at };
  await change(caller, () => ({
    writes: [
      write.update(keys.syncRun(caller, id, run.id), { set: { created_at } }),
      write.update(keys.sourceState(caller, id), { set: due }),
    ],
    reply: undefined,
  }));
};

/** Syncs a source to its end, as the worker does. @returns the run as it ended */
export const sync = async (person: Person, { id }: { id: string }, body: object = {}): Promise<StoredRun> => {
  const run: SyncRun = await person.integrations.startSync({ params: { source_id: id }, body });
  await work(person);
  return runOf(person, run);
};

export const syncDirectory = async (person: Person, { id }: { id: string }): Promise<StoredRun> => {
  const run: SyncRun = await person.integrations.startDirectorySync({
    params: { source_id: id },
    body: {},
  });
  await work(person);
  return runOf(person, run);
};
