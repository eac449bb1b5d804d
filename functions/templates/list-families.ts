import * as z from 'zod';
import * as families from '../../shared/db/templates/families.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { listQuery, Tag } from '../../shared/schemas/common.ts';
import { Family } from '../../shared/schemas/templates/family.ts';

export const operation = defineOperation({
  id: 'listFamilies',
  method: 'GET',
  path: '/templates/families',
  summary: 'List template families',
  description: 'In creation order.',
  access: 'read',
  query: listQuery({
    archived: z
      .boolean()
      .default(false)
      .meta({ description: '`true` lists the archived families only, `false` leaves them out.' }),
    initiable: z.boolean().default(false).meta({
      description: '`true` lists only those an inspection can be made of: published, not archived.',
    }),
    tag: z.array(Tag).max(50).optional().meta({ description: 'Any of these tags, whatever their case.' }),
  }),
  success: 200,
  response: z.array(Family),
  list: true,
  grants: ['table:Query'],
  calls: 2,
});

export const handler = createHandler(operation, ({ query, caller }) => families.list(caller, query));
