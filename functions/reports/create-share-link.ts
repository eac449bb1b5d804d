import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as shareLinks from '../../shared/reports/rows/share-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { MAX_SHARE_DAYS, NewShareLink, ShareLink } from '../../shared/schemas/reports/share-link.ts';

export const operation = defineOperation({
  id: 'createShareLink',
  method: 'POST',
  path: '/reports/{report_id}/share-links',
  summary: 'Share a report by a link',
  description:
    'Makes a link to a page with the report’s PDF. Anyone who has the link can open it, and reads nothing else. It stops ' +
    'working when it expires, when it is revoked, or when the report is deleted. Only this reply has the `url`; with an ' +
    'idempotency key, the repeated reply has it as well, for 24 hours. `409` for a report that could not be rendered.',
  access: 'write',
  app: { path: '/reports/{report_id}/share-links', roles: ['admin'] },
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ report_id: Uuid }),
  body: NewShareLink.optional().transform((body) => body ?? { expires_in_days: MAX_SHARE_DAYS }),
  success: 201,
  response: ShareLink,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  shareLinks.create(caller, params.report_id, body),
);
