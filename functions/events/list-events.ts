import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Cursor, Instant, Uuid } from '../../shared/schemas/common.ts';
import { Event } from '../../shared/schemas/event.ts';
import { ListedTypes } from '../../shared/schemas/webhook.ts';
import { listEvents } from '../../shared/table/outbox/list-events.ts';

export const operation = defineOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  summary: 'List events',
  description:
    'The events of the organization, ordered by `sequence` without gaps. Remember the last `sequence` that you read ' +
    'and send it as `after` to get all later events; none is ever missed. An event appears here within about a ' +
    'second of its change, and stays for 400 days. With `types` or `resource_id` the list always comes in pages of at ' +
    'most `limit` (200) events. A page searches the next 1,000 events, so it may have few events or none although more ' +
    'pages follow. The last page is the one without a `Link` header. A key with scopes lists the events of what it ' +
    'may read, such as those of issues with `issues:read`, and always in such pages. It does not list others, so ' +
    'their numbers are missing.',
  access: 'read',
  people: ['admin'],
  query: z
    .strictObject({
      after: z.int().min(0).optional().meta({
        description:
          'The last `sequence` that you read; when left out, the list starts with the first event.',
      }),
      newest_first: z.boolean().default(false).meta({
        description:
          'The last event first, for people who look at them. Not with `after`, `since` and `until`.',
      }),
      since: Instant.optional().meta({
        description:
          'Only events that were recorded at or after this time: at most a moment after their change.',
      }),
      until: Instant.optional().meta({ description: 'Only events that were recorded until this time.' }),
      types: ListedTypes.optional().meta({
        description:
          'Only events of these types, such as `inspection.*` and `report.ready`. The parameter can be repeated.',
      }),
      resource_id: Uuid.optional().meta({
        description:
          'Only events about this resource: the `id` of their data, the `user_id` of a member, the `source_id` of a sync, the `inspection_id` of answers that were saved, and the `corrective_action_id` of a comment.',
      }),
      limit: z.int().min(1).max(200).optional(),
      cursor: Cursor.optional(),
    })
    .check(({ value: { after, since, until, newest_first }, issues }) => {
      if (newest_first && (after ?? since ?? until) !== undefined)
        issues.push({
          code: 'custom',
          message: 'Value error, not with after, since or until',
          input: newest_first,
          path: ['newest_first'],
        });
    }),
  success: 200,
  response: z.array(Event),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => listEvents(caller, query));
