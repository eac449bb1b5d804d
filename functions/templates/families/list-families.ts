import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { listQuery, searchFilter, Tag } from '../../../shared/schemas/common.ts';
import { Family } from '../../../shared/schemas/templates/family.ts';
import * as families from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'listFamilies',
  method: 'GET',
  path: '/templates/families',
  summary: 'List template families',
  description: 'In the order of creation.',
  access: 'read',
  people: ['admin'],
  query: listQuery({
    ...searchFilter,
    archived: z
      .boolean()
      .default(false)
      .meta({ description: '`true` lists only archived families, `false` leaves them out.' }),
    initiable: z.boolean().default(false).meta({
      description:
        '`true` lists only families from which an inspection can be created: published and not archived.',
    }),
    tag: z
      .array(Tag)
      .max(50)
      .optional()
      .meta({ description: 'Any of these tags; case is ignored. The parameter can be repeated.' }),
  }),
  success: 200,
  response: z.array(Family),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => families.list(caller, query));
