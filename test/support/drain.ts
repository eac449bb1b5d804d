import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as deliverWebhooks from '../../functions/workers/deliver-webhooks.ts';
import * as exportReport from '../../functions/workers/export-report.ts';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import * as renderReport from '../../functions/workers/render-report.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import * as syncSource from '../../functions/workers/sync-source.ts';
import type { Caller } from '../../shared/base/caller.ts';
import { countEvents } from '../../shared/inspections/numbers/events.ts';
import type { OutboxEvent } from '../../shared/table/entities/machinery.ts';
import { appendEvents, dropTasks } from '../../shared/table/outbox/outbox.ts';
import type { Tasks } from '../../shared/table/tasks.ts';
import { deliver, outboxOf } from './outbox.ts';

/** The worker of each queue that changes give tasks to. */
const WORKERS: Record<Exclude<keyof Tasks, 'feedback'>, Parameters<typeof deliver>[0]> = {
  render: renderReport.handler,
  export: exportReport.handler,
  bulk: makeBulkExport.handler,
  cleanup: deleteRemains.handler,
  mail: sendMail.handler,
  sync: syncSource.handler,
  webhooks: deliverWebhooks.handler,
};

/** Work that leads to further work ends within so many rounds. */
export const MAX_ROUNDS = 10;

/**
 * Does what waits in the outbox of an organization, and what follows from it.
 * @returns the queues of the tasks that their workers did not accept
 */
export const drain = async (caller: Caller, rounds = MAX_ROUNDS): Promise<string[]> => {
  const refused: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const rows = await outboxOf(caller);
    if (rows.length === 0) break;
    for (const row of rows) {
      if (row.outbox === 'event' || row.outbox === 'feedback') continue;
      if (!(await deliver(WORKERS[row.outbox], row))) refused.push(row.outbox);
      await dropTasks(caller, [row]);
    }
    await countEvents(
      caller,
      rows.filter((row): row is OutboxEvent & typeof row => row.outbox === 'event'),
    );
    await appendEvents(caller, rows);
  }
  return refused;
};
