import * as notifications from '../../shared/db/notifications/notifications.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { NotificationsRead } from '../../shared/schemas/notification.ts';

export const operation = defineOperation({
  id: 'readMyNotifications',
  method: 'POST',
  path: '/me/notifications/read-all',
  summary: "Mark the caller's notifications as read",
  description:
    'All that are unread, of whatever kind, the oldest first, and at most 450 in one request: repeat it until `read` is 0.',
  access: 'write',
  success: 200,
  response: NotificationsRead,
  grants: ['table:Query', 'table:PutItem', 'table:DeleteItem'],
  calls: 21,
});

export const handler = createHandler(operation, async ({ caller }) => ({
  read: await notifications.readAll(caller),
}));
