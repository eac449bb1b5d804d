import type { Caller } from '../../base/caller.ts';
import { approversOf } from '../../domain/inspections/workflow.ts';
import type { NotificationEvent } from '../../schemas/notification.ts';
import type { StoredInspection } from '../inspection-core/record.ts';
import { audienceOf } from '../notifications/audiences.ts';
import { notify } from '../notifications/notifications.ts';
import type { Write } from '../table/writes.ts';

const everyone = ({ created_by, participants }: StoredInspection): string[] => [
  created_by,
  ...participants.map(({ user_id }) => user_id),
];

/** What has happened between two states that members are told of, and whom. */
const occasions = (
  before: StoredInspection | undefined,
  after: StoredInspection,
): { event: NotificationEvent; user_ids: (string | null)[]; note?: string | null }[] => {
  const known = new Map(before?.participants.map((participant) => [participant.user_id, participant]));
  const added = after.participants.flatMap(({ user_id }) => (known.has(user_id) ? [] : [user_id]));
  const assigned = added.length > 0 ? [{ event: 'inspection_assigned' as const, user_ids: added }] : [];
  // What is taken out of the archive was told of when it got there.
  if (!before || before.status === 'archived') return assigned;
  const moved = before.status !== after.status;
  const note = after.comment;
  const outcome = before.approval_outcome === after.approval_outcome ? null : after.approval_outcome;
  const wasPending = before.status === 'pending_approval';
  const reopened =
    after.status === 'in_progress' &&
    !moved &&
    after.participants.some(
      ({ user_id, reopened_at }) => reopened_at && reopened_at !== known.get(user_id)?.reopened_at,
    );
  const approvers = approversOf(after);
  return [
    ...assigned,
    ...(reopened ? [{ event: 'part_reopened' as const, user_ids: [...everyone(after), ...approvers] }] : []),
    ...(moved && after.status === 'in_progress' && wasPending
      ? [{ event: 'changes_requested' as const, user_ids: everyone(after), note }]
      : []),
    ...(wasPending && moved && after.status !== 'archived' && outcome === 'approved'
      ? [{ event: 'approved' as const, user_ids: everyone(after), note }]
      : []),
    ...(wasPending && outcome === 'rejected'
      ? [{ event: 'rejected' as const, user_ids: everyone(after), note }]
      : []),
    ...(moved && after.status === 'pending_approval'
      ? [{ event: 'approval_requested' as const, user_ids: approvers }]
      : []),
    ...(moved && after.status === 'pending_sign_off'
      ? [
          {
            event: 'sign_off_requested' as const,
            user_ids: after.participants.flatMap(({ role, user_id }) =>
              role === 'signatory' ? [user_id] : [],
            ),
          },
        ]
      : []),
  ];
};

/**
 * What members are told of an inspection's way from one state to the next, for the transaction of that. One call
 * more for a completion: its family says who else is told.
 */
export const notices = async (
  caller: Caller,
  before: StoredInspection | undefined,
  after: StoredInspection,
): Promise<Write[]> => {
  const told = occasions(before, after).flatMap((occasion) =>
    notify(caller, { inspection: after, ...occasion }),
  );
  const isCompleted =
    after.status === 'completed' && before?.status !== 'completed' && before?.status !== 'archived';
  if (!isCompleted) return told;
  const { user_ids, emails } = await audienceOf(caller, after.template_family_id, 'on_completed');
  return [
    ...told,
    ...notify(caller, {
      event: 'completed',
      inspection: after,
      user_ids: [...everyone(after), ...user_ids],
      emails,
    }),
  ];
};
