import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { mayKeysDecide } from '../../domain/members.ts';
import { problems } from '../../domain/recurrence/index.ts';
import type { Schedule } from '../../schemas/schedules/schedule.ts';
import { expectAble } from '../members/duties.ts';
import type { StoredClientAccount, StoredFamily, StoredLocation, StoredMember } from '../table/entities.ts';
import { type Reference, reference, type Resolved, resolve } from '../table/references.ts';

/** What a schedule names. */
export type Setup = Pick<
  Schedule,
  'template_family_id' | 'client_account_id' | 'location_ids' | 'assignee_ids' | 'approver_id'
>;

/** @throws ApiError 400 naming the field of an assignee who cannot carry out inspections, or would approve them */
export const checkAssignees = (assigned: readonly StoredMember[], approverId: string | null): void => {
  for (const [position, member] of assigned.entries()) {
    const field = `assignee_ids.${position}`;
    expectAble(field, member, 'inspect');
    if (member.user_id === approverId) throw errors.approverTakesPart(field);
  }
};

export const assigneeReferences = (caller: Caller, userIds: readonly string[]): Reference<StoredMember>[] =>
  userIds.map((id, position) => reference(caller, `assignee_ids.${position}`, 'MEMBER', id));

type SetupReferences = readonly [
  family: Reference<StoredFamily>,
  client: Reference<StoredClientAccount> | undefined,
  approver: Reference<StoredMember> | undefined,
  ...others: Reference<StoredLocation | StoredMember>[],
];

/**
 * Checks what a request names, and reads the template family. What stays as it is is not checked again: somebody who
 * has left must not keep others from changing the title.
 * @param current the schedule before the change; undefined for a new one
 * @throws ApiError 400 for a resource that does not exist, a member who cannot do what is asked of them, or a location of
 *   another client
 */
export const checkSetup = async (
  caller: Caller,
  setup: Setup,
  current?: Setup,
): Promise<StoredFamily | undefined> => {
  const { template_family_id, client_account_id, location_ids, assignee_ids, approver_id } = setup;
  const isSame = (field: keyof Setup) => String(setup[field]) === String(current?.[field]);
  const isSamePlace = current !== undefined && isSame('client_account_id') && isSame('location_ids');
  const locations = isSamePlace
    ? []
    : location_ids.map((id, position) => reference(caller, `location_ids.${position}`, 'LOCATION', id));
  const assignees = current && isSame('assignee_ids') ? [] : assigneeReferences(caller, assignee_ids);
  const isSameApprover = current !== undefined && isSame('approver_id');
  const references: SetupReferences = [
    reference(caller, 'template_family_id', 'FAMILY', template_family_id),
    isSamePlace ? undefined : reference(caller, 'client_account_id', 'CLIENT', client_account_id),
    isSameApprover ? undefined : reference(caller, 'approver_id', 'MEMBER', approver_id),
    ...locations,
    ...assignees,
  ];
  const [family, , approver, ...others]: Resolved<SetupReferences> = await resolve(caller, references);
  // The rows stand in the order of their references.
  const placed = others.slice(0, locations.length) as StoredLocation[];
  const assigned = others.slice(locations.length) as StoredMember[];
  for (const [position, { client_account_id: owner }] of placed.entries()) {
    if (client_account_id && owner && owner !== client_account_id) {
      throw errors.otherClientAccount(`location_ids.${position}`);
    }
  }
  checkAssignees(assigned, approver_id);
  if (approver) {
    const { requires_approval, settings } = family;
    const isForKeys = mayKeysDecide({ requires_approval, approval: settings.approval });
    expectAble('approver_id', approver, 'approve', isForKeys);
    if (assignee_ids.includes(approver.user_id)) throw errors.approverTakesPart('approver_id');
  }
  return family;
};

/** @throws ApiError 422 for a rule that cannot be read or never occurs */
export const checkRecurrence = ({ recurrence }: Pick<Schedule, 'recurrence'>): void => {
  const found = problems(recurrence);
  if (found.length > 0) throw errors.validationFailed(found);
};

/** The 422 of a schedule of which nothing lies ahead. */
export const neverOccurs = (recurrence: Schedule['recurrence']) =>
  errors.validationFailed([
    {
      loc: ['body', 'recurrence', 'rrule'],
      type: 'value_error',
      msg: 'Value error, the rule does not occur any more within starts_on and ends_on',
      input: recurrence.rrule,
    },
  ]);
