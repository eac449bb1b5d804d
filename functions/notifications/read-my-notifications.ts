import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as notifications from '../../shared/notices/notifications.ts';
import { NotificationsRead } from '../../shared/schemas/notification.ts';

export const operation = defineOperation({
  id: 'readMyNotifications',
  method: 'POST',
  path: '/me/notifications/read-all',
  summary: "Mark all of the caller's notifications as read",
  description: `Marks unread notifications of every kind as read, the oldest first. One request marks at most ${notifications.MAX_MARKED_PER_REQUEST}. Repeat it until \`read\` is 0.`,
  access: 'write',
  success: 200,
  response: NotificationsRead,
});

export const handler = createHandler(operation, async ({ caller }) => ({
  read: await notifications.readAll(caller),
}));
