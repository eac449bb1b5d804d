import type { Caller } from '../../base/caller.ts';
import { timeAfter } from '../../base/time.ts';
import { audit } from '../table/audit.ts';
import { exists } from '../table/conditions.ts';
import type { Suspension } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { getRow, queryRows } from '../table/rows.ts';
import { tryWrite } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import { noteInKeys } from './api-keys.ts';
import { edit } from './organizations.ts';

/*
 * A suspended organization answers nobody, and its work waits: the workers leave what is due, and put tasks back into the
 * outbox. Its keys and members say so themselves, so that a request costs no further read.
 */

/** Whether an organization is suspended. One read. */
export const isSuspended = async (caller: Caller): Promise<boolean> =>
  Boolean((await getRow(caller, keys.organization(caller)))?.suspended);

/** Notes in each key and member whether the organization is suspended. Two calls for each key, and one for each member. */
const mark = async (caller: Caller, isNowSuspended: boolean): Promise<void> => {
  await noteInKeys(caller, { is_suspended: isNowSuspended });
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'MEMBER') })) {
    const noted = { set: { in_suspended: isNowSuspended } };
    await tryWrite(caller, write.update(keys.one(caller, 'MEMBER', sk), noted, exists));
  }
};

const set = (caller: Caller, next: (now: string, current: Suspension | null) => Suspension | null) =>
  edit(
    caller,
    (current, work) => {
      const { suspended: former = null } = current;
      const suspended = next(work.now, former);
      const action = suspended ? 'organization.suspended' : 'organization.resumed';
      return { next: { ...current, suspended }, writes: [audit(work, action, caller.org_id)] };
    },
    async ({ suspended = null }) => suspended,
  );

/**
 * Suspends an organization. A run that was interrupted is completed by the next one.
 * @param grace until it may be deleted, in milliseconds; nobody wants that where it is left out
 */
export const suspend = async (caller: Caller, grace?: number): Promise<Suspension | null> => {
  const suspended = await set(caller, (now, current) => ({
    ...current,
    at: current?.at ?? now,
    delete_after: current?.delete_after ?? (grace === undefined ? null : timeAfter(now, grace)),
  }));
  await mark(caller, true);
  return suspended;
};

/** Ends a suspension, and takes a deletion back that has not begun. What has waited is done next. */
export const resume = async (caller: Caller): Promise<void> => {
  await mark(caller, false);
  await set(caller, () => null);
};
