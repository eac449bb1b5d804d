import { QUEUES } from '../base/queues.ts';
import { actorOf, appendEvents, dropTasks, type OutboxRow } from '../db/table/outbox.ts';
import { sendTasks } from './queues.ts';

/** A transaction's rows. */
const MOST_TASKS = 100;

/**
 * Hands on what changes left in the outbox: tasks to their queues, events to their organization's sequence. A
 * row leaves the outbox only behind that, so whatever fails in between is handed on again; the workers and
 * the sequence take a repetition for what it is.
 */
export const handOn = async (rows: readonly OutboxRow[]): Promise<void> => {
  for (const own of Object.values(Object.groupBy(rows, ({ org_id }) => org_id))) {
    const caller = actorOf(own![0]!);
    for (const queue of QUEUES) {
      const tasks = own!.filter(({ outbox }) => outbox === queue);
      for (let start = 0; start < tasks.length; start += MOST_TASKS) {
        const batch = tasks.slice(start, start + MOST_TASKS);
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
