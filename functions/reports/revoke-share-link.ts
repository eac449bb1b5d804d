import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as shareLinks from '../../shared/reports/rows/share-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ShareLink } from '../../shared/schemas/reports/share-link.ts';

export const operation = defineOperation({
  id: 'revokeShareLink',
  method: 'POST',
  path: '/reports/{report_id}/share-links/{share_link_id}/revoke',
  summary: 'Revoke a share link',
  description:
    'The link stops working at once, for good. A file that is being read at that moment may still arrive. Revoking a link ' +
    'again changes nothing. An offer that nobody has accepted ends as well, with the mails that wait for its answer to ' +
    'bring this report.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ report_id: Uuid, share_link_id: Uuid }),
  success: 200,
  response: ShareLink,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  shareLinks.revoke(caller, params.report_id, params.share_link_id),
);
