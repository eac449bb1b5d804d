import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { PublicLink } from '../../shared/schemas/issues/public-link.ts';

export const operation = defineOperation({
  id: 'getPublicLink',
  method: 'GET',
  path: '/issue-categories/{category_id}/public-links/{public_link_id}',
  summary: 'Get a public link',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ category_id: Uuid, public_link_id: Uuid }),
  success: 200,
  response: PublicLink,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  publicLinks.get(caller, params.category_id, params.public_link_id),
);
