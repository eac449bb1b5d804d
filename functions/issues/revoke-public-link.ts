import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { PublicLink } from '../../shared/schemas/issues/public-link.ts';

export const operation = defineOperation({
  id: 'revokePublicLink',
  method: 'POST',
  path: '/issue-categories/{category_id}/public-links/{public_link_id}/revoke',
  summary: 'Revoke a public link',
  description: 'The link stops working at once, for good. Revoking a link again changes nothing.',
  access: 'write',
  params: z.strictObject({ category_id: Uuid, public_link_id: Uuid }),
  guarded: true,
  success: 200,
  response: PublicLink,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  publicLinks.revoke(caller, params.category_id, params.public_link_id, expectedVersion),
);
