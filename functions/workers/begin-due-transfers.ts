import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { beginDueTransfers } from '../../shared/upkeep/transfers/transfers.ts';

export const worker = defineWorker({
  id: 'beginDueTransfers',
  summary: 'Begins the transfers of locations whose time has come',
  source: { every: '5 minutes' },
  timeout: 240,
});

/** How long one run may begin work, in milliseconds, well before the time-out. The next run does the rest. */
const MAX_RUN_MS = 180_000;

export const handler = createScheduledWorker(worker, async () => {
  const causes = await beginDueTransfers(new Date(), MAX_RUN_MS);
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} organizations wait`);
});
