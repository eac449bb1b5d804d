import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { DRAWS_REPORTS } from '../../shared/reports/pdf/runtime.ts';
import { giveUpReport, renderReport } from '../../shared/reports/render.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';

export const worker = defineWorker({
  id: 'renderReport',
  summary: 'Renders reports',
  source: { queue: 'render' },
  memory: 2_048,
  heavy: true,
  timeout: 90,
  batchSize: 1,
  ...DRAWS_REPORTS,
});

export const handler = createQueueWorker(
  worker,
  ({ data: task, ...row }) => renderReport(actorOf(row), task.inspection_id, task.report_id),
  ({ data: task, ...row }, cause) => giveUpReport(actorOf(row), task.inspection_id, task.report_id, cause),
);
