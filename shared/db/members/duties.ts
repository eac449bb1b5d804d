import * as errors from '../../base/errors.ts';
import { type Candidate, type Duty, obstacleTo } from '../../domain/members.ts';

/**
 * Checks that a member who is named in a request can do what the request gives them to do. Every operation that names
 * participants, approvers or assignees checks them here.
 * @param field the request's field that names the member
 * @param isForKeys whether keys may decide on the inspections that the duty is for
 * @throws ApiError 400 naming the field
 */
export const expectAble = (field: string, member: Candidate, duty: Duty, isForKeys?: boolean): void => {
  if (member.status !== 'active') throw errors.memberNotActive(field, member.status);
  const obstacle = obstacleTo(duty, member, new Date().toISOString(), isForKeys);
  if (obstacle) throw errors.memberUnable(field, obstacle);
};
