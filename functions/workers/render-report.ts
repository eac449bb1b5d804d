import type { OutboxTask } from '../../shared/db/table/entities.ts';
import { actorOf } from '../../shared/db/table/outbox/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { DRAWS_REPORTS } from '../../shared/reports/pdf/runtime.ts';
import { giveUpReport, renderReport } from '../../shared/reports/render.ts';

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

interface RenderTask {
  inspection_id: string;
  report_id: string;
}

const taskOf = ({ data }: OutboxTask) => data as unknown as RenderTask;

export const handler = createQueueWorker(
  worker,
  (task) => renderReport(actorOf(task), taskOf(task).inspection_id, taskOf(task).report_id),
  (task, cause) => giveUpReport(actorOf(task), taskOf(task).inspection_id, taskOf(task).report_id, cause),
);
