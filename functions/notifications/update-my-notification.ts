import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as notifications from '../../shared/notices/notifications.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Notification, NotificationChanges } from '../../shared/schemas/notification.ts';

export const operation = defineOperation({
  id: 'updateMyNotification',
  method: 'PATCH',
  path: '/me/notifications/{notification_id}',
  summary: 'Mark a notification as read',
  description: `\`is_read\` false marks it as unread again. ${PATCH_DESCRIPTION}`,
  access: 'write',
  params: z.strictObject({ notification_id: Uuid }),
  body: NotificationChanges,
  success: 200,
  response: Notification,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  notifications.update(caller, params.notification_id, body),
);
