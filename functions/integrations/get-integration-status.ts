import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as overview from '../../shared/integrations/rows/overview.ts';
import { vendorIdOf } from '../../shared/integrations/vendors.ts';
import { IntegrationStatus } from '../../shared/schemas/integrations/overview.ts';

export const operation = defineOperation({
  id: 'getIntegrationStatus',
  method: 'GET',
  path: '/integrations/{vendor}/status',
  summary: 'Get the status of a vendor’s connections',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({
    vendor: z.string().max(50),
  }),
  success: 200,
  response: IntegrationStatus,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  overview.statusOf(caller, vendorIdOf(params.vendor)),
);
