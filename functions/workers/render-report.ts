import { actorOf } from '../../shared/db/table/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { FONT_ASSETS } from '../../shared/reports/fonts.ts';
import { giveUpReport, renderReport } from '../../shared/reports/render.ts';

export const worker = defineWorker({
  id: 'renderReport',
  summary: 'Renders reports',
  source: { queue: 'render' },
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:Query',
    'table:PutItem',
    'table:UpdateItem',
    'bucket:GetObject',
    'bucket:PutObject',
  ],
  memory: 1_024,
  heavy: true,
  timeout: 300,
  batchSize: 1,
  native: ['sharp'],
  assets: FONT_ASSETS,
});

export const handler = createQueueWorker(worker, async (task, isLastAttempt) => {
  const { inspection_id, report_id } = task.data as { inspection_id: string; report_id: string };
  const caller = actorOf(task);
  try {
    await renderReport(caller, inspection_id, report_id);
  } catch (error) {
    if (isLastAttempt) await giveUpReport(caller, inspection_id, report_id);
    throw error;
  }
});
