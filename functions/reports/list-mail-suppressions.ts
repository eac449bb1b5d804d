import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as addresses from '../../shared/organizations/addresses/addresses.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { MailSuppression } from '../../shared/schemas/mail.ts';

export const operation = defineOperation({
  id: 'listMailSuppressions',
  method: 'GET',
  path: '/mail-suppressions',
  summary: 'List the addresses that get no mail',
  description:
    'A mail to each of these addresses bounced for good or was reported as unwanted. The organization sends them ' +
    'neither reports nor notifications. In no particular order.',
  access: 'read',
  people: ['admin'],
  query: listQuery({}),
  success: 200,
  response: z.array(MailSuppression),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) =>
  addresses.listSuppressions(caller, query),
);
