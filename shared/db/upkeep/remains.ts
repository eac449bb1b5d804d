import type { Caller } from '../../base/caller.ts';
import { deleteSomeOfInspection } from '../inspections/deletion.ts';
import { deleteSomeOfCategory } from '../issues/categories.ts';
import { deleteSomeOfSchedule } from '../schedules/remove.ts';
import { change } from '../table/change.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { deleteSomeOfFamily } from '../templates/families/delete.ts';
import { deleteSomeOfWebhook } from '../webhooks/webhooks.ts';
import { deleteSomeOfClient } from './client-contents.ts';

/** What deletes some of the remains of a resource, by the name of the resource's id in the task. */
const REMAINS: Readonly<Record<string, (caller: Caller, id: string) => Promise<boolean>>> = {
  client_account_id: deleteSomeOfClient,
  inspection_id: deleteSomeOfInspection,
  issue_category_id: deleteSomeOfCategory,
  template_family_id: deleteSomeOfFamily,
  schedule_id: deleteSomeOfSchedule,
  webhook_id: deleteSomeOfWebhook,
};

/**
 * Deletes what belonged to a deleted resource. It may be interrupted and repeated. What is left at the deadline is
 * given to a new task.
 * @param data the task: the resource's id by its name, `{"client_account_id": …}`
 * @param deadline epoch milliseconds
 * @throws RangeError for an unknown name; what the deletion throws
 */
export const deleteRemains = async (
  caller: Caller,
  data: Record<string, unknown>,
  deadline: number,
): Promise<void> => {
  const [[name, id]] = Object.entries(data) as [[string, string]];
  const deleteSome = REMAINS[name];
  if (!deleteSome) throw new RangeError(`No deletion is known for ${name}.`);
  let isMore;
  do isMore = await deleteSome(caller, id);
  while (isMore && Date.now() < deadline);
  if (!isMore) return;
  await change(caller, () => ({ writes: [enqueue(caller, 'cleanup', { [name]: id })], reply: undefined }));
};
