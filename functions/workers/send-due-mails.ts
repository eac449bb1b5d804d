import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { sendDueMails } from '../../shared/notices/waiting-mails.ts';
import { sendDueClientDigests } from '../../shared/places/client-accounts/digests.ts';

export const worker = defineWorker({
  id: 'sendDueMails',
  summary:
    'Has the weekly mails of clients sent, and those that were beyond a limit of their organization, when their day has come',
  source: { every: '5 minutes' },
  timeout: 240,
});

/** How long one run may begin work, in milliseconds, well before the time-out. The next run does the rest. */
const MAX_RUN_MS = 180_000;

export const handler = createScheduledWorker(worker, async () => {
  const now = new Date();
  const end = Date.now() + MAX_RUN_MS;
  const waited = await sendDueMails(now, MAX_RUN_MS);
  const causes = [...waited, ...(await sendDueClientDigests(now, end - Date.now()))];
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} organizations wait`);
});
