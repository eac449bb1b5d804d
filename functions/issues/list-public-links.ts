import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { PublicLink, publicLinkQuery } from '../../shared/schemas/issues/public-link.ts';

export const operation = defineOperation({
  id: 'listPublicLinks',
  method: 'GET',
  path: '/issue-categories/{category_id}/public-links',
  summary: 'List the public links of an issue category',
  description: 'The newest first, with the first characters of their tokens.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ category_id: Uuid }),
  query: publicLinkQuery,
  success: 200,
  response: z.array(PublicLink),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  publicLinks.list(caller, params.category_id, query),
);
