import type { Caller } from '../base/caller.ts';
import * as correctiveActions from '../db/corrective-actions/attachments.ts';
import type { Listing, ListQuery } from '../db/table/listing.ts';
import type { DownloadableAttachment } from '../schemas/corrective-action.ts';
import { downloadUrl } from './documents.ts';

/** The attachments of a corrective action, each with a download URL that is valid for 15 minutes. @throws ApiError 404 */
export const downloadableAttachments = (
  caller: Caller,
  actionId: string,
  query: ListQuery,
): Promise<Listing<DownloadableAttachment>> =>
  correctiveActions.listAttachments(caller, actionId, query, async (attachment) => ({
    ...attachment,
    download_url: await downloadUrl(caller, attachment.document_id, attachment),
  }));
