import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as addresses from '../../shared/organizations/addresses/addresses.ts';

/** Characters of an address (RFC 5321, section 4.5.3.1). */
const MAX_ADDRESS = 320;

export const operation = defineOperation({
  id: 'deleteMailSuppression',
  method: 'DELETE',
  path: '/mail-suppressions/{address}',
  summary: 'Mail an address again',
  description:
    'Takes an address off the list, for example when its mailbox was full and works again. Upper and lower case are the ' +
    'same address. If the next mail bounces as well, the address is on the list again.',
  access: 'write',
  params: z.strictObject({
    address: z
      .string()
      .min(1)
      .max(MAX_ADDRESS)
      .meta({ examples: ['office@example.com'] }),
  }),
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, caller }) =>
  addresses.removeSuppression(caller, params.address),
);
