import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewPublicLink, PublicLink } from '../../shared/schemas/issues/public-link.ts';

export const operation = defineOperation({
  id: 'createPublicLink',
  method: 'POST',
  path: '/issue-categories/{category_id}/public-links',
  summary: 'Create a public link of an issue category',
  description:
    'Makes a page on which anyone who has the link reports issues of the category, without signing in and without reading anything of the organization. Only this reply has the whole `token`, the `url` and the QR codes; with an idempotency key, the repeated reply has them as well, for 24 hours.',
  access: 'write',
  app: { path: '/issue-categories/{category_id}/public-links', roles: ['admin'] },
  params: z.strictObject({ category_id: Uuid }),
  body: NewPublicLink,
  success: 201,
  location: '/issue-categories/{category_id}/public-links/{public_link_id}',
  response: PublicLink,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  publicLinks.create(caller, params.category_id, body),
);
