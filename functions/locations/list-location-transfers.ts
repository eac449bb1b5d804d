import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { LocationTransfer, transferQuery } from '../../shared/schemas/location-transfer.ts';
import * as transfers from '../../shared/upkeep/transfers/transfers.ts';

export const operation = defineOperation({
  id: 'listLocationTransfers',
  method: 'GET',
  path: '/location-transfers',
  summary: 'List transfers of locations',
  description: 'In the order in which they were requested.',
  access: 'read',
  people: ['admin'],
  query: transferQuery,
  success: 200,
  response: z.array(LocationTransfer),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => transfers.list(caller, query));
