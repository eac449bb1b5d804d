import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { publicUrl } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { mailboxOf } from '../../base/text.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { isWaiting, releaseHeld } from '../../notices/waiting-mails.ts';
import { OFFER_MS, withdraw } from '../../organizations/addresses/addresses.ts';
import * as questions from '../../organizations/addresses/questions.ts';
import { createCodedLink, createLink, tokenAfter } from '../../organizations/links/links.ts';
import type { MailQuestion } from '../../schemas/mail.ts';
import { present } from '../../schemas/projection.ts';
import type { Report } from '../../schemas/reports/report.ts';
import { type NewShareLink, ShareLink } from '../../schemas/reports/share-link.ts';
import { audit } from '../../table/audit.ts';
import { change, type Work } from '../../table/change.ts';
import { exists, hasValues, noneOf } from '../../table/conditions.ts';
import type { StoredInspection, StoredReport, StoredShareLink } from '../../table/entities/inspections.ts';
import type { LinkTargets, StoredOrganization } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

const NOUN = 'share link';

const DAY_MS = 86_400_000;

/** How long a link stays in the list after its end, in milliseconds. */
const KEPT_MS = 400 * DAY_MS;

const isOver = ({ expires_at }: Pick<StoredShareLink, 'expires_at'>): boolean =>
  Date.parse(expires_at) <= Date.now();

const statusOf = (link: StoredShareLink): ShareLink['status'] => {
  if (link.revoked_at) return 'revoked';
  if (isOver(link)) return 'expired';
  return link.offered_to !== undefined && link.accepted_at === undefined ? 'offered' : 'active';
};

const toShareLink = (link: StoredShareLink, url: string | null = null): ShareLink =>
  present(ShareLink, link, { url, status: statusOf(link), offered_to: link.offered_to ?? null });

/** The ids of a report and its inspection, by the report's id. @throws ApiError 404 */
const findReport = async (caller: Caller, id: string): Promise<Pick<Report, 'id' | 'inspection_id'>> => {
  const reference = await getRow(caller, keys.reference(caller, 'REPORT', id));
  if (!reference) throw errors.notFound('report');
  return { id, inspection_id: reference.inspection_id };
};

/** When a link ends, and its row. @param until epoch milliseconds */
const endsAt = (until: number): Pick<StoredShareLink, 'expires_at' | 'ttl'> => ({
  expires_at: new Date(until).toISOString(),
  ttl: Math.ceil((until + KEPT_MS) / 1_000),
});

/** @param until epoch milliseconds, like `now` */
const newLink = (
  { user_id }: Caller,
  { report_id, share_link_id }: LinkTargets['share'],
  until: number,
  now: number,
): StoredShareLink => {
  const created_at = new Date(now).toISOString();
  return {
    id: share_link_id,
    report_id,
    ...endsAt(until),
    revoked_at: null,
    views_count: 0,
    last_viewed_at: null,
    created_by: user_id,
    created_at,
    updated_at: created_at,
  };
};

