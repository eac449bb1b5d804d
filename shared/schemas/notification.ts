import * as z from 'zod';
import { pageQuery, resourceFields, Timestamp, Uuid } from './common.ts';
import { NotificationKind } from './preferences.ts';

export const NotificationEvent = z.enum([
  'inspection_assigned',
  'part_reopened',
  'approval_requested',
  'sign_off_requested',
  'changes_requested',
  'approved',
  'rejected',
  'correction_approval_requested',
  'correction_approved',
  'correction_changes_requested',
  'correction_rejected',
  'completed',
  'overdue',
  'finding_created',
  'corrective_action_assigned',
  'corrective_action_due_soon',
  'corrective_action_due',
  'corrective_action_escalated',
  'corrective_action_completed',
  'corrective_action_verified',
  'corrective_action_declined',
  'corrective_action_reopened',
  'corrective_action_contact_wrote',
  'issue_reported',
  'issue_assigned',
  'issue_overdue',
  'certificate_expiring',
  'certificate_expired',
  'schedule_stopped',
  'schedule_location_deleted',
  'schedule_location_inactive',
  'schedule_assignee_left',
  'schedule_unassigned',
  'schedule_approver_left',
  'sync_failed',
  'sync_incomplete',
  'credential_refused',
  'webhook_disabled',
  'mails_paused',
]);
export type NotificationEvent = z.output<typeof NotificationEvent>;

export const Notification = z
  .strictObject({
    ...resourceFields,
    kind: NotificationKind.meta({ description: 'The preference that switches it on and off.' }),
    event: NotificationEvent.meta({ description: 'What happened.' }),
    title: z.string().meta({ description: 'What happened, in one sentence.' }),
    note: z.string().meta({ description: 'The comment or reason given with it, up to 1,000 characters.' }),
    inspection_id: Uuid.nullable().meta({
      description: 'The inspection that it is about; null when it is about something else.',
    }),
    issue_id: Uuid.nullable(),
    finding_id: Uuid.nullable(),
    corrective_action_id: Uuid.nullable(),
    schedule_id: Uuid.nullable(),
    source_id: Uuid.nullable(),
    connection_id: Uuid.nullable(),
    webhook_id: Uuid.nullable(),
    actor_id: Uuid.nullable().meta({
      description: 'The user who caused it; null when only time has passed, as with a due date.',
    }),
    is_read: z.boolean(),
    read_at: Timestamp.nullable(),
  })
  .meta({
    id: 'Notification',
    description: 'A message to the caller about an event. It is kept for 90 days.',
  });
export type Notification = z.output<typeof Notification>;

export const NotificationChanges = z
  .strictObject({ is_read: z.boolean() })
  .partial()
  .meta({ id: 'NotificationChanges' });
export type NotificationChanges = z.output<typeof NotificationChanges>;

export const NotificationPage = z
  .strictObject({
    items: z.array(Notification),
    unread_count: z.int().min(0).meta({
      description: 'Number of unread notifications of the listed kinds. No other filter changes it.',
    }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'The `cursor` of the next page; null on the last page.' }),
  })
  .meta({ id: 'NotificationPage' });
export type NotificationPage = z.output<typeof NotificationPage>;

export const notificationQuery = pageQuery({
  unread: z
    .boolean()
    .optional()
    .meta({ description: 'true lists only unread notifications, false only read ones.' }),
  kind: z.array(NotificationKind).max(7).optional().meta({
    description:
      'Only notifications of these kinds, also of kinds that are switched off. The parameter can be repeated.',
  }),
});
export type NotificationQuery = z.output<typeof notificationQuery>;

export const NotificationsRead = z
  .strictObject({ read: z.int().min(0).meta({ description: 'Number of notifications marked as read.' }) })
  .meta({ id: 'NotificationsRead' });
export type NotificationsRead = z.output<typeof NotificationsRead>;
