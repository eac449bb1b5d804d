import type { Caller } from '../base/caller.ts';
import { timeAfter } from '../base/time.ts';
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

/** Whether the work of an organization is done, waits until it is resumed, or ends because it was deleted. One read. */
export const standingOf = async (caller: Caller): Promise<'active' | 'suspended' | 'deleted'> => {
  const organization = await getRow(caller, keys.organization(caller));
  if (!organization) return 'deleted';
  return organization.suspended ? 'suspended' : 'active';
};

/** Whether an organization is suspended. One read. */
export const isSuspended = async (caller: Caller): Promise<boolean> =>
  (await standingOf(caller)) === 'suspended';

/** The organization that a visitor's link belongs to; undefined when it was deleted. One read. */
export const linkOwner = async (
  visitor: Caller,
): Promise<{ name: string; isSuspended: boolean } | undefined> => {
  const organization = await getRow(visitor, keys.organization(visitor));
  return organization && { name: organization.name, isSuspended: Boolean(organization.suspended) };
};

/**
 * Notes in each member and key whether the organization is suspended. A member gets another version, so that a change
 * that has read the one before does not undo the note. Members come first: a person whose member has the note makes no
 * key any more, so that no key is made behind the list of keys. One call for each member, and two for each key.
 */
export const mark = async (caller: Caller, isNowSuspended: boolean): Promise<void> => {
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'MEMBER') })) {
    const noted = { set: { in_suspended: isNowSuspended }, add: { version: 1 } };
    await tryWrite(caller, write.update(keys.one(caller, 'MEMBER', sk), noted, exists));
  }
  await noteInKeys(caller, { is_suspended: isNowSuspended });
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

/**
 * Ends a suspension, and takes a deletion back that has not begun. What has waited is done next. The notes go last, so
 * that nobody who is let in makes a key that is still kept out. A run that was interrupted is completed by the next one.
 * @throws Error while an import of the organization has not ended
 */
export const resume = async (caller: Caller): Promise<void> => {
  await set(caller, (_, current) => {
    if (current?.importing)
      throw new Error(
        'The organization is being imported: org import --from goes on, and org delete removes it.',
      );
    return null;
  });
  await mark(caller, false);
};
