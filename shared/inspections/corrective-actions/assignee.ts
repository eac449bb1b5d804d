import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { expectAble } from '../../organizations/members/members.ts';
import * as members from '../../organizations/members/members.ts';
import type { StoredMember } from '../../table/entities/organization.ts';
import type { Key } from '../../table/keys.ts';

/** The key of the member that a request assigns, if it assigns one. */
export const assigneeKey = (
  caller: Caller,
  assigneeId: string | null | undefined,
): Key<StoredMember> | undefined => (assigneeId ? members.key(caller, assigneeId) : undefined);

/**
 * @param field the request's field that names the member
 * @throws ApiError 400 for a member who does not exist, or cannot carry out work
 */
export const checkAssignee = (member: StoredMember | undefined, field = 'assignee_id'): void => {
  if (!member) throw errors.referenceNotFound(field);
  expectAble(field, member, 'inspect');
};
