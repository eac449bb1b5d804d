import type { Caller } from '../base/caller.ts';
import { createShareLink } from '../db/reports/share-links.ts';
import type { StoredReport } from '../db/table/entities.ts';

/** How long the link of a mail works. */
const LINK_DAYS = 30;

/**
 * Makes the link of one mail to its report, which can be revoked by itself. An attempt to send the mail that is repeated
 * makes another one; nobody has the link of an attempt that failed.
 * @returns its URL, and when it ends, ISO 8601 in UTC
 */
export const reportLink = (
  caller: Caller,
  report: Pick<StoredReport, 'id' | 'inspection_id'>,
): Promise<{ url: string; until: string }> =>
  createShareLink(caller, report, { expires_in_days: LINK_DAYS }, ({ expires_at }, url) => ({
    url,
    until: expires_at,
  }));
