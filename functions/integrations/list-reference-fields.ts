import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { fieldsOf } from '../../shared/integrations/vendors.ts';
import { ReferenceField } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'listReferenceFields',
  method: 'GET',
  path: '/integrations/reference-fields/{target_ref}',
  summary: 'List the fields of a target',
  description: '`target_ref` is locations, client_accounts, response_sets or members.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({
    target_ref: z
      .string()
      .max(50)
      .meta({ examples: ['locations'] }),
  }),
  success: 200,
  response: z.array(ReferenceField),
});

export const handler = createHandler(operation, ({ params }) => fieldsOf(params.target_ref));
