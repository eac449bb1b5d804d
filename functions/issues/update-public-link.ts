import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as publicLinks from '../../shared/issues/public-links.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { PublicLink, PublicLinkChanges } from '../../shared/schemas/issues/public-link.ts';

export const operation = defineOperation({
  id: 'updatePublicLink',
  method: 'PATCH',
  path: '/issue-categories/{category_id}/public-links/{public_link_id}',
  summary: 'Update, pause or resume a public link',
  description: `${PATCH_DESCRIPTION} Refused with \`409\` for a link that is revoked.`,
  access: 'write',
  params: z.strictObject({ category_id: Uuid, public_link_id: Uuid }),
  body: PublicLinkChanges,
  success: 200,
  response: PublicLink,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  publicLinks.update(caller, params.category_id, params.public_link_id, body, expectedVersion),
);
