import { QUEUES } from '../base/queues.ts';
import type { OutboxRow } from '../db/table/entities.ts';
import { actorOf, appendEvents, dropTasks } from '../db/table/outbox.ts';
import { sendTasks } from './queues.ts';

/** Tasks whose rows one transaction deletes. */
const MAX_TASKS = 100;

/**
 * Sends the tasks of the outbox to their queues, and appends its events to the sequence of their organization. A row is
 * deleted only after that, so a failure in between leads to a repetition, which the workers and the sequence ignore.
 */
export const handOn = async (rows: readonly OutboxRow[]): Promise<void> => {
  for (const own of Object.values(Object.groupBy(rows, ({ org_id }) => org_id))) {
    const caller = actorOf(own![0]!);
    for (const queue of QUEUES) {
      const tasks = own!.filter(({ outbox }) => outbox === queue);
      for (let start = 0; start < tasks.length; start += MAX_TASKS) {
        const batch = tasks.slice(start, start + MAX_TASKS);
        await sendTasks(queue, batch);
        await dropTasks(caller, batch);
      }
    }
    await appendEvents(
      caller,
      own!.filter(({ outbox }) => outbox === 'event'),
    );
  }
};
