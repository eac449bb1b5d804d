import type { Caller } from '../../base/caller.ts';
import { change } from '../table/change.ts';
import { enqueue } from '../table/outbox.ts';
import { deleteSomeOfFamily } from '../templates/family-deletion.ts';
import { deleteSomeOfClient } from './client-contents.ts';

/** By the name under which a task has the deleted resource's id: what deletes some of that which belonged to it. */
const REMAINS: Readonly<Record<string, (caller: Caller, id: string) => Promise<boolean>>> = {
  client_account_id: deleteSomeOfClient,
  template_family_id: deleteSomeOfFamily,
};

/**
 * Deletes what belonged to a deleted resource. It may be interrupted and repeated; what is not done by `deadline`
 * is left to a task of its own.
 * @param data of the task: the resource's id under its name, `{"client_account_id": …}`
 * @param deadline epoch milliseconds
 * @throws RangeError for a resource that leaves nothing behind; what its own deletion throws
 */
export const deleteRemains = async (
  caller: Caller,
  data: Record<string, unknown>,
  deadline: number,
): Promise<void> => {
  const [[name, id]] = Object.entries(data) as [[string, string]];
  const deleteSome = REMAINS[name];
  if (!deleteSome) throw new RangeError(`nothing is known of what ${name} leaves behind`);
  let isMore;
  do isMore = await deleteSome(caller, id);
  while (isMore && Date.now() < deadline);
  if (!isMore) return;
  await change(caller, () => ({ writes: [enqueue(caller, 'cleanup', { [name]: id })], reply: undefined }));
};
