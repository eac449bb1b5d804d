import type { Caller } from '../../base/caller.ts';
import { deleteSomeOfInspection } from '../inspections/deletion.ts';
import { resolveFindings } from '../inspections/resolve-findings.ts';
import { deleteSomeOfCategory } from '../issues/categories.ts';
import { deleteSomeOfSchedule } from '../schedules/remove.ts';
import { change } from '../table/change.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { deleteSomeOfFamily } from '../templates/families/delete.ts';
import { deleteSomeOfWebhook } from '../webhooks/webhooks.ts';
import { deleteSomeOfClient } from './client-contents.ts';

/**
 * What goes on with a change that needs several transactions, by the name of the id in the task: the deletion of some of
 * what belonged to a resource, or the end of a re-inspection. It says whether more is left.
 */
const REMAINS: Readonly<Record<string, (caller: Caller, id: string) => Promise<boolean>>> = {
  client_account_id: deleteSomeOfClient,
  inspection_id: deleteSomeOfInspection,
  reinspection_id: async (caller, id) => {
    await resolveFindings(caller, id);
    return false;
  },
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
