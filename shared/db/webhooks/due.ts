import { serviceOf } from '../../base/caller.ts';
import type { WebhookState } from '../table/entities.ts';
import { dueRows } from '../table/outbox/due.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { isOutage } from '../table/retry.ts';
import { takeDue } from './turns.ts';

/**
 * Gives workers a task for each endpoint to which something is to be sent: its time was too far away for a queue, or its
 * worker or task was lost. No organization waits for another.
 * @param time how long this begins work, in milliseconds
 * @returns the causes for which organizations have to wait for the next run
 */
export const takeDueWebhooks = async (now: Date, time: number): Promise<unknown[]> => {
  const failures: unknown[] = [];
  const sweep = new Sweep<WebhookState>(
    time,
    () => 'webhook',
    async (states) => {
      for (const { org_id, webhook_id } of states) {
        try {
          await takeDue(serviceOf(org_id), webhook_id, now);
        } catch (error) {
          if (isOutage(error)) throw error;
          failures.push(error);
        }
      }
    },
  );
  for await (const states of dueRows('WEBHOOK', now)) {
    await sweep.serve(states);
    if (sweep.isOver) break;
  }
  return [...failures, ...sweep.delays.map(({ error }) => error)];
};
