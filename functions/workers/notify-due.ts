import { logDeadLetter } from '../../shared/base/log.ts';
import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { remindContacts } from '../../shared/inspections/corrective-actions/contact-reminders.ts';
import { notifyOfDeadlines } from '../../shared/upkeep/due-notices.ts';

export const worker = defineWorker({
  id: 'notifyDue',
  summary:
    'Notifies members of overdue inspections and issues, and members and contacts of corrective actions that are due now or soon, and emits the events of what is overdue or missed',
  source: { every: '5 minutes' },
  timeout: 240,
});

/** How long one run may begin work of each kind, in milliseconds, well before the time-out. The next does the rest. */
const MAX_NOTICES_MS = 140_000;
const MAX_REMINDERS_MS = 50_000;

export const handler = createScheduledWorker(worker, async () => {
  const { failed, causes: ofNotices } = await notifyOfDeadlines(new Date(), MAX_NOTICES_MS);
  for (const letter of failed) logDeadLetter(letter);
  const causes = [...ofNotices, ...(await remindContacts(new Date(), MAX_REMINDERS_MS))];
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} organizations wait`);
});
