import type { Caller } from '../base/caller.ts';
import { approversOf, decidersOf } from '../domain/inspections/workflow.ts';
import { isAble } from '../domain/members.ts';
import * as members from '../organizations/members/members.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { getRows } from '../table/rows.ts';

type Approved = Parameters<typeof decidersOf>[0] & Pick<StoredInspection, 'approval'>;

/** Whether nobody whom the family or the inspection names can approve it: they have left, or have worked on it. */
export const hasNoApprover = async (caller: Caller, inspection: Approved): Promise<boolean> => {
  const named = new Set(decidersOf(inspection).filter((id) => id !== null));
  const found = await getRows(
    caller,
    Array.from(named, (id) => members.key(caller, id)),
  );
  return !found.some((member) => isAble('approve', member, inspection.approval.allow_api));
};

/**
 * The admins, who decide in place of those who are named when none of them can. Nobody where nobody is named. It takes
 * a call, and one more to find the admins.
 */
export const standInsOf = async (caller: Caller, inspection: Approved): Promise<string[]> => {
  const isAnyoneNamed = approversOf(inspection).some((id) => id !== null);
  return isAnyoneNamed && (await hasNoApprover(caller, inspection)) ? members.adminsOf(caller) : [];
};
