import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as overview from '../../shared/integrations/rows/overview.ts';
import { vendorIdOf } from '../../shared/integrations/vendors.ts';
import { activityQuery, IntegrationActivity } from '../../shared/schemas/integrations/overview.ts';

export const operation = defineOperation({
  id: 'listIntegrationActivity',
  method: 'GET',
  path: '/integrations/{vendor}/activity',
  summary: 'List what happened to a vendor’s connections',
  description: 'Newest first. An entry is kept for 400 days.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({
    vendor: z.string().max(50),
  }),
  query: activityQuery,
  success: 200,
  response: z.array(IntegrationActivity),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  overview.activitiesOf(caller, vendorIdOf(params.vendor), query),
);
