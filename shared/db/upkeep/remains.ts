import type { Caller } from '../../base/caller.ts';
import { deleteSomeOfInspection } from '../inspections/deletion.ts';
import { resolveFindings } from '../inspections/resolve-findings.ts';
import { deleteSomeOfCategory } from '../issues/categories.ts';
import { deleteSomeOfSchedule } from '../schedules/schedules.ts';
import { change } from '../table/change.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import type { RemainsTask } from '../table/tasks.ts';
import { deleteSomeOfFamily } from '../templates/families/delete.ts';
import { deleteSomeOfWebhook } from '../webhooks/webhooks.ts';
import { deleteSomeOfClient } from './client-contents.ts';

/** Does a part of a task. @returns whether more is left. @throws RangeError for an unknown task */
const doSome = async (caller: Caller, task: RemainsTask): Promise<boolean> => {
  if ('client_account_id' in task) return deleteSomeOfClient(caller, task.client_account_id);
  if ('inspection_id' in task) return deleteSomeOfInspection(caller, task.inspection_id);
  if ('issue_category_id' in task) return deleteSomeOfCategory(caller, task.issue_category_id);
  if ('template_family_id' in task) return deleteSomeOfFamily(caller, task.template_family_id);
  if ('schedule_id' in task) return deleteSomeOfSchedule(caller, task.schedule_id);
  if ('webhook_id' in task) return deleteSomeOfWebhook(caller, task.webhook_id);
  if ('reinspection_id' in task) {
    await resolveFindings(caller, task.reinspection_id);
    return false;
  }
  throw new RangeError(`No worker knows the task ${JSON.stringify(task satisfies never)}.`);
};

/**
 * Goes on with a change that needs several transactions. It may be interrupted and repeated. What is left at the
 * deadline is given to a new task.
 * @param deadline epoch milliseconds
 * @throws RangeError for an unknown task; what the change throws
 */
export const deleteRemains = async (caller: Caller, task: RemainsTask, deadline: number): Promise<void> => {
  let isMore;
  do isMore = await doSome(caller, task);
  while (isMore && Date.now() < deadline);
  if (!isMore) return;
  await change(caller, (work) => ({ writes: [enqueue(work, 'cleanup', task)], reply: undefined }));
};
