import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { list } from '../../shared/places/assets/lists.ts';
import { Asset, assetQuery } from '../../shared/schemas/assets/asset.ts';

export const operation = defineOperation({
  id: 'listAssets',
  method: 'GET',
  path: '/assets',
  summary: 'List assets',
  description:
    'Newest first. With `q`, and without filters by location, parent, tag, metadata or `external_ref`, in the order of the word that was found.',
  access: 'read',
  people: ['admin'],
  query: assetQuery,
  success: 200,
  response: z.array(Asset),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => list(caller, query));
