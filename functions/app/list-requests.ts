import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as requestLog from '../../shared/organizations/request-log.ts';
import { LoggedRequest, RequestQuery } from '../../shared/schemas/logged-request.ts';

export const operation = defineOperation({
  id: 'listRequests',
  method: 'GET',
  surface: 'app',
  path: '/requests',
  summary: 'List the last requests of API keys',
  description: `Newest first: of the last 24 hours, up to ${requestLog.SLOTS} requests of each key that succeeded, and as many that failed. Of what was sent and replied, only the error is kept. Requests without a usable key, and those beyond the rate limit, are not listed.`,
  access: 'read',
  roles: ['admin'],
  query: RequestQuery,
  success: 200,
  response: z.array(LoggedRequest),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => requestLog.list(caller, query));
