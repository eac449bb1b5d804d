import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import * as members from '../members/members.ts';
import type { StoredMember } from '../table/entities.ts';
import type { Key } from '../table/keys.ts';

/** The key of the member that a request assigns, if it assigns one. */
export const assigneeKey = (
  caller: Caller,
  assigneeId: string | null | undefined,
): Key<StoredMember> | undefined => (assigneeId ? members.key(caller, assigneeId) : undefined);

/** @throws ApiError 400 for a member who does not exist or is not active */
export const checkAssignee = (member: StoredMember | undefined): void => {
  if (!member) throw errors.referenceNotFound('assignee_id');
  if (member.status !== 'active') throw errors.memberNotActive('assignee_id', member.status);
};