/** The change fails with 404 for a report that was deleted, and with 409 for one that could not be rendered. */
const newLinkWrites = (
  work: Work,
  { inspection_id, report_id }: LinkTargets['share'],
  link: StoredShareLink,
): Write[] => [
  write.create({ ...link, ...keys.shareLink(work, report_id, link.id) }),
  write.update(
    keys.child(work, inspection_id, 'REPORT', report_id),
    { add: { parts_revision: 1 } },
    noneOf('status', ['failed']),
    (standing) => (standing ? errors.reportFailed() : errors.notFound('report')),
  ),
  audit(work, 'share_link.created', link.id),
];

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
  const target = { inspection_id, report_id, share_link_id: uuidv7({ msecs: now }) };
  const token = await createLink(caller, 'share', target, until);
  const link = newLink(caller, target, until, now);
  return change(caller, (work) => ({
    writes: newLinkWrites(work, target, link),
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

/**
 * Notes that a report is offered to an address. Members see the offer among the report's links, and can end it. The mail
 * that offers it may be sent again after a failure.
 * @param address case-folded
 * @returns whether it may be offered: not after a member has ended the offer
 * @throws ApiError 404 for a report that was deleted; 409 for one that could not be rendered
 */
export const offer = (caller: Caller, target: LinkTargets['share'], address: string): Promise<boolean> =>
  change(caller, async (work) => {
    const now = Date.parse(work.now);
    const key = keys.shareLink(work, target.report_id, target.share_link_id);
    const row = await getRow(work, key);
    if (row?.revoked_at) return { writes: [], reply: false };
    if (row) {
      const set = { ...endsAt(now + OFFER_MS), updated_at: work.now };
      return { writes: [write.update(key, { set }, hasValues({ revoked_at: null }))], reply: true };
    }
    const link = { ...newLink(work, target, now + OFFER_MS, now), offered_to: address };
    return { writes: newLinkWrites(work, target, link), reply: true };
  });

const isEndedOffer = ({ offered_to, accepted_at, revoked_at }: StoredShareLink): boolean =>
  offered_to !== undefined && accepted_at === undefined && revoked_at !== null;

/** Whether an offer stands: no member has ended it, and its report was not deleted. One call of the table. */
export const isStanding = async (
  caller: Caller,
  { report_id, share_link_id }: LinkTargets['share'],
): Promise<boolean> =>
  (await getRow(caller, keys.shareLink(caller, report_id, share_link_id)))?.revoked_at === null;

/** @throws ApiError 404 when a member has ended the question of a link, or an offer that nobody had accepted */
export const expectAsked = async (
  caller: Caller,
  { question_id, report }: LinkTargets['confirm'],
): Promise<void> => {
  const id = report?.share_link_id ?? question_id;
  const [ended, link] = await getRows(caller, [
    id === undefined ? undefined : keys.endedQuestion(caller, id),
    report && keys.shareLink(caller, report.report_id, report.share_link_id),
  ]);
  if (ended || (link && isEndedOffer(link))) throw errors.notFound('link');
};

/**
 * The link to a report that was offered to an address which has confirmed: the same one, however often it confirms and
 * whatever it has answered before.
 * @param token of the link in the offer
 * @returns null when the report was deleted, or a member has revoked the link, or it has expired
 */
export const acceptOffer = async (
  caller: Caller,
  target: LinkTargets['share'],
  token: string,
): Promise<string | null> => {
  const link = await change(caller, async (work) => {
    const key = keys.shareLink(work, target.report_id, target.share_link_id);
    const row = await getRow(work, key);
    const status = row && statusOf(row);
    if (status === 'active') return { writes: [], reply: row };
    if (status !== 'offered') return { writes: [], reply: undefined };
    const ends = endsAt(Date.parse(work.now) + MAILED_DAYS * DAY_MS);
    const set = { ...ends, accepted_at: work.now, updated_at: work.now };
    return {
      writes: [write.update(key, { set }, hasValues({ revoked_at: null }))],
      reply: { ...row!, ...set },
    };
  });
  if (!link) return null;
  // A crash before this leaves a link that nobody can open. The next yes makes its token.
  const shared = tokenAfter(token, 'share');
  await createCodedLink(caller, 'share', target, shared, Date.parse(link.expires_at));
  return publicUrl('s', shared);
};

/** Whether a member has ended the offer of a report to the mailbox of an address, after this time. */
export const wasEnded = async (
  caller: Caller,
  reportId: string,
  address: string,
  since: string,
): Promise<boolean> => {
  const mailbox = mailboxOf(address);
  for await (const link of queryRows(caller, keys.parts(caller, 'REPORT', reportId, 'SHARE')))
    if (isEndedOffer(link) && mailboxOf(link.offered_to!) === mailbox && link.revoked_at! >= since)
      return true;
  return false;
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

/**
 * Ends a link at once and for good. Revoking it again changes nothing. The mails that wait for the answer to an offer
 * are looked at again: their worker gives up those with this report. An offer whose mail waits to be sent does not count.
 * @throws ApiError 404
 */
export const revoke = async (caller: Caller, reportId: string, id: string): Promise<ShareLink> => {
  const link = await change(caller, async (work) => {
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
        ...(link.offered_to === undefined ? [] : [questions.closing(work, id)]),
      ],
      reply: toShareLink({ ...link, ...set }),
    };
  });
  if (link.offered_to !== null) await followEnd(caller, { id, address: link.offered_to });
  return link;
};

/** What follows from the end of a question. */
const followEnd = async (
  caller: Caller,
  { id, address }: Pick<MailQuestion, 'id' | 'address'>,
): Promise<void> => {
  // The worker that has the mail in hand looks at the question again before it sends.
  if (await isWaiting(caller, id, sha256(address))) await withdraw(caller, address, id);
  await releaseHeld(caller, address);
};

/**
 * Ends an open question at once and for good: the offer of a report by its share link, which a deleted report has no
 * more.
 * @throws ApiError 404
 */
export const endQuestion = async (caller: Caller, id: string): Promise<void> => {
  const question = await questions.find(caller, id);
  const { report_id } = question;
  if (report_id !== null && (await getRow(caller, keys.shareLink(caller, report_id, id)))) {
    await revoke(caller, report_id, id);
    return;
  }
  await change(caller, (work) => ({ writes: questions.ending(work, id), reply: undefined }));
  await followEnd(caller, question);
};

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
