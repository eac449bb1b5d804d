import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { downloadableAttachments } from '../../shared/inspections/corrective-actions/attachments.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { DownloadableAttachment } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'listCorrectiveActionAttachments',
  method: 'GET',
  path: '/corrective-actions/{ca_id}/attachments',
  summary: 'List the attachments of a corrective action',
  description: 'In the order in which they were added.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ ca_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(DownloadableAttachment),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  downloadableAttachments(caller, params.ca_id, query),
);
