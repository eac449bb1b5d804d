import * as notifications from '../../shared/db/notifications/notifications.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { NotificationPage, notificationQuery } from '../../shared/schemas/notification.ts';

export const operation = defineOperation({
  id: 'listMyNotifications',
  method: 'GET',
  path: '/me/notifications',
  summary: "List the caller's notifications",
  description:
    'A page of them, newest first, 50 unless `limit` says otherwise. What the caller itself does is not among them. Kinds that its preferences switch off are neither listed nor counted, unless `kind` names them; switched on again they show what has come meanwhile. People are told of each by e-mail as well. A notification is kept for 90 days.',
  access: 'read',
  query: notificationQuery,
  success: 200,
  response: NotificationPage,
  grants: ['table:GetItem', 'table:Query'],
  calls: 5,
});

export const handler = createHandler(operation, ({ query, caller }) => notifications.list(caller, query));
