import * as z from 'zod';
import { listEvents } from '../../shared/db/table/outbox/outbox.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Event } from '../../shared/schemas/event.ts';

export const operation = defineOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  summary: 'List events',
  description:
    'The events of the organization, ordered by `sequence` without gaps. Remember the last `sequence` that you read ' +
    'and send it as `after` to get all later events; none is ever missed. An event appears here within about a ' +
    'second of its change, and stays for 400 days.',
  access: 'read',
  people: ['admin'],
  query: z
    .strictObject({
      after: z.int().min(0).optional().meta({
        description:
          'The last `sequence` that you read; when left out, the list starts with the first event.',
      }),
      newest_first: z.boolean().default(false).meta({
        description: 'The last event first, for people who look at them. Not with `after`.',
      }),
      limit: z.int().min(1).max(200).optional(),
      cursor: z.string().max(2_000).optional(),
    })
    .check(({ value: { after, newest_first }, issues }) => {
      if (after !== undefined && newest_first)
        issues.push({
          code: 'custom',
          message: 'Value error, not with after',
          input: newest_first,
          path: ['newest_first'],
        });
    }),
  success: 200,
  response: z.array(Event),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => listEvents(caller, query));
