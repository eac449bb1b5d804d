import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as notifications from '../../shared/notices/notifications.ts';
import { NotificationPage, notificationQuery } from '../../shared/schemas/notification.ts';

export const operation = defineOperation({
  id: 'listMyNotifications',
  method: 'GET',
  path: '/me/notifications',
  summary: "List the caller's notifications",
  description:
    'A page of the caller’s notifications, newest first: 50, or as many as `limit` says. Nobody is notified of their own changes. Kinds that the caller’s preferences switch off are neither listed nor counted, unless `kind` names them. When a kind is switched on again, the notifications of the meantime appear. People get each notification by email too. Notifications are kept for 90 days.',
  access: 'read',
  people: ['admin', 'approver', 'inspector'],
  query: notificationQuery,
  success: 200,
  response: NotificationPage,
});

export const handler = createHandler(operation, ({ query, caller }) => notifications.list(caller, query));
