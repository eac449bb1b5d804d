import * as z from 'zod';
import { listEvents } from '../../shared/db/table/outbox.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Event } from '../../shared/schemas/event.ts';

export const operation = defineOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  summary: 'List events',
  description:
    'What happened in the organization, in one order without gaps: whoever remembers the last `sequence` it has seen ' +
    'and asks for what came `after` it misses nothing, however late a change was committed. An event stands here ' +
    'within about a second of its change.',
  access: 'read',
  query: z.strictObject({
    after: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'The last sequence seen; without it, from the first.' }),
    limit: z.int().min(1).max(200).optional(),
    cursor: z.string().max(2_000).optional(),
  }),
  success: 200,
  response: z.array(Event),
  list: true,
  grants: ['table:Query'],
  calls: 2,
});

export const handler = createHandler(operation, ({ query, caller }) => listEvents(caller, query));
