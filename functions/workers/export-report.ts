import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { giveUpExport, makeExport } from '../../shared/reports/export.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';

export const worker = defineWorker({
  id: 'exportReport',
  summary: 'Makes files of reports in other formats than PDF',
  source: { queue: 'export' },
  memory: 1_024,
  heavy: true,
  timeout: 120,
  batchSize: 1,
  native: ['sharp'],
});

export const handler = createQueueWorker(
  worker,
  ({ data: task, ...row }) => makeExport(actorOf(row), task),
  ({ data: task, ...row }) => giveUpExport(actorOf(row), task),
);
