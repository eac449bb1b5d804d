import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { publicUrl } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { present } from '../../schemas/projection.ts';
import type { Report } from '../../schemas/reports/report.ts';
import { type NewShareLink, ShareLink } from '../../schemas/reports/share-link.ts';
import type { OfferedReport } from '../addresses/addresses.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import { createLink } from '../links/links.ts';
import { audit } from '../table/audit.ts';
import { change } from '../table/change.ts';
import { exists, hasValues, noneOf } from '../table/conditions.ts';
import type { StoredInspection, StoredReport, StoredShareLink } from '../table/entities/inspections.ts';
import type { LinkTargets, StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../table/listing.ts';
import { getRow, getRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';

const NOUN = 'share link';

const DAY_MS = 86_400_000;

/** How long a link stays in the list after its end, in milliseconds. */
const KEPT_MS = 400 * DAY_MS;

const isOver = ({ expires_at }: Pick<StoredShareLink, 'expires_at'>): boolean =>
  Date.parse(expires_at) <= Date.now();

const statusOf = (link: StoredShareLink): ShareLink['status'] => {
  if (link.revoked_at) return 'revoked';
  return isOver(link) ? 'expired' : 'active';
};

const toShareLink = (link: StoredShareLink, url: string | null = null): ShareLink =>
  present(ShareLink, link, { url, status: statusOf(link) });

/** The ids of a report and its inspection, by the report's id. @throws ApiError 404 */
const findReport = async (caller: Caller, id: string): Promise<Pick<Report, 'id' | 'inspection_id'>> => {
  const reference = await getRow(caller, keys.reference(caller, 'REPORT', id));
  if (!reference) throw errors.notFound('report');
  return { id, inspection_id: reference.inspection_id };
};

/**
 * Makes a link by which anyone who has it reads one report. Two calls of the table.
 * @param replyOf makes the reply from the link and its URL, which is known only now
 * @throws ApiError 404 for a report that was deleted; 409 for one that could not be rendered
 */
export const createShareLink = async <Reply>(
  caller: Caller,
  report: Pick<Report, 'id' | 'inspection_id'>,
  { expires_in_days }: NewShareLink,
  replyOf: (link: StoredShareLink, url: string) => Reply,
): Promise<Reply> => {
  const now = Date.now();
  const until = now + expires_in_days * DAY_MS;
  const { id: report_id, inspection_id } = report;
  const id = uuidv7({ msecs: now });
  const token = await createLink(caller, 'share', { inspection_id, report_id, share_link_id: id }, until);
  const created_at = new Date(now).toISOString();
  const link = {
    id,
    report_id,
    expires_at: new Date(until).toISOString(),
    revoked_at: null,
    views_count: 0,
    last_viewed_at: null,
    created_by: caller.user_id,
    created_at,
    updated_at: created_at,
    ttl: Math.ceil((until + KEPT_MS) / 1_000),
  };
  return change(caller, (work) => ({
    writes: [
      write.create({ ...link, ...keys.shareLink(work, report_id, id) }),
      write.update(
        keys.child(work, inspection_id, 'REPORT', report_id),
        { add: { parts_revision: 1 } },
        noneOf('status', ['failed']),
        (standing) => (standing ? errors.reportFailed() : errors.notFound('report')),
      ),
      audit(work, 'share_link.created', id),
    ],
    reply: replyOf(link, publicUrl('s', token)),
  }));
};

/** How long the link of a mail to its report works. */
const MAILED_DAYS = 30;

/**
 * Makes the link of one mail to its report, which can be revoked by itself. Each attempt to send the mail makes a new
 * link; nobody has the link of an attempt that failed.
 * @returns its URL, and when it ends, ISO 8601 in UTC
 */
export const reportLink = (
  caller: Caller,
  report: Pick<Report, 'id' | 'inspection_id'>,
): Promise<{ url: string; until: string }> =>
  createShareLink(caller, report, { expires_in_days: MAILED_DAYS }, ({ expires_at }, url) => ({
    url,
    until: expires_at,
  }));

/** The link to a report that was offered to an address which has confirmed; null when it was deleted. */
export const offeredReportUrl = async (
  caller: Caller,
  { inspection_id, report_id }: OfferedReport,
): Promise<string | null> => {
  const report = { inspection_id, id: report_id };
  if (!(await getRow(caller, keys.child(caller, inspection_id, 'REPORT', report_id)))) return null;
  return (await reportLink(caller, report)).url;
};

/** The same for a report by its own id. One more call. @returns the link with its URL */
export const create = async (caller: Caller, reportId: string, options: NewShareLink): Promise<ShareLink> =>
  createShareLink(caller, await findReport(caller, reportId), options, toShareLink);

/** The links of a report, newest first, without their URLs. @throws ApiError 404 */
export const list = (caller: Caller, reportId: string, query: ListQuery): Promise<Listing<ShareLink>> =>
  listRows(
    caller,
    `${NOUN} ${reportId}`,
    query,
    { ...keys.parts(caller, 'REPORT', reportId, 'SHARE'), newestFirst: true },
    (row) => toShareLink(row),
    () => findReport(caller, reportId),
  );

/** Ends a link at once and for good. Revoking it again changes nothing. @throws ApiError 404 */
export const revoke = (caller: Caller, reportId: string, id: string): Promise<ShareLink> =>
  change(caller, async (work) => {
    const key = keys.shareLink(work, reportId, id);
    const row = await getRow(work, key);
    if (!row) throw errors.notFound(NOUN);
    const link = withoutKeys(row);
    if (link.revoked_at) return { writes: [], reply: toShareLink(link) };
    const revoked_at = work.now;
    const set = { revoked_at, updated_at: revoked_at };
    return {
      writes: [
        write.update(key, { set }, hasValues({ revoked_at: null })),
        audit(work, 'share_link.revoked', id),
      ],
      reply: toShareLink({ ...link, ...set }),
    };
  });

/** The rows that the page of a share link shows. */
export interface SharedReport {
  report: StoredReport;
  inspection: StoredInspection;
  organization: StoredOrganization;
  link: StoredShareLink;
}

/**
 * The report of a share link. One call of the table.
 * @throws ApiError 404 when the link has ended or was revoked, the report was deleted or could not be rendered
 */
export const openShared = async (caller: Caller, target: LinkTargets['share']): Promise<SharedReport> => {
  const { inspection_id, report_id, share_link_id } = target;
  const [link, report, inspection, organization] = await getRows(caller, [
    keys.shareLink(caller, report_id, share_link_id),
    keys.child(caller, inspection_id, 'REPORT', report_id),
    inspectionRecords.key(caller, inspection_id),
    keys.organization(caller),
  ]);
  const isOpen = link && statusOf(link) === 'active' && report && report.status !== 'failed';
  if (!isOpen || !inspection || !organization) throw errors.notFound('link');
  return { report, inspection, organization, link };
};

/** Counts one view of a share link's page. @throws ApiError 404 for a link that was deleted meanwhile */
export const countView = (
  caller: Caller,
  { report_id, share_link_id }: LinkTargets['share'],
): Promise<void> =>
  change(caller, (work) => ({
    writes: [
      write.update(
        keys.shareLink(work, report_id, share_link_id),
        { set: { last_viewed_at: work.now, updated_at: work.now }, add: { views_count: 1 } },
        exists,
        () => errors.notFound('link'),
      ),
    ],
    reply: undefined,
  }));
