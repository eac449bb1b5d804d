import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { catalog } from '../../shared/integrations/vendors.ts';
import { CatalogEntry } from '../../shared/schemas/integrations/overview.ts';

export const operation = defineOperation({
  id: 'getIntegrationCatalog',
  method: 'GET',
  path: '/integrations/catalog',
  summary: 'List the systems that can be connected',
  access: 'read',
  app: { path: '/integrations/catalog', roles: ['admin'] },
  success: 200,
  response: z.array(CatalogEntry),
});

export const handler = createHandler(operation, () => catalog());
